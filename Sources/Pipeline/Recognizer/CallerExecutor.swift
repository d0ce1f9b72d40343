import Synchronization

/// Runs the tasks of a run in the thread that asks for it, and only then: a whole graph becomes a synchronous call.
///
/// A caller puts something in, and lets the tasks work with ``drain()`` until none can go on. Nothing here waits for a time.
// The unowned jobs are guarded by the lock; each is run once.
final class CallerExecutor: RunClock, TaskExecutor, @unchecked Sendable {
    private let jobs = Lock<[UnownedJob]>([])
    private let clock = SystemClock()

    var now: Int64 { clock.now }

    var executor: (any TaskExecutor)? { self }

    /// Nothing is waited for: what would be done later is done never.
    func sleep(until deadline: Int64) async throws { throw CancellationError() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs until none is left. Only one thread at a time may.
    func drain() {
        while true {
            let batch = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if batch.isEmpty { return }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
