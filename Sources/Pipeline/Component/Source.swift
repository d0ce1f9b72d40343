/// Brings frames into a pipeline.
///
/// The engine asks for frames a batch at a time, so that a fast source costs one asynchronous call for many frames. Any
/// `AsyncSequence` of frames is a source by way of ``SequenceSource``.
public protocol Source<Output>: Sendable {
    /// What it brings.
    associatedtype Output: Payload

    /// The type of what it brings, with what is known of it before anything is read.
    var output: PortType { get }

    /// Whether timestamps come from a recording or from now; decides what a mode makes of it.
    var timing: SourceTiming { get }

    /// Whether calls may block their thread (read a file, poll a socket). Such a source gets a thread of its own, and
    /// every call is made on it.
    var mayBlock: Bool { get }

    /// Opens what it reads from. Throws an environment error when that is not there. Called once, before any source,
    /// stage or sink has begun to work.
    mutating func open(_ context: SourceContext) async throws

    /// Adds what has come to `batch`, at least one item unless the source has ended, until `batch.isFull`.
    ///
    /// A source that brings few frames a call declares it `nonisolated(nonsending)` as here, and is spared a change of
    /// executor at every call.
    ///
    /// - Returns: false when nothing will come any more.
    /// - Throws: An error that ends the source. What concerns one frame is not thrown but given to
    ///   ``SourceBatch/fail(_:stream:)``.
    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool

    /// Closes what was opened. Called once, also after an error.
    mutating func close() async
}

extension Source {
    public var output: PortType { PortType(Output.self) }
    public var timing: SourceTiming { .recorded }
    public var mayBlock: Bool { false }

    /// Does nothing.
    public mutating func open(_ context: SourceContext) async throws {}

    /// Does nothing.
    public mutating func close() async {}
}

/// Where a source's timestamps come from.
public enum SourceTiming: Sendable {
    /// From a recording: they can be read as fast as they can be processed, and waiting loses nothing.
    case recorded

    /// From now: what is not read may be lost.
    case live
}

/// What the engine offers a source.
public struct SourceContext: Sendable {
    /// The source's `id`.
    public let id: String

    /// The clock to wait on. Waiting for anything else than input goes through it.
    public let clock: any RunClock

    /// Becomes requested when the run stops; a source that waits for the outside must stop waiting then.
    public let stop: StopSignal

    /// Where to tell how far a long reading has come.
    public let progress: Progress

    /// Where to tell a person what happened.
    public let log: Log

    /// Where to count what stands in the report beside the frames.
    public let counts: Counts

    /// Of how many streams to keep anything; of more, the least recently seen is forgotten first.
    public let maxStreams: Int

    /// How many threads may read at the same time what can be read in pieces. What the source brings does not depend on it.
    public let workers: Int

    /// Makes a context.
    public init(
        id: String, clock: any RunClock, stop: StopSignal, progress: Progress, log: Log, counts: Counts = Counts(),
        maxStreams: Int = 10_000, workers: Int = 1
    ) {
        self.workers = workers
        self.maxStreams = maxStreams
        self.counts = counts
        self.id = id
        self.clock = clock
        self.stop = stop
        self.progress = progress
        self.log = log
    }
}
