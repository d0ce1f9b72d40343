import Pipeline

/// A point that is being read, with one number per slot.
struct ObjectPoint {
    private var numbers = SIMD8<Double>.zero

    /// The slots that have been read, in order.
    private(set) var layout = PointLayout()

    /// Whether its confidence is a visibility.
    private(set) var hasVisibility = false

    /// Whether at least one of its numbers has been read.
    var isBegun: Bool { layout.width > 0 }

    /// Whether the point has both x and y.
    var isWhole: Bool { layout.contains(.x) && layout.contains(.y) }

    /// Stores a number of the point.
    mutating func take(_ number: Double, _ slot: PointFields.Slot) {
        if !layout.contains(slot) { layout.add(slot) }
        numbers[slot.rawValue] = number
    }

    /// The number of a slot; 0 if it was not read.
    subscript(slot: PointFields.Slot) -> Double { numbers[slot.rawValue] }

    /// Stores the number of a point's key.
    mutating func take(_ number: Double, _ slot: PointFields.Slot, of key: UnsafeRawBufferPointer) {
        take(number, slot)
        if Self.isVisibility(key) { hasVisibility = true }
    }

    /// Returns whether a key is that of a visibility.
    static func isVisibility(_ key: UnsafeRawBufferPointer) -> Bool { key.elementsEqual("visibility".utf8) }

    /// Returns the slot that a key stands for, among the names that senders use. Returns `nil` for any other key.
    static func slot(_ name: UnsafeRawBufferPointer) -> PointFields.Slot? {
        guard name.count == 1 else {
            for (known, slot) in names
            where name.count == known.utf8CodeUnitCount
                && name.elementsEqual(UnsafeBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount))
            {
                return slot
            }
            return nil
        }
        switch name[0] {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): return .x
        case UInt8(ascii: "y"), UInt8(ascii: "Y"): return .y
        case UInt8(ascii: "z"), UInt8(ascii: "Z"): return .z
        case UInt8(ascii: "t"), UInt8(ascii: "T"): return .t
        case UInt8(ascii: "p"): return .p
        case UInt8(ascii: "c"): return .c
        default: return nil
        }
    }

    private static let names: [(StaticString, PointFields.Slot)] = [
        ("visibility", .c), ("confidence", .c), ("conf", .c), ("score", .c), ("likelihood", .c), ("time", .t),
        ("timestamp", .t), ("pressure", .p), ("force", .p),
    ]
}
