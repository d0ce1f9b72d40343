import Synchronization

/// A recognizer in mode single or batch: each call returns the results of its frame.
final class CalledRecognition<Input: Payload, Output: Payload>: Sendable {
    private struct State {
        var run: CalledRun<Input, Output>?
        /// The last timestamp and the next number of each stream. A stream that is forgotten begins anew.
        var streams: RecentStreams<(last: Timestamp, next: Int64)>
        /// The output of a call that threw an error. It becomes part of the next result.
        var kept: [Frame<Output>] = []
    }

    private let plan: RecognizerPlan<Input, Output>
    private let state: Lock<State>
    /// The runs of mode single that no call is using.
    private let idle = Lock<[CalledRun<Input, Output>]>([])

    init(_ plan: RecognizerPlan<Input, Output>) {
        self.plan = plan
        state = Lock(State(streams: RecentStreams(capacity: plan.maxStreams)))
    }

    /// Processes a stream that consists of one frame, from fresh state to the end of the stream. Calls do not wait for each other:
    /// each concurrent call uses its own run.
    func recognizeAlone(_ input: Input) throws(PipelineError) -> RecognizerResult<Output> {
        let run: CalledRun<Input, Output>
        if let idle = idle.withLock({ $0.popLast() }) { run = idle } else { run = try CalledRun(plan) }
        defer { if run.isUsable { idle.withLock { $0.append(run) } } }
        var frames: [Frame<Output>] = []
        do {
            try run.give(.frame(Frame(input, at: .zero)), into: &frames)
        } catch {
            var left: [Frame<Output>] = []
            try? run.give(.end(""), into: &left)
            throw error
        }
        try run.give(.end(""), into: &frames)
        return RecognizerResult(stream: "", timestamp: .zero, frames: frames)
    }

    /// Processes the next frame of a stream. Other callers wait until the call returns.
    func recognize(
        _ input: Input, _ timestamp: Timestamp, _ stream: StreamID
    ) throws(PipelineError) -> RecognizerResult<Output> {
        try state.withLock { state throws(PipelineError) in
            var known = state.streams.known(stream) ?? (.beforeAll, 0)
            try TimestampOrder.check(timestamp, after: known.last, of: stream)
            let run: CalledRun<Input, Output>
            if let begun = state.run { run = begun } else { run = try CalledRun(plan) }
            state.run = run
            known = (timestamp, known.next + 1)
            state.streams.update(stream, known)
            try run.give(
                .frame(Frame(input, at: timestamp, stream: stream, sequence: known.next - 1)), into: &state.kept)
            defer { state.kept = [] }
            return RecognizerResult(stream: stream, timestamp: timestamp, frames: state.kept)
        }
    }

    /// Ends all streams and returns the remaining output.
    func finish() throws(PipelineError) -> [Frame<Output>] {
        try state.withLock { state throws(PipelineError) in
            let run = state.run.take()
            state.streams = RecentStreams(capacity: plan.maxStreams)
            try run?.finish(into: &state.kept)
            defer { state.kept = [] }
            return state.kept
        }
    }
}
