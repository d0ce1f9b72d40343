/// A pipeline that is called: frames in, results out, in one of three modes fixed when it is made.
///
/// ```swift
/// let recognizer = try Recognizer(StageChain(Resample(points: 64)).through(Normalize()).through(Vectorize()))
/// let vector = try recognizer.recognize(stroke).payloads.first
/// ```
///
/// It runs what leads from its input to its output in a pipeline; the sinks and branches beside are left out, for the program
/// stands in their place. A frame that a stage refuses fails by itself, and the recognizer goes on.
///
/// The modes and the delegate are those of MediaPipe's tasks (gesture recognizer, `runningMode`,
/// `gestureRecognizerLiveStreamDelegate`).
public final class Recognizer<Input: Payload, Output: Payload>: Sendable {
    /// How a recognizer is called and tells its results.
    public struct Options: Sendable {
        /// The mode.
        public var runningMode = RunningMode.single

        /// Who is told the results: required in mode live unless they are read as a sequence, and refused otherwise. The
        /// recognizer does not keep it alive; results for one that is gone are discarded.
        public weak var delegate: (any RecognizerDelegate<Input, Output>)?

        /// Whether results are read as a sequence (``Recognizer/results()``) instead of told to a delegate. Mode live only.
        public var resultsAreSequence = false

        /// Called for every dropped frame, in the thread that drops it: at once for a frame given by that thread, or for the
        /// one it replaces. Mode live only.
        public var onDrop: (@Sendable (DropRecord) -> Void)?

        /// Where to tell a person what happened. Mode live only.
        public var log: Log = .silent

        /// The clock of time-outs and of quiet streams. Mode live only.
        public var clock: any RunClock = SystemClock()

        public init() {}

        /// The same as options of a run.
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

    /// The mode.
    public let runningMode: RunningMode

    let work: Work

    /// Makes a recognizer of a pipeline, as a configuration describes it.
    ///
    /// - Parameters:
    ///   - plan: The pipeline. Its mode must be live for the running mode live, and batch for the others.
    ///   - input: The source that the program stands for; not needed when there is one.
    ///   - output: The stage whose frames are the results; not needed when there is one last stage.
    ///   - options: The running mode, and how results are delivered.
    /// - Throws: A configuration error that says what is required and what is.
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
        // Neither the recognizer nor its delegate is kept alive.
        delivery.start(live.results, on: options.clock.executor) { [weak self, weak delegate] result in
            guard let self else { return }
            delegate?.recognizer(self, didFinish: result, timestamp: result.timestamp, error: result.error)
        }
    }

    /// Makes a recognizer of stages.
    ///
    /// - Parameters:
    ///   - chain: The stages.
    ///   - live: How frames are dropped while busy, in mode live; by default one frame is worked on, and the newest of each
    ///     stream waits. The edge of frames that continue one another has room for 4,096 instead, and drops whole strokes.
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
