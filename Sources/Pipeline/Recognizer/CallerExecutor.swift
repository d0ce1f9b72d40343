import Synchronization

/// An executor that runs the tasks of a run only while a thread calls ``drain()``, and only in that thread. It makes the
/// processing of a whole graph a synchronous call.
///
/// A caller passes in a value and then calls ``drain()``, which returns when no task can continue. Tasks cannot wait for a point in
/// time: ``sleep(until:)`` throws.
// The list holds unowned jobs, each of which must run exactly once. The lock guards the list.
final class CallerExecutor: RunClock, TaskExecutor, @unchecked Sendable {
    private let jobs = Lock<[UnownedJob]>([])
    private let clock = SystemClock()

    var now: Int64 { clock.now }

    var executor: (any TaskExecutor)? { self }

    /// Throws immediately: work that is scheduled for later never runs.
    func sleep(until deadline: Int64) async throws { throw CancellationError() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs until none is left. Only one thread at a time may call this.
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
