/// How far each stream has come at an input whose frames may go back in time: where several streams have become one, and
/// where a live run merges edges. Frames that go back are late.
struct StreamTimes {
    private struct Stream {
        var last: Timestamp
        /// How many frames went missing since the last that was not late.
        var missing: Int32 = 0
    }

    private var streams: [StreamID: Stream] = [:]

    /// Whether its stream has gone on beyond a frame. One that is not late says how many late ones are missing before it.
    mutating func isLate(_ frame: inout FrameHeader) -> Bool {
        var stream = streams[frame.stream] ?? Stream(last: frame.timestamp)
        defer { streams[frame.stream] = stream }
        guard frame.timestamp >= stream.last else {
            stream.missing &+= 1 &+ frame.gap
            return true
        }
        frame.gap &+= stream.missing
        stream = Stream(last: frame.timestamp)
        return false
    }

    /// A stream has ended: its time begins anew.
    mutating func end(_ stream: StreamID) { streams[stream] = nil }
}
