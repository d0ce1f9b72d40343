/// Turns frames into frames by waiting for something outside: another program, a network, a device.
///
/// Unlike a ``Stage``, it is one for all streams, and its calls may be under way at the same time: for every stream up to
/// ``inFlight``. What it makes goes on in the order of the frames it was made of. An edge stands on either side of it, and
/// the time of a stream passes it when its oldest open call has ended.
///
/// ```swift
/// struct Lookup: AsyncStage {
///     func process(_ frame: Frame<Stroke>) async throws -> [Recognition] { try await service.ask(frame.payload) }
/// }
/// ```
public protocol AsyncStage<Input, Output>: Sendable {
    /// What it takes.
    associatedtype Input: Payload

    /// What it makes.
    associatedtype Output: Payload

    /// How many frames of one stream may be worked on at the same time.
    var inFlight: Int { get }

    /// The type of what it makes out of `input`; by default the kind of `Output`, with the attributes of the input
    /// kept when the kind is kept.
    func output(for input: PortType) -> PortType

    /// Opens what it talks to. Throws an environment error when that is not there. Called once, before any frame.
    mutating func open(_ context: AsyncStageContext) async throws

    /// Works on a frame: none, one or many payloads come of it, each stamped as the frame is.
    ///
    /// - Throws: ``Refusal`` to count the frame as dropped, under its reason; any other error to count it as failed. When
    ///   the task was canceled it should end soon, how does not matter.
    func process(_ frame: Frame<Input>) async throws -> [Output]

    /// Closes what was opened. Called once, also after an error; calls that were canceled may still be under way.
    mutating func close() async
}

/// What the engine offers an asynchronous stage.
public typealias AsyncStageContext = SinkContext

extension AsyncStage {
    /// One: a frame waits until the one before it has been worked on.
    public var inFlight: Int { 1 }

    /// Does nothing.
    public mutating func open(_ context: AsyncStageContext) async throws {}

    /// Does nothing.
    public mutating func close() async {}

    public func output(for input: PortType) -> PortType {
        PortType(Output.self, attributes: input.kind == Output.kind ? input.attributes : [:])
    }
}
