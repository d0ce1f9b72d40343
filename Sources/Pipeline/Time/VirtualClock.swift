import Synchronization

/// A clock whose time advances only when no task can run. It then jumps to the next time that a task waits for.
///
/// A run with this clock in its options is a deterministic discrete-event simulation, and runs as fast as the machine allows:
///
/// ```swift
/// var options = Run.Options()
/// options.clock = VirtualClock()
/// ```
///
/// Work that ends at some time comes before work that starts at the same time. If several tasks wait for the same time, those that
/// simulate work (``work(until:of:)``) continue first. Those that sleep (``sleep(until:)``) continue only when everything that follows
/// from that work is done. A frame that arrives at the time at which another frame is finished therefore finds a free
/// credit (``EdgePolicy/inFlight``). For the same reason, the work of a node ends before that of the nodes
/// that it receives frames from.
///
/// Only an executor knows when no job is left, so the clock is an executor too. It runs one job at a time, in the order in which
/// the jobs became ready. All tasks of the run prefer this executor. Other tasks take part in the simulation with ``run(_:)``. The
/// clock advances even while a task waits for anything outside the simulation.
// The mutex guards the unowned jobs and the continuations. Each of them is run or resumed once.
public final class VirtualClock: RunClock, TaskExecutor, @unchecked Sendable {
    /// A task that waits for a time. If several tasks wait for the same time, those that simulate work go first, and of these the
    /// nodes behind the others.
    private struct Waiting: Comparable {
        let deadline: Int64
        /// The index of the node that works; -1 for a task that sleeps.
        let node: Int
        let id: Int

        static func < (a: Waiting, b: Waiting) -> Bool {
            (a.deadline, -a.node, a.id) < (b.deadline, -b.node, b.id)
        }
    }

    private struct State {
        var now: Int64
        var jobs = Deque<UnownedJob>()
        var waiting = Heap<Waiting>()
        var continuations: [Int: UnsafeContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var nextSleeper = 0
        var isWorking = false
    }

    private let state: Lock<State>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial time, in nanoseconds.
    public init(now: Int64 = 1_000_000_000) { state = Lock(State(now: now)) }

    public var now: Int64 { state.withLock { $0.now } }

    public var executor: (any TaskExecutor)? { self }

    /// Runs `body` as part of the simulation.
    public func run<Result: Sendable>(_ body: @Sendable @escaping () async throws -> Result) async rethrows -> Result {
        try await withTaskExecutorPreference(self) { try await body() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startIfIdle { $0.jobs.append(job) }
    }

    public func sleep(until deadline: Int64) async throws { try await wait(until: deadline, node: -1) }

    public func work(until deadline: Int64, of node: Int) async throws {
        try await wait(until: deadline, node: max(0, node))
    }

    private func wait(until deadline: Int64, node: Int) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            defer { state.nextSleeper += 1 }
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                var isCancelled = false
                startIfIdle { state in
                    isCancelled = state.cancelled.remove(id) != nil
                    guard !isCancelled else { return }
                    state.waiting.insert(Waiting(deadline: deadline, node: node, id: id))
                    state.continuations[id] = continuation
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let waiting = state.continuations.removeValue(forKey: id)
                if waiting == nil { state.cancelled.insert(id) }
                return waiting
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    // MARK: Work

    private func startIfIdle(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if mustStart { startThread { [self] in work() } }
    }

    private enum Step {
        case job(UnownedJob)
        case wake(UnsafeContinuation<Void, any Error>)
        case nothing
    }

    /// Runs jobs until no job is left and no task sleeps.
    private func work() {
        while true {
            switch state.withLock({ Self.nextStep(&$0) }) {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .wake(let continuation): continuation.resume()
            case .nothing: return
            }
        }
    }

    private static func nextStep(_ state: inout State) -> Step {
        if !state.jobs.isEmpty { return .job(state.jobs.removeFirst()) }
        while let next = state.waiting.removeFirst() {
            guard let continuation = state.continuations.removeValue(forKey: next.id) else { continue }
            state.now = max(state.now, next.deadline)
            return .wake(continuation)
        }
        state.isWorking = false
        return .nothing
    }
}
