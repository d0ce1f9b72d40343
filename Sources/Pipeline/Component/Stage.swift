/// Turns frames into frames.
///
/// A stage is a value: its stored properties are the state of **one stream**. The runtime keeps one copy per stream, so
/// a stage never handles stream identities. What does not change (a gesture library) is shared by reference.
///
/// ```swift
/// struct Double: Stage {
///     mutating func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {
///         emitter.emit(Number(number.value * 2))
///     }
/// }
/// ```
///
/// A stage that throws leaves its state as if the frame had not come, or resets. It must never trap, block or wait.
public protocol Stage<Input, Output>: Receiver, Sendable where Received == Input {
    /// What it takes.
    associatedtype Input: Payload

    /// What it makes.
    associatedtype Output: Payload

    /// Takes a frame; emits none, one or many.
    ///
    /// - Parameters:
    ///   - payload: The value, which is the stage's own. A stage that changes it or passes it on says `consuming`; then it is moved,
    ///     and memory that nobody else uses is changed in place.
    ///   - header: The rest of the frame.
    ///   - emitter: Where frames are emitted and dropped.
    mutating func process(
        _ payload: consuming Input, _ header: borrowing Header, into emitter: borrowing Emitter<Output>) throws

    /// Called when the stream's time passes a time asked for with ``Emitter/wake(at:)``.
    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Output>) throws

    /// Called once, when the stream has ended: emits what is held back.
    mutating func finish(into emitter: borrowing Emitter<Output>) throws

    /// The type of what it makes out of `input`; by default the kind of `Output`, with the attributes of the input
    /// kept when the kind is kept.
    func output(for input: PortType) -> PortType

    /// Whether it may forward frames under another stream's name. An edge then stands behind it, so that what follows
    /// keeps its state by the new names.
    var renamesStreams: Bool { get }

    /// By how many microseconds a frame that it emits may be stamped earlier than the frame it processes; 0 unless it says more.
    /// Downstream stages wait that much longer for its output, so an edge follows it.
    var stampsEarlierByUs: Int64 { get }

    /// Wakes the stage of a node. The engine's: no stage declares it.
    static func _wake(_ node: UnsafeMutableRawPointer, at time: Timestamp) throws

    /// Finishes the stage of a node. The engine's: no stage declares it.
    static func _finish(_ node: UnsafeMutableRawPointer) throws
}

extension Stage {
    /// Does nothing.
    public mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Output>) throws {}

    /// Does nothing.
    public mutating func finish(into emitter: borrowing Emitter<Output>) throws {}

    public var renamesStreams: Bool { false }

    public var stampsEarlierByUs: Int64 { 0 }

    public func output(for input: PortType) -> PortType {
        PortType(Output.self, attributes: input.kind == Output.kind ? input.attributes : [:])
    }
}
