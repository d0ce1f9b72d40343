/// A pipeline that a program calls: the program passes frames in and gets results back, in one of three modes that is fixed at
/// initialization.
///
/// ```swift
/// let recognizer = try Recognizer(StageChain(Resample(points: 64)).through(Normalize()).through(Vectorize()))
/// let vector = try recognizer.recognize(stroke).payloads.first
/// ```
///
/// The recognizer runs the nodes from its input to its output in a pipeline. It leaves out sinks and other branches, because the
/// program takes their role. If a stage fails to process a frame, only this frame fails, and the recognizer continues.
///
/// The modes and the delegate follow MediaPipe's tasks (gesture recognizer, `runningMode`, `gestureRecognizerLiveStreamDelegate`).
public final class Recognizer<Input: Payload, Output: Payload>: Sendable {
    /// How a recognizer is called and delivers its results.
    public struct Options: Sendable {
        /// The running mode.
        public var runningMode = RunningMode.single

        /// The receiver of the results. Required in mode live, unless the results are read as a sequence; otherwise it must be
        /// `nil`. The recognizer does not retain it. If the delegate no longer exists, results are discarded.
        public weak var delegate: (any RecognizerDelegate<Input, Output>)?

        /// Whether results are read as a sequence (``Recognizer/results()``) instead of delivered to a delegate. Mode live only.
        public var resultsAreSequence = false

        /// A handler that is called for every dropped frame, in the thread that drops the frame. A frame is dropped in the
        /// caller's thread if it is refused when it is passed in, or if a frame that is passed in replaces it. Mode live only.
        public var onDrop: (@Sendable (DropRecord) -> Void)?

        /// The log for messages to the user. Mode live only.
        public var log: Log = .silent

        /// The clock for timeouts and idle streams. Mode live only.
        public var clock: any RunClock = SystemClock()

        public init() {}

        /// The equivalent options of a run.
        fileprivate var run: Run.Options {
            var run = Run.Options()
            (run.clock, run.log, run.usesOwnThreads) = (clock, log, true)
            return run
        }
    }

    enum Work: Sendable {
        case called(CalledRecognition<Input, Output>)
        case live(LiveRecognition<Input, Output>, LiveDelivery?)
    }

    /// The running mode.
    public let runningMode: RunningMode

    let work: Work

    /// Creates a recognizer from a plan, for example from the plan of a configuration.
    ///
    /// - Parameters:
    ///   - plan: The pipeline. Its mode must be live for the running mode live, and batch for the other running modes.
    ///   - input: The source that the program replaces. Not needed if there is only one.
    ///   - output: The stage whose frames are the results. Not needed if there is only one last stage.
    ///   - options: The running mode, and how results are delivered.
    /// - Throws: A configuration error that states the requirement and how it is violated.
    public init(
        _ plan: Plan, input: String? = nil, output: String? = nil, options: Options = Options()
    ) throws(PipelineError) {
        try Self.check(options)
        let part = try RecognizerPlan<Input, Output>(plan, input: input, output: output, mode: options.runningMode)
        runningMode = options.runningMode
        guard options.runningMode == .live else {
            work = .called(CalledRecognition(part))
            return
        }
        let live = try LiveRecognition(part, options.run, onDrop: options.onDrop)
        guard let delegate = options.delegate else {
            work = .live(live, nil)
            return
        }
        let delivery = LiveDelivery()
        work = .live(live, delivery)
        // Retains neither the recognizer nor its delegate.
        delivery.start(live.results, on: options.clock.executor) { [weak self, weak delegate] result in
            guard let self else { return }
            delegate?.recognizer(self, didFinish: result, timestamp: result.timestamp, error: result.error)
        }
    }

    /// Creates a recognizer from stages.
    ///
    /// - Parameters:
    ///   - chain: The stages.
    ///   - live: The policy of the edge after the input in mode live: how frames are dropped while the recognizer is busy. By
    ///     default, one frame is in flight, and the newest frame of each stream waits. If the frames are pieces of strokes
    ///     (``Continuity/continues``), up to 4,096 of them wait instead. When the queue is full, the current stroke is dropped: its
    ///     waiting frames, and its further frames.
    ///   - options: The running mode, and how results are delivered.
    public convenience init(
        _ chain: StageChain<Input, Output>, live: EdgePolicy? = nil, options: Options = Options()
    ) throws(PipelineError) {
        let busy = options.runningMode == .live ? live.map { .policy($0) } ?? Busy.dropOldest : .wait
        let graph = Graph()
        _ = graph.source(CallSource(CallPort<Input>()), busy: busy, id: "input").through(chain)
        let plan: Plan
        do { plan = try graph.plan() } catch { throw PipelineError(wrapping: error) }
        try self.init(plan, options: options)
    }

    private static func check(_ options: Options) throws(PipelineError) {
        let (mode, hasDelegate) = (options.runningMode, options.delegate != nil)
        if mode == .live, hasDelegate == options.resultsAreSequence {
            throw hasDelegate
                ? PipelineError(
                    .configuration, "recognizer.two_ways",
                    "results go to a delegate or into a sequence, and the options ask for both",
                    help: "leave out delegate, or set resultsAreSequence to false")
                : PipelineError(
                    .configuration, "recognizer.no_delegate",
                    "the running mode live requires a delegate, and there is none",
                    help: "set delegate to an object that you keep, or resultsAreSequence to true")
        }
        if mode != .live, hasDelegate || options.resultsAreSequence {
            throw PipelineError(
                .configuration, "recognizer.delegate_outside_live",
                "a \(hasDelegate ? "delegate" : "sequence of results") requires the running mode live, and it is \(mode)",
                help: "set runningMode to live, or take the results that recognize returns")
        }
    }
}
