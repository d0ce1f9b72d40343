import Pipeline
import Stages

/// What of an object may be points: their columns, or points by their names.
struct ObjectShapes {
    /// The numbers of each column, by ``PointFields/Slot``.
    var columns = [[Double]?](repeating: nil, count: PointFields.Slot.allCases.count)
    /// Points with the places that their names stand for.
    var named: [(place: Int, point: MessagePoint)] = []
    var known: PointKnowledge = []
    var isOfObjects = false
    /// Whether names are numbers.
    var isNumbered = false
}

/// The names of points in messages, with the places that they stand for: a sender has the same in every message.
struct PointNames: Sendable {
    private var names: [(key: [UInt8], place: Int, isNumber: Bool)] = []
    private var next = 0

    /// Begins with an object.
    mutating func begin() { next = 0 }

    /// The place of a name; `nil` for one that no point has.
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
