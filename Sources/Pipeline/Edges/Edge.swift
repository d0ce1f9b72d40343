import Synchronization

/// A bounded connection between two tasks that moves batches.
///
/// The producer offers what it has and waits for room when the policy says so; the consumer takes all that waits at
/// once. Both wait in their own task's ``Waker``, so that a task with several edges waits for any of them. Cells that the
/// consumer has emptied go back to the producer the same way.
final class Edge: Sendable {
    typealias Item = EdgeItem<FrameCell>

    /// `from → to`.
    let name: String

    /// Makes and empties its cells.
    let store: FrameStore

    /// What becomes of a frame that finds it full.
    let policy: EdgePolicy

    /// Whether the consumer needs to know the time of quiet streams.
    let wantsBounds: Bool

    /// Whether it leads to where edges come together in a batch run, so that it carries the ranks of what sources bring.
    let wantsProgress: Bool

    /// Whether whoever takes from it is no task of the run.
    let isConsumedOutside: Bool

    /// How long frames wait in it.
    let latency = Histogram()

    private let unwanted = Atomic<Bool>(false)

    private let producer: Waker
    private let consumer: Waker
    private let monitor: RunMonitor
    private let mostSpare: Int

    /// Which of the edges of its consumer it is, and how many there are: what frames are numbered by while a run is recorded or run
    /// again; see ``TapeItem/frame(_:gap:)``.
    let numbering: (first: UInt32, step: UInt32)?

    /// Whether only so many of its frames may be unfinished: then `flights` stands for `queue`.
    let hasSlots: Bool

    /// Whether the frames before it are finished only when those have been that go over it: one that drops never holds others up.
    var takesCredits: Bool { !policy.drops }

    private struct Guarded {
        var queue: EdgeState<FrameCell>
        var flights: FlightState<FrameCell>?
        /// Empty cells on their way back.
        var spare: [FrameCell] = []
        /// When the timer will look at the unfinished frames.
        var timerAt: Int64?
        /// The time the batch was offered whose wait is being measured.
        var offeredAt: Int64?
        var batches = 0
    }

    private let state: Lock<Guarded>

    init<P: Payload>(
        carrying payload: P.Type, name: String, policy: EdgePolicy, wantsBounds: Bool, wantsProgress: Bool = false,
        marksWait: Bool = false, isConsumedOutside: Bool = false, numbering: (first: UInt32, step: UInt32)? = nil,
        producer: Waker, consumer: Waker, monitor: RunMonitor
    ) {
        self.name = name
        self.numbering = numbering
        store = TypedFrameStore<Frame<P>>.make()
        self.policy = policy
        self.wantsBounds = wantsBounds
        self.wantsProgress = wantsProgress
        self.isConsumedOutside = isConsumedOutside
        self.producer = producer
        self.consumer = consumer
        self.monitor = monitor
        // As many wait in the queue as the producer is filling and the consumer emptying.
        mostSpare = 3 * max(64, min(policy.capacity, 256))
        hasSlots = policy.inFlight != nil
        state = Lock(
            Guarded(
                queue: EdgeState(
                    policy: policy, beginsAnew: Self.beginsAnew(payload, policy), marksWait: marksWait),
                flights: policy.inFlight == nil ? nil : FlightState(policy: policy)))
        state.withLock { $0.flights?.belong(to: self) }
    }

    deinit {
        state.withLock { state in
            var rest: [Item] = state.flights?.drain() ?? []
            store.discard(rest)
            rest = []
            _ = state.queue.take(into: &rest)
            store.discard(rest)
            for cell in state.spare { store.free(cell) }
        }
    }

    /// How an edge that drops tells where a stroke begins; `nil` where every frame can be dropped by itself.
    private static func beginsAnew<P: Payload>(
        _ payload: P.Type, _ policy: EdgePolicy
    ) -> (@Sendable (FrameCell) -> Bool)? {
        guard P.continuity == .continues, policy.drops else { return nil }
        return { $0.frame(of: P.self).pointee.payload.beginsAnew }
    }

    /// Whether it carries this payload.
    func carries<P: Payload>(_ payload: P.Type) -> Bool { store is TypedFrameStore<Frame<P>> }

    /// What fills its cells, if it carries this payload.
    func store<P: Payload>(for payload: P.Type) -> TypedFrameStore<Frame<P>>? { store as? TypedFrameStore<Frame<P>> }

    /// Offers items from `cursor` on. Returns false when some are left because there is no room: wait in the producer's
    /// waker and offer again.
    ///
    /// - Parameter spare: Gets empty cells to fill next, when it has none.
    func offer(_ batch: inout [Item], from cursor: inout Int, spare: inout [FrameCell]) -> Bool {
        let outcome = state.withLock { state in
            if spare.isEmpty { swap(&spare, &state.spare) }
            if hasSlots { return offerToSlots(&batch, from: &cursor, &state) }
            state.batches &+= 1
            if state.offeredAt == nil, state.batches & 7 == 1 { state.offeredAt = monitor.clock.now }
            return state.queue.offer(&batch, from: &cursor)
        }
        if outcome.wakesConsumer { consumer.signal() }
        for (cell, reason) in outcome.drops {
            monitor.noteDrop(cell.header.pointee, at: name, reason)
            store.empty(cell)
            store.free(cell)
        }
        if outcome.overflowed {
            monitor.fail(
                name,
                PipelineError(
                    .frame, "edge.overflow",
                    "the edge \(name) is full (\(policy.capacity) frames) and its policy is to fail",
                    help: "raise its capacity, or let it wait or drop with on_full"))
            abandon()
            return offer(&batch, from: &cursor, spare: &spare)
        }
        return !outcome.isFull
    }

    private func offerToSlots(
        _ batch: inout [Item], from cursor: inout Int, _ state: inout Guarded
    ) -> EdgeState<FrameCell>.Offer {
        let now = monitor.clock.now
        defer { setTimer(&state) }
        return state.flights?.offer(&batch, from: &cursor, now: now) ?? EdgeState<FrameCell>.Offer()
    }

    /// What a look at the edge found.
    enum Taken {
        case items, nothing, finished
    }

    /// Takes what waits into `buffer`, which must be empty: everything, or what the consumer may begin with where the edge does
    /// not wait.
    ///
    /// - Parameter used: Cells that have been emptied; it is emptied.
    func take(into buffer: inout [Item], returning used: inout [FrameCell]) -> Taken {
        let (wakesProducer, isFinished, offeredAt) = state.withLock { state -> (Bool, Bool, Int64?) in
            if state.spare.isEmpty {
                swap(&state.spare, &used)
            } else {
                while let cell = used.last, state.spare.count < mostSpare {
                    state.spare.append(cell)
                    used.removeLast()
                }
            }
            if hasSlots {
                let wakes = state.flights?.take(into: &buffer) ?? false
                return (wakes, state.flights?.isFinished ?? true, nil)
            }
            let wakes = state.queue.take(into: &buffer)
            defer { if !buffer.isEmpty { state.offeredAt = nil } }
            return (wakes, state.queue.isFinished, state.offeredAt)
        }
        if wakesProducer { producer.signal() }
        for cell in used { store.free(cell) }
        used.removeAll(keepingCapacity: true)
        if !buffer.isEmpty {
            if let offeredAt { latency.record(monitor.clock.now - offeredAt) }
            return .items
        }
        return isFinished ? .finished : .nothing
    }

    /// Says that nothing more will come.
    func finish() {
        if hasSlots { return change { [now = monitor.clock.now] in $0.finish(now: now) } }
        if state.withLock({ $0.queue.finish() }) { consumer.signal() }
    }

    /// Says that nobody takes from it any more.
    func abandon() {
        if hasSlots { return change { $0.abandon() } }
        let outcome = state.withLock { $0.queue.abandon() }
        if outcome.wakesProducer { producer.signal() }
    }

    /// Counts a frame as dropped that was made for it when the run had failed.
    func cancel(_ frame: FrameHeader) {
        state.withLock { state in
            if hasSlots { state.flights?.cancel() } else { state.queue.cancel() }
        }
        monitor.noteDrop(frame, at: name, .cancelled)
    }

    /// Whether the consumer does nothing with what comes any more, for nobody reads what it would make.
    var isUnwanted: Bool { unwanted.load(ordering: .relaxed) }

    /// Says so. The consumer goes on taking.
    func renounce() {
        if unwanted.exchange(true, ordering: .relaxed) { return }
        producer.signal()
        if hasSlots { change { [now = monitor.clock.now] in $0.renounce(now: now) } }
    }

    /// From now on takes everything, whatever its capacity: nobody reads from it yet, and that must hold up nobody else.
    func beginUnread() { state.withLock { $0.queue.isUnbounded = true } }

    /// Somebody reads from it: from now on its capacity counts.
    func beginReading() { state.withLock { $0.queue.isUnbounded = false } }

    /// What went through it.
    func report(from: String, to: String) -> Ledger.Edge {
        state.withLock { state in
            if let flights = state.flights {
                return Ledger.Edge(
                    from: from, to: to, offered: flights.offered, taken: flights.taken, left: Int64(flights.waiting),
                    dropped: flights.dropped, isReadOutside: isConsumedOutside, timedOut: flights.timedOut)
            }
            return Ledger.Edge(
                from: from, to: to, offered: state.queue.offered, taken: state.queue.taken,
                left: Int64(state.queue.waiting), dropped: state.queue.dropped, isReadOutside: isConsumedOutside,
                p50: latency.quantile(0.5),
                p99: latency.quantile(0.99))
        }
    }
}

extension Edge {
    /// Puts the bound of a quiet stream behind what stands in the edge, beside what its sender offers.
    func announce(_ stream: StreamID, _ time: Timestamp) {
        var batch: [Item] = [.bound(stream, time)]
        var cursor = 0
        // A bound always finds room, and drops nothing.
        let outcome = state.withLock { state in
            hasSlots ? offerToSlots(&batch, from: &cursor, &state) : state.queue.offer(&batch, from: &cursor)
        }
        if outcome.wakesConsumer { consumer.signal() }
    }
}

// MARK: - Slots

extension Edge: CreditOwner {
    func credit(_ number: Int, _ change: Credit.Change) {
        let now = monitor.clock.now
        self.change { $0.credit(number, change, now: now) }
    }

    /// Changes the slots, and wakes whom that concerns.
    private func change(_ body: (inout FlightState<FrameCell>) -> FlightState<FrameCell>.Wakes) {
        let wakes = state.withLock { state in
            defer { setTimer(&state) }
            guard var flights = state.flights.take() else { return FlightState<FrameCell>.Wakes() }
            defer { state.flights = flights }
            return body(&flights)
        }
        if wakes.consumer { consumer.signal() }
        if wakes.producer { producer.signal() }
    }

    /// Lets the timer look again when the next unfinished frame stops counting.
    private func setTimer(_ state: inout Guarded) {
        guard let deadline = state.flights?.nextDeadline, state.timerAt.map({ deadline < $0 }) ?? true,
            let timer = monitor.timer
        else { return }
        state.timerAt = deadline
        timer.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            let now = monitor.clock.now
            self.state.withLock { $0.timerAt = nil }
            change { $0.pass(now) }
        }
    }
}
