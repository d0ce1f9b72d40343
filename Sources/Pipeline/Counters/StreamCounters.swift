/// Numbers the frames of each stream, for senders that do not number them. If there are too many streams, the least recently seen
/// stream is evicted. If that stream returns, it starts again at 0.
package struct StreamCounters: Sendable {
    private var counts = RecentStreams<Int64>()

    /// The placeholder for the sequence number of a frame that has not been numbered yet.
    package static let none: Int64 = -1

    /// Creates counters that are 0 for all streams.
    package init() {}

    /// Returns the sequence number of the next frame of a stream.
    ///
    /// - Complexity: O(1). Consecutive frames of the same stream need no lookup.
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

    /// Resets the counter of a stream to 0.
    package mutating func forget(_ stream: StreamID) { counts.remove(stream) }
}
