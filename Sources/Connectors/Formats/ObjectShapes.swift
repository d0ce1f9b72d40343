import Pipeline
import Stages

/// The fields of an object that contain points: columns of numbers, or points by name.
struct ObjectShapes {
    /// The numbers of each column, indexed by ``PointFields/Slot``.
    var columns = [[Double]?](repeating: nil, count: PointFields.Slot.allCases.count)
    /// The points by name, each with the index that its name stands for.
    var named: [(place: Int, point: ObjectPoint)] = []
    /// Whether the names are numbers.
    var isNumbered = false
}

/// The names of points in messages, with the indices that they stand for. They are cached because a sender uses the same names in
/// every message.
struct PointNames: Sendable {
    private var names: [(key: [UInt8], place: Int, isNumber: Bool)] = []
    private var next = 0

    /// Starts with a new object.
    mutating func begin() { next = 0 }

    /// Returns the index that a name stands for. Returns `nil` if no point has the name.
    mutating func place(of key: UnsafeRawBufferPointer, _ topology: Topology?) -> (place: Int, isNumber: Bool)? {
        if next < names.count, names[next].key.withUnsafeBytes({ $0.isSame(as: key) }) {
            next += 1
            return (names[next - 1].place, names[next - 1].isNumber)
        }
        let name = String(decoding: key, as: UTF8.self)
        let number = Int(name).flatMap { (0..<100_000).contains($0) ? $0 : nil }
        guard let place = number ?? topology?.place(of: name) else { return nil }
        names.removeSubrange(min(next, names.count)...)
        if names.count < 1000 {
            names.append((Array(key), place, number != nil))
            next += 1
        }
        return (place, number != nil)
    }
}

/// The keys of an object. If its fields are rows of numbers, the next object with the same keys can be read as a table, in one pass.
struct RowNames: Sendable {
    /// The meaning of the rows of an object.
    enum Meaning: Sendable {
        /// Each row is a point. The points are in order.
        case points
        /// Each row has the numbers of one slot for all points.
        case columns
    }

    /// The keys, each preceded by a byte with its length.
    private(set) var names: [UInt8] = []
    /// The number of keys.
    private(set) var count = 0
    /// The meaning of the rows; `nil` if the next object must be read key by key.
    var meaning: Meaning?

    /// The slots that the keys stand for; `nil` if a key does not stand for a slot.
    var slots: [PointFields.Slot]? { knownSlots.count == count ? knownSlots : nil }
    private var knownSlots: [PointFields.Slot] = []

    /// The keys as texts.
    var texts: [String] {
        var (texts, rest) = ([String](), names[...])
        while let length = rest.popFirst() {
            texts.append(String(decoding: rest.prefix(Int(length)), as: UTF8.self))
            rest = rest.dropFirst(Int(length))
        }
        return texts
    }

    /// Starts with a new object.
    mutating func begin() {
        names.removeAll(keepingCapacity: true)
        knownSlots.removeAll(keepingCapacity: true)
        (count, meaning) = (0, nil)
    }

    /// Adds a key. A key with a control character, a quote or a backslash is stored as an empty key, because a document contains
    /// it in escaped form, with other bytes. The next object with this key is then read key by key.
    mutating func add(_ key: UnsafeRawBufferPointer) {
        count += 1
        guard key.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else { return names.append(0) }
        if let slot = ObjectPoint.slot(key) { knownSlots.append(slot) }
        names.append(UInt8(clamping: key.count))
        names.append(contentsOf: key.prefix(255))
    }
}
