import Pipeline

/// The letters that name the numbers of one point, in any order: `xyt`.
struct WireFields: Equatable, Sendable {
    /// The place of a letter in `x y z t p w`.
    enum Slot: UInt8 {
        case x, y, z, t, p, w
    }

    /// For every number of a point its slot.
    private(set) var slots: [UInt8] = []

    /// Where the numbers of a point are.
    private(set) var layout = PointLayout()

    /// The letters read last: neighbours mostly have the same.
    private var letters = ""

    private static let known: [UInt8] = Array("xyztpw".utf8)
    private static let shared: [PointFields.Slot?] = [.x, .y, .z, .t, .p, nil]

    /// Reads the letters; what is wrong with them, or `nil` when nothing is.
    mutating func set(_ text: UnsafeRawBufferPointer) -> String? {
        if !letters.isEmpty, letters.isSame(as: text) { return nil }
        letters = ""
        slots.removeAll(keepingCapacity: true)
        layout = PointLayout()
        for byte in text {
            guard let slot = Self.known.firstIndex(of: byte) else { return "the letters are x, y, z, t, p and w" }
            guard !slots.contains(UInt8(slot)) else { return "a letter stands twice" }
            slots.append(UInt8(slot))
            layout.add(Self.shared[slot])
        }
        guard contains(.x), contains(.y) else { return "x and y must be there" }
        letters = String(decoding: text, as: UTF8.self)
        return nil
    }

    /// Where the number of a slot stands among those of a point; −1 when it is not there.
    func place(_ slot: Slot) -> Int { slots.firstIndex(of: slot.rawValue) ?? -1 }

    /// Whether a slot is there.
    func contains(_ slot: Slot) -> Bool { slots.contains(slot.rawValue) }
}
