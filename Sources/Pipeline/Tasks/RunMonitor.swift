import Synchronization

/// What all tasks of a run share: its failure, its stop and cancel signals, and who is waiting for whom.
///
/// A task that waits for an edge is *parked*. When every task that has not ended is parked, nobody is left to wake one:
/// that is a deadlock, found at once and not after a time-out.
final class RunMonitor: Sendable {
    private struct State {
        var active = 0
        var sources = 0
        var parked: [ObjectIdentifier: (depth: Int, reason: String)] = [:]
        var failures: [(node: String, error: PipelineError)] = []
        var wakers: [(waker: Waker, node: String)] = []
        var dependsOnReaders = false
        /// The streams of which a person was told that two sources bring them by clocks apart.
        var apart: Set<StreamID> = []
    }

    private let state = Lock(State())
    private let failed = Atomic<Bool>(false)
    private let cancelled = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let draining = Atomic<Bool>(false)

    /// Requested when sources must stop.
    let stop = StopSignal()

    /// Requested when everything must.
    let cancel = StopSignal()

    /// Where drops are reported, if anybody asked.
    let onDrop: (@Sendable (DropRecord) -> Void)?

    /// Whoever looks into the run, if anybody may.
    let watch: RunWatch?

    /// Where frames that could not be processed are reported, if anybody asked.
    let onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)?

    /// What is said of the run in the recordings that it makes.
    let provenance: [Provenance]

    /// What keeps or gives what tasks take, if there is such.
    let tape: Tape?

    /// Does what is due at a time, in a live run.
    let timer: RunTimer?

    let clock: any RunClock
    let log: Log

    init(
        clock: any RunClock, log: Log, isLive: Bool = false, onDrop: (@Sendable (DropRecord) -> Void)?,
        onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)? = nil, tape: Tape? = nil,
        provenance: [Provenance] = [], watch: RunWatch? = nil
    ) {
        self.provenance = provenance
        self.watch = watch
        self.tape = tape
        self.onFailure = onFailure
        self.clock = clock
        timer = isLive ? RunTimer(clock: clock) : nil
        self.log = log
        self.onDrop = onDrop
        timer?.onIdle { [weak self] in self?.changeActive(by: 0) }
        cancel.onRequest { [weak self] in
            guard let self else { return }
            cancelled.store(true, ordering: .relaxed)
            wakeAll()
            Task(executorPreference: clock.executor) { [weak self, clock] in
                try? await clock.sleep(until: clock.now + Self.timeToDeliver)
                self?.close()
            }
        }
    }

    /// How long sinks may go on to take what was made before everything had to end.
    private static var timeToDeliver: Int64 { 100_000_000 }

    /// Whether everything must end: nothing more is worked on, and what was made is handed to the sinks.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Whether waiting is over for sinks too.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Whether all sources have ended: what is under way is all that comes.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Whether what has ended may have been cut short by a failure of a batch run. What stages hold, and what waits where edges
    /// come together, must not come out then as if all had come: what is written is the beginning of what would have been.
    var isCutShort: Bool { timer == nil && failed.load(ordering: .acquiring) }

    private func close() {
        closed.store(true, ordering: .relaxed)
        wakeAll()
    }

    private func wakeAll() {
        for (waker, _) in state.withLock({ $0.wakers }) { waker.signal() }
    }

    /// All failures, the root cause first.
    var failures: [(node: String, error: PipelineError)] { state.withLock { $0.failures } }

    /// The nodes whose tasks wait for other tasks of the run.
    var parkedNodes: Set<String> {
        state.withLock { state in
            Set(
                state.wakers.filter { state.parked[ObjectIdentifier($0.waker)].map { $0.depth > 0 } ?? false }.map(
                    \.node))
        }
    }

    /// Makes the waker of the task of this run that a node heads.
    func makeWaker(of node: String) -> Waker {
        let waker = Waker(monitor: self)
        state.withLock { $0.wakers.append((waker, node)) }
        return waker
    }

    /// Notes a failure and stops the sources; what is under way drains.
    func fail(_ node: String, _ error: PipelineError) {
        state.withLock { $0.failures.append((node, error)) }
        // Before anything ends because of it.
        failed.store(true, ordering: .releasing)
        stop.request()
    }

    /// Notes that two sources bring a stream by clocks apart. Returns whether a person must still be told.
    func isNew(apart stream: StreamID) -> Bool {
        state.withLock { $0.apart.count < Self.mostApart && $0.apart.insert(stream).inserted }
    }

    private static var mostApart: Int { 10_000 }

    /// Waits as long as a simulated component takes for one frame.
    func serve(_ nanoseconds: Int64) async { try? await clock.work(until: clock.now + nanoseconds) }

    /// Reports a drop to whoever asked for them.
    func noteDrop(_ frame: FrameHeader, at place: String, _ reason: DropReason) {
        if let record = record(frame, at: place, reason) { tell(record) }
    }

    /// What is reported of a drop; `nil` when nobody wants to hear of it.
    func record(_ frame: FrameHeader, at place: String, _ reason: DropReason) -> DropRecord? {
        guard hearsDrops else { return nil }
        return DropRecord(
            stream: frame.stream, timestamp: frame.timestamp, sequence: frame.sequence, place: place,
            reason: reason, age: frame.arrival == 0 ? nil : clock.now - frame.arrival)
    }

    /// Whether anybody wants to hear of a drop now.
    var hearsDrops: Bool { onDrop != nil || watch?.wantsDrops == true }

    /// Tells of a drop whoever wants to hear of it.
    func tell(_ drop: DropRecord) {
        onDrop?(drop)
        watch?.note(drop)
    }

    /// Notes that readers outside the run hold slots: waiting for them is no deadlock.
    func noteReaders() { state.withLock { $0.dependsOnReaders = true } }

    /// Notes that `count` tasks begin, of which some are sources.
    func taskBegan(_ count: Int, sources: Int) {
        state.withLock { state in
            state.active += count
            state.sources += sources
        }
    }

    /// Notes that a task has ended.
    func taskEnded() { changeActive(by: -1) }

    /// Notes that a source brings nothing any more. Its task has still to end.
    func sourceEnded() {
        let isLast = state.withLock { state in
            state.sources -= 1
            return state.sources == 0
        }
        guard isLast else { return }
        draining.store(true, ordering: .relaxed)
        wakeAll()
    }

    /// Notes that a task has parked, and what it waits for.
    func parked(_ waker: Waker, waitingFor reason: String) {
        // A signal may already have taken it out again: the two notes come in either order, and their sum counts.
        state.withLock { state in
            let depth = state.parked[ObjectIdentifier(waker)]?.depth ?? 0
            state.parked[ObjectIdentifier(waker)] = (depth + 1, reason)
        }
        changeActive(by: -1)
    }

    /// Notes that a parked task is about to go on. Called by whoever wakes it, before it runs.
    func unparked(_ waker: Waker) {
        state.withLock { state in
            state.parked[ObjectIdentifier(waker), default: (0, "")].depth -= 1
            state.active += 1
        }
    }

    private func changeActive(by amount: Int) {
        let stuck = state.withLock { state -> [String] in
            state.active += amount
            return state.active == 0 && !state.dependsOnReaders
                ? state.parked.values.filter { $0.depth > 0 }.map(\.reason).sorted() : []
        }
        // Something that is due may still set things going; the timer asks again when nothing is left.
        guard !stuck.isEmpty, !isCancelled, !(timer?.isWaiting ?? false) else { return }
        fail(
            "engine",
            PipelineError(
                .configuration, "run.deadlock", "nothing can go on: " + stuck.joined(separator: "; "),
                help: "a branch holds back more frames than another branch's capacity; raise that edge's capacity"))
        cancel.request()
    }
}
