/// The options of a run.
public struct RunOptions: Sendable {
    /// The clock that all waiting uses.
    public var clock: any RunClock = SystemClock()

    /// Receives messages about the run.
    public var log: Log = .silent

    /// Called for every dropped frame, from the task that dropped it.
    public var onDrop: (@Sendable (DropRecord) -> Void)?

    /// The simulated time that each component needs for a frame, by `id`, in nanoseconds of the run's clock. Before a task
    /// processes a frame, it waits for the sum of its components' times.
    public var serviceTimes: [String: Int64] = [:]

    /// The number of frames after which every source stops; `nil` for no limit.
    public var limit: Int64?

    /// The number of threads that a source may use to read input that can be split, for example a file of messages. The default is
    /// the number of the machine's cores. Results do not depend on this number.
    public var workers = machineCores

    /// The time after which all sources stop, in milliseconds; `nil` for no limit.
    public var durationMs: Int64?

    /// Whether every task has its own thread. Swift's pool has one thread per core, and the callers that pass frames in may
    /// keep all of them busy.
    var usesOwnThreads = false

    /// How watermarks travel; `nil` if the plan decides. If they are explicit, each frame is followed by its watermark, so that
    /// all of its results are available before the next frame is passed in.
    var watermarks: Watermarks?

    /// Called for every frame that could not be processed, from the task that processes it.
    var onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)?

    /// The facts about the run that are written into its recordings.
    package var provenance: [Provenance] = []

    /// Records or replays the input of the tasks.
    package var tape: Tape?

    /// Observes the run from outside.
    package var watch: RunWatch?

    /// Called once when everything is open, before any task runs. Not called if something could not be opened.
    public var onOpen: (@Sendable () -> Void)?

    /// Creates the default options.
    public init() {}
}
