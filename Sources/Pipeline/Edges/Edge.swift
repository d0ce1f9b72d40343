import Synchronization

/// A bounded queue between two tasks that moves items in batches.
///
/// The producer offers items; the policy says what happens when the edge is full. The consumer takes waiting items in batches. Each
/// side waits in the ``Waker`` of its own task, so a task with several edges can wait for any of them. The edge returns the cells
/// that the consumer has emptied to the producer.
final class Edge: Sendable {
    typealias Item = EdgeItem<FrameCell>

    /// The names of the producing and the consuming node, and the name for messages: `from → to`.
    private let from: String
    private let to: String
    let name: String

    /// The store that creates and empties the cells of the edge.
    let store: FrameStore

    /// The capacity, and what happens to a frame when the edge is full.
    let policy: EdgePolicy

    private let traits: EdgeTraits
    var wantsWatermarks: Bool { traits.wantsWatermarks }
    var wantsProgress: Bool { traits.wantsProgress }
    var isConsumedOutside: Bool { traits.isConsumedOutside }
    var numbering: (first: UInt32, step: UInt32)? { traits.numbering }

    /// The time that frames wait in the edge.
    let latency = Histogram()

    private let unwanted = Atomic<Bool>(false)

    let monitor: RunMonitor
    private let mostSpare: Int

    /// Whether the edge limits its frames in flight. If so, `flights` is used instead of `queue`.
    let hasSlots: Bool

    /// Whether the edge carries credits of upstream edges, so that a frame counts as in flight until its output downstream of this
    /// edge is finished. An edge that drops carries no credits, so that its consumers never delay other edges.
    var takesCredits: Bool { !policy.drops }

    struct Guarded {
        var queue: EdgeState<FrameCell>
        var flights: FlightState<FrameCell>?
        /// Empty cells on their way back to the producer.
        var spare: [FrameCell] = []
        /// The time at which the timer will check the frames in flight.
        var timerAt: Int64?
        /// The time at which the batch whose waiting time is being measured was offered.
        var offeredAt: Int64?
        var batches = 0
        /// The streams of the items that the producer's last offer left, because there was no room.
        var rest: Set<StreamID> = []
        /// The watermarks of these streams that follow those items.
        var announced: [(stream: StreamID, time: Timestamp)] = []
        var producer: Waker
        var consumer: Waker
    }

    let state: Lock<Guarded>

    // Used only to wake a task. Guarded by the lock, because a reload can connect the edge to other tasks.
    var producer: Waker { state.withLock { $0.producer } }
    var consumer: Waker { state.withLock { $0.consumer } }

    init<P: Payload>(
        carrying payload: P.Type, from: String, to: String, policy: EdgePolicy, traits: EdgeTraits,
        wakers: (producer: Waker, consumer: Waker), monitor: RunMonitor
    ) {
        (self.from, self.to, name) = (from, to, "\(from) → \(to)")
        store = FrameStore(payload)
        self.policy = policy
        self.traits = traits
        self.monitor = monitor
        // Room for the cells that the producer fills, those in the queue, and those that the consumer empties.
        mostSpare = 3 * max(64, min(policy.capacity, 256))
        hasSlots = policy.inFlight != nil
        state = Lock(
            Guarded(
                queue: EdgeState(
                    policy: policy, beginsAnew: Self.beginsAnew(payload, policy), marksWait: traits.marksWait,
                    maxStreams: traits.maxStreams),
                flights: policy.inFlight == nil ? nil : FlightState(policy: policy, maxStreams: traits.maxStreams),
                producer: wakers.producer, consumer: wakers.consumer))
        state.withLock { $0.flights?.belong(to: self) }
    }

    deinit {
        state.withLock { state in
            store.discard(state.flights?.all ?? state.queue.all)
            for cell in state.spare { store.free(cell) }
        }
    }

    /// For an edge that drops, returns the test for whether a frame begins a stroke; `nil` if every frame can be dropped on its
    /// own.
    private static func beginsAnew<P: Payload>(
        _ payload: P.Type, _ policy: EdgePolicy
    ) -> (@Sendable (FrameCell) -> Bool)? {
        guard P.continuity == .continues, policy.drops else { return nil }
        return { $0.frame(of: P.self).pointee.payload.beginsAnew }
    }

    /// Offers items from `cursor` on. Returns false if items are left because there is no room. The producer must then wait in its
    /// waker and offer again.
    ///
    /// - Parameter spare: If empty, receives empty cells for the producer to fill.
    func offer(_ batch: inout [Item], from cursor: inout Int, spare: inout [FrameCell]) -> Bool {
        let outcome = state.withLock { state in
            if spare.isEmpty { swap(&spare, &state.spare) }
            if !hasSlots {
                state.batches &+= 1
                if state.offeredAt == nil, state.batches & 7 == 1 { state.offeredAt = monitor.clock.now }
            }
            var outcome = offer(&batch, from: &cursor, &state)
            guard traits.isOfLiveSource, !batch.isEmpty || !state.rest.isEmpty else { return outcome }
            state.rest = Set(batch[cursor...].compactMap(\.stream))
            let announced = state.announced
            state.announced = []
            for (stream, time) in announced where announce(stream, time, &state) { outcome.wakesConsumer = true }
            return outcome
        }
        if outcome.wakesConsumer { consumer.signal() }
        outcome.ended.end()
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
                    "the edge \(name) is full (capacity: \(policy.capacity)) and its policy is to fail",
                    help: "raise its capacity, or let it wait or drop with on_full"))
            abandon()
            return offer(&batch, from: &cursor, spare: &spare)
        }
        return !outcome.isFull
    }

    private func offer(
        _ batch: inout [Item], from cursor: inout Int, _ state: inout Guarded
    ) -> EdgeState<FrameCell>.Offer {
        guard hasSlots else { return state.queue.offer(&batch, from: &cursor) }
        let now = monitor.clock.now
        defer { setTimer(&state) }
        return state.flights?.offer(&batch, from: &cursor, now: now) ?? EdgeState<FrameCell>.Offer()
    }

    /// The outcome of looking for items.
    enum Taken {
        case items, nothing, finished
    }

    /// Moves waiting items into `buffer`, which must be empty. An edge with slots gives all items that it has released. Any other
    /// edge gives all items if its policy is to wait; otherwise at most one frame, with the marks around it.
    ///
    /// - Parameter used: Cells that the consumer has emptied. The array is empty afterwards.
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

    /// Adds everything that waits on the edge to `items`. No frame needs a slot of the edge any more.
    func takeRest(into items: inout [Item], returning used: inout [FrameCell]) {
        dropSlots()
        var taken: [Item] = []
        while case .items = take(into: &taken, returning: &used) {
            items += taken
            taken.removeAll(keepingCapacity: true)
        }
    }

    /// Announces that the producer will offer no more items.
    func finish() { change { $0.flights?.finish(now: monitor.clock.now) ?? $0.queue.finish() } }

    /// Announces that the consumer will take no more items. Frames that are offered from now on are dropped for `reason`.
    func abandon(_ reason: DropReason = .cancelled) {
        change { $0.flights?.abandon() ?? $0.queue.abandon(reason) }
    }

    /// Drops a frame that was emitted for this edge after the run had failed, and counts the drop.
    func cancel(_ frame: FrameHeader) {
        state.withLock { state in
            if hasSlots { state.flights?.cancel() } else { state.queue.cancel() }
        }
        monitor.noteDrop(frame, at: name, .cancelled)
    }

    /// Whether the consumer no longer uses the frames, because nothing downstream reads its output.
    var isUnused: Bool { unwanted.load(ordering: .relaxed) }

    /// Announces that the consumer no longer uses the frames. The consumer still takes them.
    func renounce() {
        if unwanted.exchange(true, ordering: .relaxed) { return }
        producer.signal()
        dropSlots()
    }

    /// Lets all frames go on, because none of them needs a slot any more.
    private func dropSlots() {
        change { $0.flights?.renounce(now: monitor.clock.now) ?? EdgeWakes() }
    }

    /// Starts or stops ignoring the capacity, so that the producer never waits. Has no effect unless the policy is to wait. A result
    /// without a reader also delays no frame in flight.
    func takeEverything(_ isUnbounded: Bool) {
        guard policy.onFull == .wait else { return }
        state.withLock { state in
            state.queue.isUnbounded = isUnbounded
            state.queue.endsCredits = isUnbounded && isConsumedOutside
            state.flights?.isUnbounded = isUnbounded
        }
        if isUnbounded { producer.signal() }
    }

    /// Connects the edge to other tasks. If it has ended, it begins again, and ends when the new producer has ended. The run must be
    /// frozen.
    func connect(producer: Waker, consumer: Waker) {
        state.withLock { state in
            (state.producer, state.consumer) = (producer, consumer)
            state.queue.beginAgain()
            state.flights?.beginAgain()
        }
    }

    /// Passes the stream and the time of each waiting frame to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        state.withLock { state in
            for case .frame(let cell) in state.flights?.all ?? state.queue.all { body(cell.stream, cell.timestamp) }
        }
    }

    /// Drops the waiting frames of streams that another process continues with, and forgets the streams. The run must be frozen.
    func release(_ streams: Set<StreamID>) {
        let released = state.withLock { state in
            state.flights?.release(streams) ?? state.queue.release(streams)
        }
        for item in released {
            guard case .frame(let cell) = item else { continue }
            monitor.noteDrop(cell.header.pointee, at: name, .released)
            store.empty(cell)
            store.free(cell)
        }
    }

    /// Returns the ledger entry of the edge.
    var report: Ledger.Edge {
        let waits = latency.now
        return state.withLock { state in
            if let flights = state.flights {
                return Ledger.Edge(
                    from: from, to: to, offered: flights.offered, taken: flights.taken, left: Int64(flights.waiting),
                    dropped: flights.dropped, isReadOutside: isConsumedOutside, timedOut: flights.timedOut)
            }
            return Ledger.Edge(
                from: from, to: to, offered: state.queue.offered, taken: state.queue.taken,
                left: Int64(state.queue.waiting), dropped: state.queue.dropped, isReadOutside: isConsumedOutside,
                p50: waits.quantile(0.5), p99: waits.quantile(0.99))
        }
    }
}

extension Edge {
    /// Adds the watermark of a quiet stream to the queue, behind everything that the producer has offered of this stream. Only the
    /// producer adds other items. Returns the consumer if it must be woken.
    func announce(_ stream: StreamID, _ time: Timestamp) -> Waker? {
        state.withLock { announce(stream, time, &$0) } ? consumer : nil
    }

    /// Forgets the watermarks of a stream that still wait behind its items, because the stream has ended.
    func forgetAnnounced(_ stream: StreamID) {
        state.withLock { state in
            if !state.announced.isEmpty { state.announced.removeAll { $0.stream == stream } }
        }
    }

    private func announce(_ stream: StreamID, _ time: Timestamp, _ state: inout Guarded) -> Bool {
        guard !state.rest.contains(stream) else {
            state.announced.append((stream, time))
            return false
        }
        // A watermark always has room, and no frame is dropped for it.
        var (batch, cursor): ([Item], Int) = ([.mark(.bound(stream, time))], 0)
        return offer(&batch, from: &cursor, &state).wakesConsumer
    }
}
