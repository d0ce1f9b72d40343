import Synchronization

/// A bounded connection between two tasks that moves batches.
///
/// The producer offers what it has and waits for room when the policy says so; the consumer takes all that waits at
/// once. Both wait in their own task's ``Waker``, so that a task with several edges waits for any of them.
final class Edge<Payload: Pipeline.Payload>: Sendable {
    /// `from → to`.
    let name: String

    /// What becomes of a frame that finds it full.
    let policy: EdgePolicy

    /// Whether the consumer needs to know the time of quiet streams.
    let wantsBounds: Bool

    /// Whether whoever takes from it is no task of the run.
    let isConsumedOutside: Bool

    /// How long frames wait in it.
    let latency = Histogram()

    private let producer: Waker
    private let consumer: Waker
    private let monitor: RunMonitor

    private struct Guarded {
        var queue: EdgeState<Payload>
        /// The time the batch was offered whose wait is being measured.
        var offeredAt: Int64?
        var batches = 0
    }

    private let state: Mutex<Guarded>

    init(
        name: String, policy: EdgePolicy, wantsBounds: Bool, isConsumedOutside: Bool = false, producer: Waker,
        consumer: Waker, monitor: RunMonitor
    ) {
        self.name = name
        self.policy = policy
        self.wantsBounds = wantsBounds
        self.isConsumedOutside = isConsumedOutside
        self.producer = producer
        self.consumer = consumer
        self.monitor = monitor
        state = Mutex(Guarded(queue: EdgeState(policy: policy)))
    }

    /// Offers items from `cursor` on. Returns false when some are left because there is no room: wait in the producer's
    /// waker and offer again.
    func offer(_ batch: inout [EdgeItem<Payload>], from cursor: inout Int) -> Bool {
        let outcome = state.withLock { state in
            state.batches &+= 1
            if state.offeredAt == nil, state.batches & 7 == 1 { state.offeredAt = monitor.clock.now }
            return state.queue.offer(&batch, from: &cursor)
        }
        if outcome.wakesConsumer { consumer.signal() }
        if let onDrop = monitor.onDrop {
            for (frame, reason) in outcome.drops {
                onDrop(
                    DropRecord(
                        stream: frame.stream, timestamp: frame.timestamp, sequence: frame.sequence, place: name,
                        reason: reason))
            }
        }
        if outcome.overflowed {
            monitor.fail(
                name,
                PipelineError(
                    .frame, "edge.overflow",
                    "the edge \(name) is full (\(policy.capacity) frames) and its policy is to fail",
                    help: "raise its capacity, or let it wait or drop with on_full"))
            abandon()
            return offer(&batch, from: &cursor)
        }
        return !outcome.isFull
    }

    /// What a look at the edge found.
    enum Taken {
        case items, nothing, finished
    }

    /// Takes everything that waits into `buffer`, which must be empty.
    func take(into buffer: inout [EdgeItem<Payload>]) -> Taken {
        let (wakesProducer, isFinished, offeredAt) = state.withLock { state in
            let wakes = state.queue.take(into: &buffer)
            defer { if !buffer.isEmpty { state.offeredAt = nil } }
            return (wakes, state.queue.isFinished, state.offeredAt)
        }
        if wakesProducer { producer.signal() }
        if !buffer.isEmpty {
            if let offeredAt { latency.record(monitor.clock.now - offeredAt) }
            return .items
        }
        return isFinished ? .finished : .nothing
    }

    /// Says that nothing more will come.
    func finish() {
        if state.withLock({ $0.queue.finish() }) { consumer.signal() }
    }

    /// Says that nobody takes from it any more.
    func abandon() {
        if state.withLock({ $0.queue.abandon() }) { producer.signal() }
    }

    /// What went through it.
    func report(from: String, to: String) -> Ledger.Edge {
        state.withLock { state in
            Ledger.Edge(
                from: from, to: to, offered: state.queue.offered, taken: state.queue.taken,
                left: Int64(state.queue.waiting), dropped: state.queue.dropped, isReadOutside: isConsumedOutside,
                p50: latency.quantile(0.5),
                p99: latency.quantile(0.99))
        }
    }
}
