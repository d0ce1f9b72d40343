import Pipeline
import Stages

/// The parts of an object that may be points: columns of numbers, or points by name.
struct ObjectShapes {
    /// The numbers of each column, indexed by ``PointFields/Slot``.
    var columns = [[Double]?](repeating: nil, count: PointFields.Slot.allCases.count)
    /// The named points, with the indices that their names stand for.
    var named: [(place: Int, point: MessagePoint)] = []
    var known: PointKnowledge = []
    var isOfObjects = false
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
