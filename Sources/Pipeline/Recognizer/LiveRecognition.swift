/// A recognizer in mode live. It accepts frames without waiting and reports the outcome of each in order.
///
/// The edges after the input decide which frames to drop while the recognizer is busy. This class only tracks which accepted frames
/// have not ended.
final class LiveRecognition<Input: Payload, Output: Payload>: Sendable {
    private let port = CallPort<Input>()
    private let pending: PendingTable
    let run: Run
    let results: LiveResults<Output>

    init(
        _ plan: RecognizerPlan<Input, Output>, _ options: Run.Options, onDrop: (@Sendable (DropRecord) -> Void)?
    ) throws(PipelineError) {
        let live = plan.plan(fedBy: port)
        let pending = PendingTable(
            input: plan.input, inputEdges: plan.inputEdges, maxStreams: live.maxStreams, onDrop: onDrop)
        var runOptions = options
        runOptions.onDrop = { pending.note($0) }
        runOptions.onFailure = { pending.note($0, $1, $2) }
        self.pending = pending
        run = Run(live, options: runOptions)
        do {
            results = LiveResults(
                try run.results(of: plan.output, as: Output.self).makeReader(), pending, run,
                waitForCaller: { [port] in port.waitForCaller() })
        } catch {
            throw PipelineError(wrapping: error)
        }
    }

    deinit { cancel() }

    /// The number of frames that were accepted and have not ended.
    var unfinished: Int { pending.count }

    /// Passes in a frame. Waits only for other callers that are passing in a frame at the same time.
    func give(_ input: Input, _ timestamp: Timestamp, _ stream: StreamID) throws(PipelineError) -> FrameAcceptance {
        let outcome = try port.withIntake { intake throws(PipelineError) in
            let sequence = try pending.begin(stream, timestamp)
            intake(.frame(Frame(input, at: timestamp, stream: stream, sequence: sequence)))
            return pending.end()
        }
        guard let (reason, drops) = outcome else { throw run.failure ?? .closedRecognizer }
        pending.tell(drops)
        return reason.map { .dropped($0) } ?? .accepted
    }

    /// Stops accepting frames and waits until the frames in flight have ended.
    func close() async {
        run.stop()
        _ = await run.finished()
    }

    /// Returns the report of the run, after waiting for its end.
    func report() async -> RunReport { await run.finished() }

    /// Stops accepting frames and abandons the frames in flight.
    func cancel() {
        port.finish()
        run.cancel()
    }
}

extension PipelineError {
    fileprivate static var closedRecognizer: PipelineError {
        PipelineError(
            .configuration, "recognizer.closed", "the recognizer has been closed and accepts no more frames",
            help: "create another one")
    }
}
