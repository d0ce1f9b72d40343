import Pipeline

/// The value of the key `fields`: one letter for each number of a point, in any order, such as `xyt`.
struct WireFields: Equatable, Sendable {
    /// The meaning of a number: a coordinate, the time, the pressure, the width of ink, or unknown. The raw value is the index of
    /// its letter in `xyztpw`, or 6.
    enum Slot: UInt8 {
        case x, y, z, t, p, w, unknown
    }

    /// The slot of each number of a point, in order.
    private(set) var slots: [UInt8] = []

    /// The positions of the numbers within a point.
    private(set) var layout = PointLayout()

    /// The letters that were parsed last. They are cached, because consecutive messages usually have the same letters.
    private var letters = ""

    private static let known: [UInt8] = Array("xyztpw".utf8)
    /// The slot of ``PointFields`` for each letter; `nil` for those that it does not have.
    private static let pointSlots: [PointFields.Slot?] = [.x, .y, .z, .t, .p, nil, nil]

    /// Parses the letters. Returns a description of the error, or `nil` if they are valid. An unknown letter is no error here: a
    /// payload refuses it like all letters that its kind does not have.
    mutating func set(_ text: UnsafeRawBufferPointer) -> String? {
        if !letters.isEmpty, letters.isSame(as: text) { return nil }
        letters = ""
        slots.removeAll(keepingCapacity: true)
        layout = PointLayout()
        for byte in text {
            let slot = Self.known.firstIndex(of: byte) ?? Self.known.count
            guard slot == Self.known.count || !slots.contains(UInt8(slot)) else { return "a letter occurs twice" }
            slots.append(UInt8(slot))
            layout.add(Self.pointSlots[slot])
        }
        guard contains(.x), contains(.y) else { return "x and y are required" }
        letters = String(decoding: text, as: UTF8.self)
        return nil
    }

    /// Returns the position of a slot within a point, or −1 if the point does not have it.
    func place(_ slot: Slot) -> Int { slots.firstIndex(of: slot.rawValue) ?? -1 }

    /// Returns whether the points have a slot.
    func contains(_ slot: Slot) -> Bool { slots.contains(slot.rawValue) }
}
