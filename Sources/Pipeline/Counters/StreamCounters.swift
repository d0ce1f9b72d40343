/// Numbers frames per stream, for senders that do not. Of more streams than it has room for, the least recently seen begins at 0
/// again.
package struct StreamCounters: Sendable {
    private var counts = RecentStreams<Int64>()

    /// The number of a frame that has yet to be given one.
    package static let none: Int64 = -1

    /// Starts all streams at 0.
    package init() {}

    /// The number of the next frame of a stream. O(1), without a look-up for runs of the same stream.
    package mutating func next(of stream: StreamID) -> Int64 {
        if let next = counts.change(
            stream,
            { next in
                defer { next += 1 }
                return next
            })
        {
            return next
        }
        counts.update(stream, 1)
        return 0
    }

    /// Starts a stream at 0 again.
    package mutating func forget(_ stream: StreamID) { counts.remove(stream) }
}
