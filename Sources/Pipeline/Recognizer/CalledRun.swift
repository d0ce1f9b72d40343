import Synchronization

/// A run that works in the thread of its caller: the results of a frame are there when the call returns.
///
/// One call at a time; its owner ensures that.
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
        options.bindsEveryFrame = true
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
        // Its tasks end in this thread; they would be left waiting otherwise.
        port.finish()
        executor.drain()
    }

    /// Gives a frame; adds all that came out to `frames`.
    ///
    /// - Throws: Why the frame could not be processed, after what came out all the same has been added.
    func give(_ frame: Frame<Input>, into frames: inout [Frame<Output>]) throws(PipelineError) {
        try give(.frame(frame), into: &frames)
    }

    /// Ends a stream; adds all that the stages gave to `frames`. A later frame of it meets fresh stages.
    ///
    /// - Throws: What went wrong at its end.
    func end(_ stream: StreamID, into frames: inout [Frame<Output>]) throws(PipelineError) {
        try give(.end(stream), into: &frames)
    }

    private func give(_ call: CallPort<Input>.Call, into frames: inout [Frame<Output>]) throws(PipelineError) {
        _ = try port.withIntake { intake throws(PipelineError) in intake(call) }
        work(into: &frames)
        try check()
    }

    /// Whether it can take frames.
    var isUsable: Bool { !run.hasEnded && run.failure == nil }

    /// Ends all streams; adds all that the stages gave to `frames`. No more frames can be given then.
    func finish(into frames: inout [Frame<Output>]) throws(PipelineError) {
        port.finish()
        work(into: &frames)
        try check()
    }

    /// Lets everything work until nothing can go on. What waits for room goes on when its frames have been taken.
    private func work(into frames: inout [Frame<Output>]) {
        while true {
            executor.drain()
            var hasTaken = false
            looking: while true {
                switch reader.look() {
                case .frame(let frame):
                    frames.append(frame)
                    hasTaken = true
                case .credit(let credit, _):
                    credit.end()
                    hasTaken = true
                case .bound, .end: continue
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

/// The first of what went wrong since somebody looked.
private final class FirstFailure: Sendable {
    private let state = Lock<PipelineError?>(nil)

    func note(_ error: PipelineError) { state.withLock { $0 = $0 ?? error } }

    func take() -> PipelineError? { state.withLock { $0.take() } }
}
