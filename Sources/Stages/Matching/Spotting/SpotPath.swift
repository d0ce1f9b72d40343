/// The last steps of a movement: a ring of the positions at which a pointer had moved far enough. They are numbered from 0.
struct SpotPath: Sendable {
    /// How many positions are kept; a gesture cannot have more.
    static let capacity = 1024

    private var points: [SpotPoint] = []
    /// How many positions there have been.
    private(set) var count = 0

    /// The last position.
    var last: SpotPoint? { count > 0 ? self[count - 1] : nil }

    /// Whether a position is still there.
    func holds(_ number: Int) -> Bool { number >= max(0, count - Self.capacity) && number < count }

    /// A position that is still there.
    subscript(number: Int) -> SpotPoint { points[number % Self.capacity] }

    /// Adds a position.
    mutating func append(_ point: SpotPoint) {
        if points.count < Self.capacity {
            points.append(point)
        } else {
            points[count % Self.capacity] = point
        }
        count += 1
    }

    /// Copies the coordinates of positions, x and y in turn, in place of what is there.
    func copy(_ range: ClosedRange<Int>, to coordinates: inout [Double]) {
        coordinates.removeAll(keepingCapacity: true)
        for number in range {
            coordinates.append(self[number].x)
            coordinates.append(self[number].y)
        }
    }

    /// Forgets all positions.
    mutating func reset() {
        points.removeAll(keepingCapacity: true)
        count = 0
    }
}
