/// A stage that waits for something outside the run to process a frame: another program, a network, a device.
///
/// Unlike a ``Stage``, an asynchronous stage has one instance for all streams. Its calls may overlap: up to ``inFlight`` calls for
/// each stream. The output of each stream has the order of the stream's input frames; in a batch run, the output of all streams
/// together has the order of all input frames. A queue precedes and follows the stage. After the stage, the watermark of a stream
/// stays before the frame of the stream's oldest open call.
///
/// ```swift
/// struct Lookup: AsyncStage {
///     func process(_ frame: Frame<Stroke>) async throws -> [Recognition] { try await service.ask(frame.payload) }
/// }
/// ```
public protocol AsyncStage<Input, Output>: Sendable {
    /// The payload type of the input frames.
    associatedtype Input: Payload

    /// The payload type of the output.
    associatedtype Output: Payload

    /// The maximum number of frames of one stream that may be processed at the same time.
    var inFlight: Int { get }

    /// Returns the port type of the output for the given input. By default, it has the kind of `Output`, and the attributes of the
    /// input if the input has the same kind.
    func output(for input: PortType) -> PortType

    /// Opens the external resource. Throws an environment error if the resource is not available. Called once, before any frame.
    mutating func open(_ context: AsyncStageContext) async throws

    /// Processes a frame and returns any number of payloads. Each payload gets the timestamp of the frame.
    ///
    /// - Throws: ``Refusal`` to count the frame as dropped under the refusal's reason; any other error to count it as failed. If
    ///   the task was canceled, the call should end soon; its outcome does not matter.
    func process(_ frame: Frame<Input>) async throws -> [Output]

    /// Closes what ``open(_:)`` opened. Called once, also after an error. Canceled calls may still be running.
    mutating func close() async
}

/// The services that the engine provides to an asynchronous stage.
public typealias AsyncStageContext = SinkContext

extension AsyncStage {
    /// 1: a frame waits until the previous frame of its stream has been processed.
    public var inFlight: Int { 1 }

    /// Does nothing.
    public mutating func open(_ context: AsyncStageContext) async throws {}

    /// Does nothing.
    public mutating func close() async {}

    public func output(for input: PortType) -> PortType {
        PortType(Output.self, attributes: input.kind == Output.kind ? input.attributes : [:])
    }
}
