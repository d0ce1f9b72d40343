/// The frames of one source that a pipeline still holds at a commit point: in stages, for example the points of a stroke that is
/// being drawn, and in joins, where they wait for other frames.
public struct HeldStreams: Sendable {
    private let times: [StreamID: Timestamp]
    private let outputs: [StreamID: [OutputKey: OutputNumber]]

    /// - Parameters:
    ///   - times: For each stream with held frames, the timestamp of the first held frame.
    ///   - outputs: For each of these streams, what sinks have already written of the held frames.
    package init(_ times: [StreamID: Timestamp] = [:], written outputs: [StreamID: [OutputKey: OutputNumber]] = [:]) {
        (self.times, self.outputs) = (times, outputs)
    }

    /// Returns the timestamp of the first held frame of a stream; `nil` if none is held.
    public func since(_ stream: StreamID) -> Timestamp? { times[stream] }

    /// Returns the last output that sinks with numbers have made from the held frames of a stream, and already written. A source
    /// stores it with its position, so that it is not written again when the frames are read again; see
    /// ``SourceContext/noteWritten(_:of:)``.
    public func written(of stream: StreamID) -> [OutputKey: OutputNumber] { outputs[stream] ?? [:] }

    /// Whether nothing is held.
    public var isEmpty: Bool { times.isEmpty }
}
