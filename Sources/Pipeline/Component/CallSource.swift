import Synchronization

/// A source whose frames are given to it by calls, from any thread.
struct CallSource<Output: Payload>: Source {
    let port: CallPort<Output>
    let output: PortType
    let timing = SourceTiming.live

    init(_ port: CallPort<Output>, output: PortType = PortType(Output.self)) {
        self.port = port
        self.output = output
    }

    mutating func open(_ context: SourceContext) async throws {
        context.stop.onRequest { [weak port] in port?.finish() }
    }

    mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        await port.finished()
        return false
    }
}

/// Where frames are given to a run by calls.
///
/// What stands behind it is done in the caller's thread, up to the edges: nothing is queued here, and nobody waits but
/// for the calls of others to return.
final class CallPort<Output: Payload>: Sendable {
    /// One thing that is given.
    enum Call: Sendable {
        case frame(Frame<Output>)

        /// The end of a stream; a later frame of the same name starts it over.
        case end(StreamID)
    }

    /// Takes what is given as the source of the run.
    typealias Intake = @Sendable (Call) -> Void

    private struct State {
        var intake: Intake?
        var isFinished = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Says who takes the frames.
    func connect(_ intake: @escaping Intake) { state.withLock { $0.intake = intake } }

    /// Lets one caller after the other give frames; `nil` when the run takes no more.
    func withIntake<Result>(
        _ body: (Intake) throws(PipelineError) -> sending Result
    ) throws(PipelineError) -> sending Result? {
        // Giving may wake a task of the run, under this lock: that only puts a job into a queue.
        try state.withLock { state throws(PipelineError) in
            guard !state.isFinished, let intake = state.intake else { return nil }
            return try body(intake)
        }
    }

    /// Returns when the frame that is being given, if one is, has been given.
    func waitForGiver() { state.withLock { _ in } }

    /// No more frames will be given.
    func finish() {
        let (waiting, intake) = state.withLock { state in
            state.isFinished = true
            defer { (state.waiting, state.intake) = (nil, nil) }
            return (state.waiting, state.intake)
        }
        waiting?.resume()
        // What it holds may go only now that the lock is free.
        _ = intake
    }

    /// Waits until no more frames will be given.
    func finished() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isFinished { state.waiting = continuation }
                return state.isFinished
            }
            if isOver { continuation.resume() }
        }
    }
}

/// A source that is told, when the graph is built, who takes what it is given.
protocol CalledSource: Source {
    /// Says who takes the frames.
    func connect(_ intake: @escaping CallPort<Output>.Intake)
}

extension CallSource: CalledSource {
    func connect(_ intake: @escaping CallPort<Output>.Intake) { port.connect(intake) }
}
