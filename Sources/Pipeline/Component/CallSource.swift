import Synchronization

/// A source that receives its frames by calls from any thread.
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

/// The port through which callers pass frames to a run.
///
/// The nodes downstream of the port run in the caller's thread, up to the next queues. The port itself queues no frames. A caller
/// waits only for the calls of other callers to return.
final class CallPort<Output: Payload>: Sendable {
    /// A value that a caller passes in.
    enum Call: Sendable {
        case frame(Frame<Output>)

        /// The end of a stream. A later frame with the same stream name starts it again.
        case end(StreamID)
    }

    /// A function that accepts the values on behalf of the run's source.
    typealias Intake = @Sendable (Call) -> Void

    private struct State {
        var intake: Intake?
        var isFinished = false
    }

    private let state = Lock(State())
    private let closed = Milestone()

    /// Sets the function that accepts the values.
    func connect(_ intake: @escaping Intake) { state.withLock { $0.intake = intake } }

    /// Calls `body` with the intake, one caller at a time. Returns `nil` if the run accepts no more frames.
    func withIntake<Result>(
        _ body: (Intake) throws(PipelineError) -> sending Result
    ) throws(PipelineError) -> sending Result? {
        // Passing a frame under this lock may wake a task of the run. This cannot deadlock: waking only puts a job into a queue.
        try state.withLock { state throws(PipelineError) in
            guard !state.isFinished, let intake = state.intake else { return nil }
            return try body(intake)
        }
    }

    /// Waits until no frame is being passed in.
    func waitForCaller() { state.withLock { _ in } }

    /// Closes the port: no more frames are accepted.
    func finish() {
        let intake = state.withLock { state in
            state.isFinished = true
            return state.intake.take()
        }
        closed.reach()
        // Release the intake only now, because releasing the objects that it retains while holding the lock could deadlock.
        _ = intake
    }

    /// Waits until the port is closed.
    func finished() async { await closed.wait() }
}

extension Source {
    /// The port through which callers pass frames to the source; `nil` for any other kind of source.
    var callPort: CallPort<Output>? { (self as? CallSource<Output>)?.port }

    /// Whether callers pass the frames to the source.
    var isCalled: Bool { callPort != nil }
}
