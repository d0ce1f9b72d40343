/// The frames of one source that a pipeline still holds at a commit point: in stages, for example the points of a stroke that is
/// being drawn, and in joins, where they wait for other frames.
public struct HeldStreams: Sendable {
    private let times: [StreamID: Timestamp]

    /// - Parameter times: For each stream with held frames, the timestamp of the first held frame.
    package init(_ times: [StreamID: Timestamp] = [:]) { self.times = times }

    /// Returns the timestamp of the first held frame of a stream; `nil` if none is held.
    public func since(_ stream: StreamID) -> Timestamp? { times[stream] }

    /// Whether nothing is held.
    public var isEmpty: Bool { times.isEmpty }
}
