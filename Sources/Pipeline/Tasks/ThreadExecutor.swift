#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A task executor with its own thread, for a task whose calls may block or take long: a source, a sink or a worker. The thread
/// runs until ``stop()`` is called, even if nothing else refers to the executor.
///
/// Swift's concurrency pool has one thread per core and must not be blocked. All jobs of a task that prefers this executor run on
/// its thread, so the task can use objects that belong to one thread (a ZeroMQ socket).
// The pthread mutex guards the queue.
final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isStopping = false

    /// Starts the thread. Returns `nil` if the system allows no more threads. The task then runs in the concurrency pool, where its
    /// calls may delay other tasks.
    init?() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        guard tryToStartThread({ [self] in work() }) else { return nil }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        jobs.append(job)
        // The job may run as soon as the lock is free, and release the last reference to this object.
        let this = Unmanaged.passRetained(self)
        pthread_mutex_unlock(mutex)
        // After the unlock: the woken thread would otherwise have to wait for the lock, with two more switches.
        pthread_cond_signal(condition)
        this.release()
    }

    /// Ends the thread once it has nothing left to do.
    func stop() {
        pthread_mutex_lock(mutex)
        isStopping = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func work() {
        while true {
            pthread_mutex_lock(mutex)
            while jobs.isEmpty, !isStopping { pthread_cond_wait(condition, mutex) }
            let batch = jobs
            jobs.removeAll(keepingCapacity: true)
            let ends = batch.isEmpty && isStopping
            pthread_mutex_unlock(mutex)
            if ends { return }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
