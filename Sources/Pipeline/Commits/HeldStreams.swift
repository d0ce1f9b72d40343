/// The frames of one source that a pipeline still holds at a commit point: in stages, for example the points of a stroke that is
/// being drawn, and in joins, where they wait for other frames.
public struct HeldStreams: Sendable {
    private let times: [StreamID: Timestamp]
    private let outputs: [StreamID: [OutputKey: WrittenOutput]]

    /// - Parameters:
    ///   - times: For each stream with held frames, the timestamp of the first held frame.
    ///   - outputs: For each of these streams, the last output that sinks have written.
    package init(_ times: [StreamID: Timestamp] = [:], written outputs: [StreamID: [OutputKey: WrittenOutput]] = [:]) {
        (self.times, self.outputs) = (times, outputs)
    }

    /// Returns the timestamp of the first held frame of a stream; `nil` if none is held.
    public func since(_ stream: StreamID) -> Timestamp? { times[stream] }

    /// Returns the last output that sinks with numbers have written of a stream with held frames. If frames up to
    /// ``WrittenOutput/madeUntil`` are read again, the source stores the numbers with its position, so that the output is not
    /// written again; see ``SourceContext/noteWritten(_:of:)``.
    public func written(of stream: StreamID) -> [OutputKey: WrittenOutput] { outputs[stream] ?? [:] }

    /// Whether nothing is held.
    public var isEmpty: Bool { times.isEmpty }
}
