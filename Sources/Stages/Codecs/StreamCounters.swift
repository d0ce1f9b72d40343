import Pipeline

/// Numbers frames per stream, for senders that do not.
package struct StreamCounters: Sendable {
    private var counts: [StreamID: Int64] = [:]
    private var last: (stream: StreamID, next: Int64)?

    /// Starts all streams at 0.
    package init() {}

    /// The number of the next frame of a stream. O(1), without a look-up for runs of the same stream.
    package mutating func next(of stream: StreamID) -> Int64 {
        if let (name, next) = last, name == stream {
            last = (stream, next + 1)
            return next
        }
        if let (name, next) = last { counts[name] = next }
        let next = counts[stream] ?? 0
        last = (stream, next + 1)
        return next
    }

    /// Starts a stream at 0 again.
    package mutating func forget(_ stream: StreamID) {
        counts[stream] = nil
        if last?.stream == stream { last = nil }
    }
}
