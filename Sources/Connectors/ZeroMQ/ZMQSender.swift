import Pipeline
import Synchronization

/// The implementation of ``ZMQSink`` for one payload type.
///
/// Even when no frames arrive, the sink has to process connections and subscriptions, and to announce the sequence numbers that
/// quiet streams have reached. A task does this at regular intervals. A lock protects the socket and all of its state.
struct ZMQSender<P: WireEncodable>: Sink {
    typealias Input = P

    /// The sending state, which the calls of the engine and the task share.
    private final class Shared: Sendable {
        let state: Lock<ZMQSending<P>>

        init(_ state: ZMQSending<P>) { self.state = Lock(state) }
    }

    private let options: ZMQSink.Options
    private var shared: Shared?
    private var upkeep: Task<Void, Never>?

    init(_ options: ZMQSink.Options) { self.options = options }

    mutating func open(_ context: SinkContext) async throws {
        let shared = Shared(try ZMQSending(options, context))
        self.shared = shared
        // In simulated time, there are no peers, so there is nothing to do at intervals.
        guard context.clock.executor == nil else { return }
        let clock = context.clock
        upkeep = Task { [weak shared] in
            while (try? await clock.sleep(until: clock.now + ZMQSending<P>.upkeepInterval)) != nil {
                // If the lock is taken, the sink is in use, and the work can wait for the next interval.
                _ = shared?.state.withLockIfAvailable { $0.keepUp() }
            }
        }
    }

    mutating func write(_ frame: Frame<P>) throws { try shared?.state.withLock { try $0.write(frame) } }

    mutating func flush() throws { try shared?.state.withLock { try $0.flush() } }

    mutating func end(_ stream: StreamID, _ end: StreamEnd) throws {
        try shared?.state.withLock { try $0.end(stream, end) }
    }

    mutating func close() async throws {
        upkeep?.cancel()
        await upkeep?.value
        defer { shared = nil }
        try shared?.state.withLock { try $0.close() }
    }
}
