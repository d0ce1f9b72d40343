/// The time that each stream has reached at an input where frames may be out of order: after a stage that gives several streams
/// one name, or at a merge of several edges. Out-of-order frames are late.
struct StreamTimes {
    private struct Stream {
        var last: Timestamp
        /// The number of frames missing since the last frame that was not late.
        var missing: Int32 = 0
    }

    private var streams: RecentStreams<Stream>

    /// - Parameter maxStreams: If there are more streams, the least recently used one is forgotten. Without this limit, the number
    ///   would grow, because streams need not end.
    init(maxStreams: Int) { streams = RecentStreams(capacity: maxStreams) }

    /// Records a frame. Returns whether it is late: earlier than a previous frame of its stream. If it is not late, its gap grows
    /// by the number of late frames right before it, and by their gaps.
    mutating func noteFrame(_ frame: inout FrameHeader) -> Bool {
        let isLate = streams.change(frame.stream) { stream in
            guard frame.timestamp >= stream.last else {
                stream.missing.addSaturated(frame.gap.addingSaturated(1))
                return true
            }
            frame.gap.addSaturated(stream.missing)
            stream = Stream(last: frame.timestamp)
            return false
        }
        if isLate == nil { streams.update(frame.stream, Stream(last: frame.timestamp)) }
        return isLate ?? false
    }

    /// Removes a stream that has ended, so that its time may restart.
    mutating func end(_ stream: StreamID) { streams.remove(stream) }
}
