/// A component that takes frames out of a pipeline.
public protocol Sink<Input>: Receiver, Sendable where Received == Input {
    /// The payload type of the input frames.
    associatedtype Input: Payload

    /// Whether calls may block their thread, for example to write to a file or a pipe. Such a sink has a queue before it and its
    /// own thread, on which every call is made. A sink that never blocks is called directly by the previous stage.
    var mayBlock: Bool { get }

    /// Opens the output. Throws an environment error if that is not possible.
    mutating func open(_ context: SinkContext) async throws

    /// The number of received frames that the sink still holds in a buffer. These frames do not count as written.
    var unwritten: Int { get }

    /// Receives a frame. A call that throws has not taken the frame.
    ///
    /// A frame error affects only this frame. An environment error, such as a full disk, means that nothing can be written: the
    /// ``unwritten`` frames count as failed, and ``discard()`` is called. With `on_error: skip`, the run continues, and the sink
    /// receives frames again after a pause.
    ///
    /// - Throws: ``Refusal`` to count the frame as dropped instead of failed.
    mutating func write(_ frame: Frame<Input>) throws

    /// Makes buffered output visible. Called when a batch is done and no more frames are waiting. Throws like ``write(_:)``.
    mutating func flush() throws

    /// Writes everything that the sink holds. Called at each commit point: frames that are committed are not read again after a
    /// crash. Calls ``flush()`` by default. Throws like ``write(_:)``.
    mutating func drain() throws

    /// Discards the ``unwritten`` frames. They were already counted as failed or dropped.
    mutating func discard()

    /// Informs the sink that a stream has ended.
    mutating func end(_ stream: StreamID) throws

    /// Informs the sink that a stream has ended, and whether it goes on. Calls ``end(_:)`` by default; the engine calls only this
    /// function.
    mutating func end(_ stream: StreamID, _ end: StreamEnd) throws

    /// Informs the sink that another process continues with a stream. The stream has not ended, but no more of its frames follow
    /// here.
    mutating func release(_ stream: StreamID)

    /// Writes the remaining frames and closes the output. Called once, also after an error. If it throws, the ``unwritten`` frames
    /// count as failed, as after ``write(_:)``.
    mutating func close() async throws
}

extension Sink {
    public var mayBlock: Bool { true }

    /// None: every received frame is written.
    public var unwritten: Int { 0 }

    /// Does nothing.
    public mutating func discard() {}

    /// Does nothing.
    public mutating func open(_ context: SinkContext) async throws {}

    /// Does nothing.
    public mutating func flush() throws {}

    public mutating func drain() throws { try flush() }

    /// Does nothing.
    public mutating func end(_ stream: StreamID) throws {}

    public mutating func end(_ stream: StreamID, _ end: StreamEnd) throws { try self.end(stream) }

    /// Does nothing.
    public mutating func release(_ stream: StreamID) {}

    /// Does nothing.
    public mutating func close() async throws {}
}

/// An error that a sink or an asynchronous stage throws to drop a frame, with the reason under which the drop is counted.
public struct Refusal: Error, Sendable {
    /// The reason for the drop.
    public let reason: DropReason

    /// Creates a refusal.
    public init(_ reason: DropReason) { self.reason = reason }
}

/// An error that a sink throws if the reader of its output is gone, as with a closed pipe. The run then stops in an orderly way;
/// this is not a failure.
public struct ReaderGone: Error, Sendable {
    /// Creates the error.
    public init() {}
}

/// An error that a sink throws from ``Sink/flush()``, ``Sink/drain()`` or ``Sink/close()`` if it cannot write some of the frames
/// that it has taken, and can write others. The frames count as failed, and must no longer be ``Sink/unwritten``.
package struct FailedAfterwards: Error, Sendable {
    /// The number of frames.
    package let count: Int64
    /// A frame error: why the frames cannot be written.
    package let error: PipelineError

    /// Creates the error.
    package init(count: Int64, _ error: PipelineError) { (self.count, self.error) = (count, error) }
}

/// The services that the engine provides to a sink.
public struct SinkContext: Sendable {
    /// The sink's `id`.
    public let id: String

    /// The clock to wait on.
    public let clock: any RunClock

    /// Requested when the run stops. Sources then emit nothing new, but frames in flight must still be written.
    public let stop: StopSignal

    /// Requested when the time for the shutdown is over, so that all waiting must end.
    public let cancel: StopSignal

    /// The log for messages to the user.
    public let log: Log

    /// The counts that the report shows in addition to the frames.
    public let counts: Counts

    /// The maximum number of streams to keep state for. If there are more, the least recently seen stream is evicted first.
    public let maxStreams: Int

    /// The `id`s of the sources upstream of the sink.
    package var sources: [String] = []

    /// The commit points of the run; `nil` outside a run.
    var commits: CommitPoints?

    /// Whether the run ends early because it has failed or was canceled. Open streams may then continue in the next run.
    public var isCutShort: Bool { checkCutShort() }

    /// The function behind ``isCutShort``, set by the engine.
    var checkCutShort: @Sendable () -> Bool = { false }

    /// Lets the sink take part in the run's commit points.
    ///
    /// `commit` is called at each commit point, and after the run has ended well and the sink was closed. It receives the
    /// positions of the sources. It commits the output together with all positions that it can, as one transaction, and returns
    /// the other positions.
    public func commits(_ commit: @escaping @Sendable ([any CommitPosition]) throws -> [any CommitPosition]) {
        commits?.addSink(commit)
    }

    /// Returns numbers for the frames that the sink writes. When a source reads its input again, the sink recognizes by these
    /// numbers which frames it has already written. Call this once, in ``Sink/open(_:)``.
    public func numbers() -> OutputNumbers {
        commits?.addNumbers(id, maxStreams: maxStreams) ?? OutputNumbers(id, maxStreams: maxStreams, WrittenOutputs())
    }

    /// Returns an object that several sinks of the run share under a key, such as a connection with one transaction for all of
    /// them. The first sink that asks for the object creates it with `make`.
    public func shared<Object: Sendable>(_ key: String, _ make: () throws -> Object) rethrows -> Object {
        try commits?.shared(key, make) ?? make()
    }

    /// The facts about the origin of the output: the program, its version, and the configuration.
    package var provenance: [Provenance] = []

    /// Creates a context.
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
