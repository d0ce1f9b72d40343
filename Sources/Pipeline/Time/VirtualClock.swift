import Synchronization

/// A clock whose time passes only when nothing is left to do: then it leaps to the next moment somebody waits for.
///
/// A run whose options name it is a deterministic discrete-event simulation, as fast as the machine goes:
///
/// ```swift
/// var options = Run.Options()
/// options.clock = VirtualClock()
/// ```
///
/// What is done at a moment comes before what begins at it: of those who wait for one time, they that work (``work(until:)``)
/// go on first, and only when all that follows from it is done, they that ``sleep(until:)``. So a frame that comes at the very
/// time at which another is finished finds its place free.
///
/// Only whoever runs the jobs knows that none is left, so the clock is an executor as well: one job at a time, in the
/// order in which they became ready. All tasks of the run prefer it. A person's own task takes part in the simulation
/// by ``run(_:)``; what waits for anything but this clock stands outside it, and time does not wait for that.
// The unowned jobs and continuations are guarded by the mutex; each is run or resumed once.
public final class VirtualClock: RunClock, TaskExecutor, @unchecked Sendable {
    private struct State {
        var now: Int64
        var jobs: [UnownedJob] = []
        var nextJob = 0
        /// Who sleeps, earliest first, ties in the order in which they came.
        var sleepers = DeadlineQueue<Int>()
        /// Who works: of those that wake at one time they are the first.
        var workers = DeadlineQueue<Int>()
        var continuations: [Int: UnsafeContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var nextSleeper = 0
        var isWorking = false
    }

    private let state: Lock<State>

    /// Makes one.
    ///
    /// - Parameter now: What it shows at first, in nanoseconds.
    public init(now: Int64 = 1_000_000_000) { state = Lock(State(now: now)) }

    public var now: Int64 { state.withLock { $0.now } }

    public var executor: (any TaskExecutor)? { self }

    /// Does `body` as part of the simulation.
    public func run<Result: Sendable>(_ body: @Sendable @escaping () async throws -> Result) async rethrows -> Result {
        try await withTaskExecutorPreference(self) { try await body() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startIfIdle { $0.jobs.append(job) }
    }

    public func sleep(until deadline: Int64) async throws { try await wait(until: deadline, isWork: false) }

    public func work(until deadline: Int64) async throws { try await wait(until: deadline, isWork: true) }

    private func wait(until deadline: Int64, isWork: Bool) async throws {
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
                    if isWork {
                        state.workers.insert(id, at: deadline)
                    } else {
                        state.sleepers.insert(id, at: deadline)
                    }
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

    /// Runs jobs until none is left and nobody sleeps.
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
        if state.nextJob < state.jobs.count {
            defer { state.nextJob += 1 }
            return .job(state.jobs[state.nextJob])
        }
        state.jobs.removeAll(keepingCapacity: true)
        state.nextJob = 0
        while let (deadline, id) = nextWaiting(&state) {
            guard let continuation = state.continuations.removeValue(forKey: id) else { continue }
            state.now = max(state.now, deadline)
            return .wake(continuation)
        }
        state.isWorking = false
        return .nothing
    }

    private static func nextWaiting(_ state: inout State) -> (deadline: Int64, value: Int)? {
        guard let work = state.workers.first, work <= state.sleepers.first ?? .max else {
            return state.sleepers.removeFirst()
        }
        return state.workers.removeFirst()
    }
}
