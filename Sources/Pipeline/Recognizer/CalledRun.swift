import Synchronization

/// A run that works in the caller's thread: the results of a frame are available when the call returns.
///
/// The owner must ensure that only one call runs at a time.
// The reader and the port are used by one caller at a time.
final class CalledRun<Input: Payload, Output: Payload>: @unchecked Sendable {
    private let executor = CallerExecutor()
    private let port = CallPort<Input>()
    private let run: Run
    private let reader: ResultReader<Output>
    private let failure = FirstFailure()

    init(_ plan: RecognizerPlan<Input, Output>) throws(PipelineError) {
        var options = Run.Options()
        options.clock = executor
        options.watermarks = .explicit
        options.onFailure = { [failure] _, _, error in failure.note(error) }
        run = Run(plan.plan(fedBy: port), options: options)
        do {
            reader = try run.results(of: plan.output, as: Output.self).makeReader()
        } catch {
            throw PipelineError(wrapping: error)
        }
        executor.drain()
        try check()
    }

    deinit {
        // The tasks of the run must end in this thread. Otherwise, they would wait forever.
        port.finish()
        executor.drain()
    }

    /// Passes in a frame or the end of a stream, and appends all output to `frames`. A later frame of a stream that has ended
    /// starts with fresh state.
    ///
    /// - Throws: The reason why the frame could not be processed, or the error that occurred at the end of the stream. Any output
    ///   is appended first.
    func give(_ call: CallPort<Input>.Call, into frames: inout [Frame<Output>]) throws(PipelineError) {
        _ = try port.withIntake { intake throws(PipelineError) in intake(call) }
        work(into: &frames)
        try check()
    }

    /// Whether the run can accept frames.
    var isUsable: Bool { !run.hasEnded && run.failure == nil }

    /// Ends all streams and appends the remaining output of the stages to `frames`. No more frames can be passed in afterwards.
    func finish(into frames: inout [Frame<Output>]) throws(PipelineError) {
        port.finish()
        work(into: &frames)
        try check()
    }

    /// Runs all tasks until none can continue. Takes frames in between, which makes room for tasks that wait for it.
    private func work(into frames: inout [Frame<Output>]) {
        while true {
            executor.drain()
            var hasTaken = false
            looking: while true {
                switch reader.look() {
                case .frame(let frame):
                    frames.append(frame)
                    hasTaken = true
                case .mark(.credit(let credit, _)):
                    credit.end()
                    hasTaken = true
                case .mark: continue
                case .nothing, .finished: break looking
                }
            }
            if !hasTaken { return }
        }
    }

    private func check() throws(PipelineError) {
        if let error = failure.take() { throw error }
    }
}

/// The first error since the last call of `take()`.
private final class FirstFailure: Sendable {
    private let state = Lock<PipelineError?>(nil)

    func note(_ error: PipelineError) { state.withLock { $0 = $0 ?? error } }

    func take() -> PipelineError? { state.withLock { $0.take() } }
}
