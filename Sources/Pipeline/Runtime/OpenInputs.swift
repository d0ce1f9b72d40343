/// The inputs of which an edge with slots has seen frames and not the end: the streams behind whose last frame its bound has
/// not come. What comes next of such a stream was made of the same input.
struct OpenInputs {
    /// The streams with the time of the last frame, in the order in which they began.
    private(set) var streams: [(stream: StreamID, time: Timestamp)] = []

    func contains(_ stream: StreamID) -> Bool { streams.contains { $0.stream == stream } }

    /// A frame has come.
    mutating func note<Element: EdgeElement>(_ frame: Element) {
        if let index = streams.firstIndex(where: { $0.stream == frame.stream }) {
            streams[index].time = max(streams[index].time, frame.timestamp)
        } else {
            streams.append((frame.stream, frame.timestamp))
        }
    }

    /// A bound has come, which may say nothing of the last frame: behind a merge, the others have not come as far.
    mutating func close(_ stream: StreamID, upTo time: Timestamp = .forever) {
        streams.removeAll { $0.stream == stream && $0.time <= time }
    }

    mutating func closeAll() { streams.removeAll(keepingCapacity: true) }
}
