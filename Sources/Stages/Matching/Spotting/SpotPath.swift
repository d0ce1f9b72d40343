import Pipeline

/// The last steps of a movement: a ring buffer of positions, each at least one step from the previous one. Positions are numbered
/// from 0.
struct SpotPath: Sendable {
    /// The number of positions that are kept. A gesture cannot have more.
    static let capacity = 1024

    private var points: [SpotPoint] = []
    /// The timestamps of the frames of the positions, in the same order.
    private var frames: [Timestamp] = []
    /// The number of positions so far.
    private(set) var count = 0

    /// The last position.
    var last: SpotPoint? { count > 0 ? self[count - 1] : nil }

    /// The timestamp of the frame of the first position that is still in the buffer.
    var firstFrame: Timestamp? { count > 0 ? frame(max(0, count - Self.capacity)) : nil }

    /// Returns whether a position is still in the buffer.
    func holds(_ number: Int) -> Bool { number >= max(0, count - Self.capacity) && number < count }

    /// The position with a number. It must still be in the buffer.
    subscript(number: Int) -> SpotPoint { points[number % Self.capacity] }

    /// Returns the timestamp of the frame of a position. The position must still be in the buffer.
    func frame(_ number: Int) -> Timestamp { frames[number % Self.capacity] }

    /// Appends a position of the frame with a timestamp.
    mutating func append(_ point: SpotPoint, of frame: Timestamp) {
        if points.count < Self.capacity {
            points.append(point)
            frames.append(frame)
        } else {
            points[count % Self.capacity] = point
            frames[count % Self.capacity] = frame
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
        frames.removeAll(keepingCapacity: true)
        count = 0
    }
}
