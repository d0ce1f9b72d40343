/// A recognizer in mode live: takes frames without waiting, and tells in turn how each ended.
///
/// What is dropped while busy, when and why, is decided by the edges behind the input; only which of the accepted frames
/// have not ended is kept here.
final class LiveRecognition<Input: Payload, Output: Payload>: Sendable {
    private let port = CallPort<Input>()
    private let pending: PendingTable
    let run: Run
    let results: LiveResults<Output>

    init(
        _ plan: RecognizerPlan<Input, Output>, _ options: Run.Options, onDrop: (@Sendable (DropRecord) -> Void)?
    ) throws(PipelineError) {
        let pending = PendingTable(input: plan.input, inputEdges: plan.inputEdges, onDrop: onDrop)
        var runOptions = options
        runOptions.onDrop = { pending.note($0) }
        runOptions.onFailure = { pending.note($0, $1, $2) }
        self.pending = pending
        run = Run(plan.plan(fedBy: port), options: runOptions)
        do {
            results = LiveResults(
                try run.results(of: plan.output, as: Output.self).makeReader(), pending, run,
                waitForGiver: { [port] in port.waitForGiver() })
        } catch {
            throw PipelineError(wrapping: error)
        }
    }

    deinit { cancel() }

    /// How many frames have been accepted and have not ended.
    var unfinished: Int { pending.count }

    /// Gives a frame. Never waits, but for other callers to have given theirs.
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

    /// Takes no more frames, and lets those that are under way end.
    func close() async {
        run.stop()
        _ = await run.finished()
    }

    /// The report on all frames, as far as results have been read.
    func report() async -> RunReport { await run.finished() }

    /// Takes no more frames, and leaves what is under way.
    func cancel() {
        port.finish()
        run.cancel()
    }
}

extension PipelineError {
    fileprivate static var closedRecognizer: PipelineError {
        PipelineError(
            .configuration, "recognizer.closed", "the recognizer must be open to take a frame, and has been closed",
            help: "make another one")
    }
}
