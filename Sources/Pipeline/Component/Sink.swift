/// Takes frames out of a pipeline.
public protocol Sink<Input>: Receiver, Sendable where Received == Input {
    /// What it takes.
    associatedtype Input: Payload

    /// Whether calls may block their thread (write to a file or a pipe). Such a sink gets a thread of its own, behind an
    /// edge, and every call is made on it. One that never blocks is called directly by the stage before it.
    var mayBlock: Bool { get }

    /// Opens what it writes to. Throws an environment error when that cannot be.
    mutating func open(_ context: SinkContext) async throws

    /// How many of the frames it has taken are not written yet: those that it holds in a buffer. A frame counts as written
    /// only when this no longer counts it.
    var unwritten: Int { get }

    /// Takes a frame. Throws ``Refusal`` to count the frame as dropped instead of failed. A write that throws has not taken
    /// the frame.
    ///
    /// A frame error concerns this frame alone. An environment error (a full disk) says that nothing can be written: what
    /// is ``unwritten`` then counts as failed, and ``discard()`` is called. With `on_error: skip` the run goes on, and the sink
    /// is given a frame again after a pause.
    mutating func write(_ frame: Frame<Input>) throws

    /// Called when a batch is done and nothing more is waiting: what was buffered should now be visible. Throws as
    /// ``write(_:)`` does.
    mutating func flush() throws

    /// Forgets the frames that are not written: they have been counted as failed, or as dropped.
    mutating func discard()

    /// A stream has ended.
    mutating func end(_ stream: StreamID) throws

    /// Writes what is left and closes. Called once, also after an error.
    mutating func close() async throws
}

extension Sink {
    public var mayBlock: Bool { true }

    /// None: what it takes is written.
    public var unwritten: Int { 0 }

    /// Does nothing.
    public mutating func discard() {}

    /// Does nothing.
    public mutating func open(_ context: SinkContext) async throws {}

    /// Does nothing.
    public mutating func flush() throws {}

    /// Does nothing.
    public mutating func end(_ stream: StreamID) throws {}

    /// Does nothing.
    public mutating func close() async throws {}
}

/// Thrown by a sink that lets a frame go, with the reason under which it is counted.
public struct Refusal: Error, Sendable {
    /// The reason.
    public let reason: DropReason

    /// Names the reason.
    public init(_ reason: DropReason) { self.reason = reason }
}

/// Thrown by a sink whose reader is gone (a closed pipe): the run stops in good order, which is no error.
public struct ReaderGone: Error, Sendable {
    /// Says so.
    public init() {}
}

/// What the engine offers a sink.
public struct SinkContext: Sendable {
    /// The sink's `id`.
    public let id: String

    /// The clock to wait on.
    public let clock: any RunClock

    /// Becomes requested when the run stops: sources bring nothing new, and what is under way is still to be written.
    public let stop: StopSignal

    /// Becomes requested when waiting must end: the time to shut down is over.
    public let cancel: StopSignal

    /// Where to tell a person what happened.
    public let log: Log

    /// Where to count what stands in the report beside the frames.
    public let counts: Counts

    /// Of how many streams to keep anything; of more, the least recently seen is forgotten first.
    public let maxStreams: Int

    /// The sources that its frames come from.
    package var sources: [String] = []

    /// What made what it writes: the program and its version, the configuration.
    package var provenance: [Provenance] = []

    /// Makes a context.
    public init(
        id: String, clock: any RunClock, stop: StopSignal = StopSignal(), cancel: StopSignal, log: Log,
        counts: Counts = Counts(), maxStreams: Int = 10_000
    ) {
        self.maxStreams = maxStreams
        self.counts = counts
        self.id = id
        self.clock = clock
        self.stop = stop
        self.cancel = cancel
        self.log = log
    }
}
