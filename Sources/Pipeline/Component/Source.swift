/// A component that reads frames into a pipeline.
///
/// The engine requests frames in batches, so that a fast source needs only one asynchronous call for many frames.
/// ``SequenceSource`` turns any `AsyncSequence` of frames into a source.
public protocol Source<Output>: Sendable {
    /// The payload type of the frames.
    associatedtype Output: Payload

    /// The port type of the output, with the attributes that are known before anything is read.
    var output: PortType { get }

    /// Whether timestamps come from a recording or are live. The checks of a configuration (lint) and simulations treat the two
    /// cases differently.
    var timing: SourceTiming { get }

    /// Whether calls may block their thread, for example to read a file or poll a socket. Such a source gets its own thread, and
    /// every call is made on it.
    var mayBlock: Bool { get }

    /// Whether the source takes part in the commit points of a run; see ``SourceContext/commits(_:)``. The value must not change.
    ///
    /// The engine reads such a source once more after a stop, or when the source has emitted all frames that the run's
    /// ``RunOptions/limit`` allows. In this last call, the source can commit, and release the streams that another process
    /// continues with, before it returns `false`.
    var commits: Bool { get }

    /// Opens the input. Throws an environment error if the input is not available. Called once, before any source, stage, or sink
    /// has started to work.
    mutating func open(_ context: SourceContext) async throws

    /// Adds available items to `batch` until `batch.isFull`: at least one, unless the source has ended.
    ///
    /// A source that reads few frames per call should declare this method `nonisolated(nonsending)`, as this protocol does.
    /// Otherwise every call costs an executor hop.
    ///
    /// - Returns: `false` if the source will never emit anything again.
    /// - Throws: An error that ends the source. Report errors of a single frame with ``SourceBatch/fail(_:stream:)`` instead.
    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool

    /// Tells the source that the engine has taken over everything that the last call of ``read(into:)`` returned. Until then, a
    /// position of the source must not cover these items, because another source can cause a commit point at any time.
    mutating func noteTaken()

    /// Closes what ``open(_:)`` opened. Called once, also after an error.
    mutating func close() async
}

extension Source {
    public var output: PortType { PortType(Output.self) }
    public var timing: SourceTiming { .recorded }
    public var mayBlock: Bool { false }
    public var commits: Bool { false }

    /// Does nothing.
    public mutating func open(_ context: SourceContext) async throws {}

    /// Does nothing.
    public mutating func noteTaken() {}

    /// Does nothing.
    public mutating func close() async {}
}

/// The origin of a source's timestamps.
public enum SourceTiming: Sendable {
    /// The timestamps come from a recording. Frames can be read as fast as they can be processed, and waiting loses nothing.
    case recorded

    /// The timestamps are live. Frames that are not read in time may be lost.
    case live
}

/// The services that the engine provides to a source.
public struct SourceContext: Sendable {
    /// The source's `id`.
    public let id: String

    /// The clock to wait on. The source must use it for every wait except waiting for input.
    public let clock: any RunClock

    /// Requested when the run stops. A source that waits for external input must then stop waiting.
    public let stop: StopSignal

    /// The progress to update while reading a long input.
    public let progress: Progress

    /// The log for messages to the user.
    public let log: Log

    /// The counts that the report shows in addition to the frames.
    public let counts: Counts

    /// The maximum number of streams to keep state for. If there are more, the least recently seen stream is evicted first.
    public var maxStreams = 10_000

    /// The number of threads that may read pieces of the input in parallel. The output of the source must not depend on this
    /// number.
    public var workers = 1

    /// The rules for the timestamps of the source's streams.
    public internal(set) var rules = SourceRules()

    /// Whether any node receives frames of this source and of another one. There, frames of this source may wait for the other
    /// one, and are released with their streams.
    package internal(set) var meetsOtherSources = false

    /// The commit points of the run; `nil` outside a run.
    var commits: CommitPoints?

    /// Lets the source take part in the run's commit points. A source needs this if it reads a log that stores the positions of
    /// its readers, such as a Kafka topic.
    ///
    /// `position` is called at each commit point and after the run has ended well. Its calls do not overlap, but one may come
    /// while the source executes ``Source/read(into:)``, if another source causes the commit point. `position` returns the position
    /// up to which the source's frames are accounted for: each frame that the engine has taken (``Source/noteTaken()``) was
    /// processed, written, or dropped for a counted reason, except for the frames that ``HeldStreams`` names. It returns `nil` if
    /// there is nothing to commit.
    ///
    /// After a run that fails, is canceled or is ended by force, nothing is committed.
    public func commits(_ position: @escaping @Sendable (HeldStreams) throws -> (any CommitPosition)?) {
        commits?.addSource(id, position)
    }

    /// Tells the run's sinks which output they have already written of frames that the source reads again. Call this before the
    /// first of these frames is added to a batch.
    ///
    /// - Parameters:
    ///   - written: What was stored with a committed position; see ``HeldStreams/written(of:)``.
    ///   - part: The part of the input that the position belongs to, for example a partition.
    public func noteWritten(_ written: [OutputKey: OutputNumber], of part: String) {
        commits?.written.add(written, of: "\(id) \(part)")
    }

    /// Forgets what was passed to ``noteWritten(_:of:)`` for a part of the input, because another process continues with that
    /// part.
    public func forgetWritten(of part: String) { commits?.written.forget(of: "\(id) \(part)") }

    /// Ends the source's part in commit points.
    public func endCommits() { commits?.removeSource(id) }

    /// Brings the run to a commit point: holds all sources between two reads, waits until everything that they have read has been
    /// processed, and commits the positions of all sources. This usually takes milliseconds. Call it in `read(into:)`, before
    /// anything is added to the batch.
    ///
    /// - Parameters:
    ///   - streams: The streams that another process continues with. After the commit, the pipeline drops the frames that it holds
    ///     of these streams, but does not end the streams.
    ///   - onRelease: Called when the streams are released, before anything else can commit. From this call on, the source's
    ///     position must not cover these streams, because their dropped frames would count as processed.
    /// - Returns: `false` if nothing was committed or released, because the run is ending, has failed, is being reloaded, or did
    ///   not come to rest within five seconds.
    /// - Throws: The error of a source or sink that could not commit.
    public func commit(
        releasing streams: Set<StreamID> = [], onRelease: @escaping @Sendable () -> Void = {}
    ) async throws -> Bool {
        try await commits?.reach(CommitRequest(source: id, released: streams, onRelease: onRelease)) ?? false
    }

    /// Creates a context.
    public init(
        id: String, clock: any RunClock, stop: StopSignal, progress: Progress, log: Log, counts: Counts = Counts()
    ) {
        self.counts = counts
        self.id = id
        self.clock = clock
        self.stop = stop
        self.progress = progress
        self.log = log
    }
}
