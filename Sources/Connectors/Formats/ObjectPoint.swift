import Pipeline

/// A point in object form, such as `{"x": 1, "y": 2}`, while it is being read.
struct ObjectPoint {
    private(set) var point = MessagePoint()
    private(set) var known: PointKnowledge = []
    private var (hasX, hasY) = (false, false)

    /// Whether at least one of its numbers has been read.
    var isBegun: Bool { hasX || hasY || !known.isEmpty }

    /// Whether the point has both x and y.
    var isWhole: Bool { hasX && hasY }

    /// Stores a number of the point.
    mutating func take(_ number: Double, _ slot: PointFields.Slot) {
        switch slot {
        case .x: (point.x, hasX) = (number, true)
        case .y: (point.y, hasY) = (number, true)
        case .z: (point.z, known) = (number, known.union(.z))
        case .t: (point.t, known) = (number, known.union(.t))
        case .p: (point.p, known) = (number, known.union(.p))
        case .c: (point.c, known) = (number, known.union(.c))
        }
    }

    /// Returns the meaning of a key, under the names that senders use. Returns `nil` if the key is not needed.
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
