/// The last steps of a movement: a ring buffer of positions, each at least one step from the previous one. Positions are numbered
/// from 0.
struct SpotPath: Sendable {
    /// The number of positions that are kept. A gesture cannot have more.
    static let capacity = 1024

    private var points: [SpotPoint] = []
    /// The number of positions so far.
    private(set) var count = 0

    /// The last position.
    var last: SpotPoint? { count > 0 ? self[count - 1] : nil }

    /// Returns whether a position is still in the buffer.
    func holds(_ number: Int) -> Bool { number >= max(0, count - Self.capacity) && number < count }

    /// The position with a number. It must still be in the buffer.
    subscript(number: Int) -> SpotPoint { points[number % Self.capacity] }

    /// Appends a position.
    mutating func append(_ point: SpotPoint) {
        if points.count < Self.capacity {
            points.append(point)
        } else {
            points[count % Self.capacity] = point
        }
        count += 1
    }

    /// Copies the coordinates of positions, alternating x and y, and replaces the contents of the array.
    func copy(_ range: ClosedRange<Int>, to coordinates: inout [Double]) {
        coordinates.removeAll(keepingCapacity: true)
        for number in range {
            coordinates.append(self[number].x)
            coordinates.append(self[number].y)
        }
    }

    /// Removes all positions.
    mutating func reset() {
        points.removeAll(keepingCapacity: true)
        count = 0
    }
}
