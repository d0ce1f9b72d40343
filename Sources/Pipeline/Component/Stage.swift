/// A component that turns frames into frames.
///
/// A stage is a value: its stored properties are the state of **one stream** (keyed state). The engine keeps one instance per
/// stream, so a stage does not need to tell streams apart. Immutable data, such as a gesture library, is shared by reference. A
/// stage without state can declare this, so that all streams share one instance; see ``isStateless``.
///
/// ```swift
/// struct Double: Stage {
///     mutating func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {
///         emitter.emit(Number(number.value * 2))
///     }
/// }
/// ```
///
/// A stage that throws must leave its state as if the frame had not arrived, or reset it. A stage must never trap, block, or wait.
public protocol Stage<Input, Output>: Receiver, Sendable where Received == Input {
    /// The payload type of the input frames.
    associatedtype Input: Payload

    /// The payload type of the output frames.
    associatedtype Output: Payload

    /// Processes a frame and emits any number of frames.
    ///
    /// - Parameters:
    ///   - payload: The value, which is lent for the time of the call. A stage that passes it on unchanged declares the parameter
    ///     `borrowing`, so that it is not copied.
    ///   - header: The other fields of the frame.
    ///   - emitter: Emits and drops frames.
    mutating func process(
        _ payload: borrowing Input, _ header: borrowing Header, into emitter: borrowing Emitter<Output>) throws

    /// Called when the stream's time passes the time requested with ``Emitter/wake(at:)``.
    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Output>) throws

    /// Emits the remaining output. Called once, when the stream has ended.
    mutating func finish(into emitter: borrowing Emitter<Output>) throws

    /// The timestamp of the first frame that the stage holds: a frame whose content it still has to emit, for example the first
    /// point of a stroke that is being drawn. `nil`, the default, if it holds no frame.
    ///
    /// A source that can read its input again commits no position after this frame. If the process ends, another process reads the
    /// input from this frame on, and a new instance of the stage must then emit what this instance would have emitted. A stage
    /// that only remembers earlier frames, such as a filter, holds nothing.
    var heldSince: Timestamp? { get }

    /// Whether the stage handles every frame independently of all others, requests no wake-ups, and emits nothing at the end of a
    /// stream. `false` by default; for a `ConfigurableStage`, what its manifest declares (`isPure`).
    ///
    /// All streams of a segment then share one instance, which saves memory if there are many streams. A stateless stage may have
    /// stored properties for memory that it reuses.
    var isStateless: Bool { get }

    /// Returns the port type of the output for the given input. By default, it has the kind of `Output`, and the attributes of the
    /// input if the input has the same kind.
    func output(for input: PortType) -> PortType

    /// Whether the stage may emit frames for other streams. If so, a queue follows the stage, so that downstream stages keep their
    /// state under the new names.
    var renamesStreams: Bool { get }

    /// The maximum number of microseconds by which the timestamp of an emitted frame may be earlier than that of the input frame;
    /// 0 by default. Downstream stages wait that much longer for the output, so a queue follows the stage.
    var stampsEarlierByUs: Int64 { get }

    /// Wakes the stage of a node. Only the engine uses this; stages do not implement it.
    static func _wake(_ node: UnsafeMutableRawPointer, at time: Timestamp) throws

    /// Finishes the stage of a node. Only the engine uses this; stages do not implement it.
    static func _finish(_ node: UnsafeMutableRawPointer) throws
}

extension Stage {
    /// Does nothing.
    public mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Output>) throws {}

    /// Does nothing.
    public mutating func finish(into emitter: borrowing Emitter<Output>) throws {}

    public var heldSince: Timestamp? { nil }

    public var isStateless: Bool { false }

    public var renamesStreams: Bool { false }

    public var stampsEarlierByUs: Int64 { 0 }

    public func output(for input: PortType) -> PortType {
        PortType(Output.self, attributes: input.kind == Output.kind ? input.attributes : [:])
    }
}
