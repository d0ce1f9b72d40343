import Synchronization

/// The state that all tasks of a run share: its failures, its stop and cancel signals, and what each task waits for.
///
/// A task that waits for an edge is *parked*. If every task that has not ended is parked, no task is left to wake another one. This
/// is a deadlock, and it is found immediately, without a timeout.
final class RunMonitor: Sendable {
    struct State {
        /// The number of tasks that have not ended and are not parked.
        var active = 0
        /// The number of sources that have not produced their last frame.
        var sources = 0
        /// The parked tasks, by their wakers, with what they wait for. A task is parked while its depth is above 0.
        var parked: [ObjectIdentifier: (depth: Int, reason: String)] = [:]
        var failures: [RunReport.Failure] = []
        var wakers: [(waker: Waker, node: String)] = []
        /// Whether readers outside the run hold frames in flight.
        var dependsOnReaders = false
        /// The streams with a logged warning about clocks: two sources produce the stream, and their clocks differ too much.
        var apart: Set<StreamID> = []
        /// The state of bringing the run to rest; `nil` while no reload or commit point holds the run.
        var rest: Rest?
    }

    let state = Lock(State())
    private let failed = Atomic<Bool>(false)
    private let cancelled = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let draining = Atomic<Bool>(false)

    /// The gate at which sources wait while the run is brought to rest.
    let gate = SourceGate()

    /// The commit points of the run.
    let commits = CommitPoints()

    /// Requested when the sources must stop.
    let stop = StopSignal()

    /// Requested when all tasks must stop.
    let cancel = StopSignal()

    /// The options of the run, including its observers.
    let options: RunOptions

    /// Calls functions at given times; `nil` in a batch run.
    let timer: RunTimer?

    let clock: any RunClock
    let log: Log

    init(_ options: RunOptions = RunOptions(), mode: Mode = .batch) {
        self.options = options
        (clock, log) = (options.clock, options.log)
        timer = mode == .live ? RunTimer(clock: clock) : nil
        timer?.onIdle { [weak self] in self?.changeActive(by: 0) }
        gate.onQuiet { [weak self] in self?.settleRest() }
        cancel.onRequest { [weak self, clock] in
            guard let self else { return }
            cancelled.store(true, ordering: .relaxed)
            giveUpRest()
            wakeAll()
            Task(executorPreference: clock.executor) { [weak self] in
                try? await clock.sleep(until: clock.time(inMs: Self.timeToDeliverMs))
                self?.close()
            }
        }
    }

    /// The time for which sinks may still take frames after a cancellation, in milliseconds.
    private static var timeToDeliverMs: Int64 { 100 }

    /// Whether all tasks must end. No more frames are processed, but existing output is still delivered to the sinks.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Whether the delivery to sinks must end too.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Whether all sources have ended, so that only frames in flight remain.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Whether a failure of a batch run may have cut short the input of a task. If so, stages must not emit what they hold, and
    /// merges and joins must not release waiting frames, as they would at the end of complete input: the output must be a prefix of
    /// the output of a complete run.
    var isCutShort: Bool { timer == nil && failed.load(ordering: .acquiring) }

    private func close() {
        closed.store(true, ordering: .relaxed)
        wakeAll()
    }

    private func wakeAll() {
        for (waker, _) in state.withLock({ $0.wakers }) { waker.signal() }
    }

    /// All failures, the root cause first.
    var failures: [RunReport.Failure] { state.withLock { $0.failures } }

    /// The nodes whose tasks wait for other tasks of the run.
    var parkedNodes: Set<String> {
        state.withLock { state in
            Set(
                state.wakers.filter { state.parked[ObjectIdentifier($0.waker)].map { $0.depth > 0 } ?? false }.map(
                    \.node))
        }
    }

    /// Creates the waker of the task whose first node is `node`.
    func makeWaker(of node: String) -> Waker {
        let waker = Waker(monitor: self)
        state.withLock { $0.wakers.append((waker, node)) }
        return waker
    }

    /// Records a failure and stops the sources. Frames in flight are drained.
    func fail(_ node: String, _ error: PipelineError) {
        state.withLock { $0.failures.append(RunReport.Failure(node: node, error: error)) }
        // Set this before the sources stop, so that no task takes the end of its input for a complete input.
        failed.store(true, ordering: .releasing)
        stop.request()
    }

    /// Records that two sources produce a stream with clocks that differ too much. Returns whether this must still be logged.
    func noteClocksApart(of stream: StreamID) -> Bool {
        state.withLock { $0.apart.count < Self.mostApart && $0.apart.insert(stream).inserted }
    }

    /// The maximum number of streams for which different clocks are logged.
    private static var mostApart: Int { 10_000 }

    /// Waits for the time that a simulated component needs for one frame.
    func serve(_ service: SimulatedWork) async {
        try? await clock.work(until: clock.now + service.nanoseconds, of: service.node)
    }

    /// Reports a drop, if drop records are requested.
    func noteDrop(_ frame: FrameHeader, at place: String, _ reason: DropReason) {
        if let record = record(frame, at: place, reason) { tell(record) }
    }

    /// Returns the record of a drop; `nil` if drop records are not requested.
    func record(_ frame: FrameHeader, at place: String, _ reason: DropReason) -> DropRecord? {
        guard hearsDrops else { return nil }
        return DropRecord(
            stream: frame.stream, timestamp: frame.timestamp, sequence: frame.sequence, place: place,
            reason: reason, age: frame.arrival == 0 ? nil : clock.now - frame.arrival)
    }

    /// Whether drop records are requested now.
    var hearsDrops: Bool { options.onDrop != nil || options.watch?.wantsDrops == true }

    /// Sends a drop record to all recipients that requested it.
    func tell(_ drop: DropRecord) {
        options.onDrop?(drop)
        options.watch?.note(drop)
    }

    /// Records that readers outside the run hold frames in flight. Waiting for these readers is not a deadlock.
    func noteReaders() { state.withLock { $0.dependsOnReaders = true } }

    /// Records that `count` tasks start, `sources` of which are sources.
    func taskBegan(_ count: Int, sources: Int) {
        state.withLock { state in
            state.active += count
            state.sources += sources
        }
    }

    /// Records that a task has ended.
    func taskEnded() { changeActive(by: -1) }

    /// Records that a source has produced its last frame. Its task has not ended yet.
    func sourceEnded() {
        let isLast = state.withLock { state in
            state.sources -= 1
            return state.sources == 0
        }
        guard isLast else { return }
        draining.store(true, ordering: .relaxed)
        wakeAll()
    }

    /// Keeps only the wakers of the tasks that are left after a reload.
    func keepWakers(_ isMeant: (Waker) -> Bool) {
        state.withLock { state in
            state.wakers.removeAll { !isMeant($0.waker) }
            let left = Set(state.wakers.map { ObjectIdentifier($0.waker) })
            state.parked = state.parked.filter { left.contains($0.key) }
        }
    }

    /// Records that a task has parked, and what it waits for.
    func parked(_ waker: Waker, waitingFor reason: String) {
        // A signal may already have unparked the task. The two records can arrive in either order, and only their sum counts.
        state.withLock { state in
            let depth = state.parked[ObjectIdentifier(waker)]?.depth ?? 0
            state.parked[ObjectIdentifier(waker)] = (depth + 1, reason)
        }
        changeActive(by: -1)
    }

    /// Records that a parked task is about to resume. The task that wakes it calls this first.
    ///
    /// - Returns: `false` if the run is frozen (see ``Rest``). The task must then not resume; it is signaled again when the run
    ///   thaws.
    func unpark(_ waker: Waker) -> Bool {
        state.withLock { state in
            if state.rest?.keep(waker) == true { return false }
            state.parked[ObjectIdentifier(waker), default: (0, "")].depth -= 1
            state.active += 1
            return true
        }
    }

    /// Changes the number of active tasks, and fails the run if this makes a deadlock.
    func changeActive(by amount: Int) {
        let stuck = state.withLock { state -> [String] in
            state.active += amount
            if state.rest != nil || state.active != 0 || state.dependsOnReaders { return [] }
            // A pending action of the timer may still wake a task. The timer calls this function again when no action is left.
            // The timer is asked while the lock is held. Otherwise, an action could wake a task and end between the two checks.
            if timer?.isWaiting ?? false { return [] }
            return state.parked.values.filter { $0.depth > 0 }.map(\.reason).sorted()
        }
        settleRest()
        guard !stuck.isEmpty, !isCancelled else { return }
        fail(
            "engine",
            PipelineError(
                .configuration, "run.deadlock", "no task can continue: " + stuck.joined(separator: "; "),
                help: "one branch holds more frames than another has room for; raise the capacity of the full edge"))
        cancel.request()
    }
}
