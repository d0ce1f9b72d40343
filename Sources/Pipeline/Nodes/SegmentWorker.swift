import Synchronization

/// One of several workers that share the streams of a segment. It does the jobs that the segment's task gives it, in order.
// Only its own task accesses its state once it runs, except for the queue. A reload or commit point may do so while the run is
// frozen.
final class SegmentWorker: RunTask, @unchecked Sendable {
    private struct Queue {
        var jobs = Deque<SegmentJob>()
        var isClosed = false
    }

    let name: String
    let kind = RunTaskKind.worker
    let executor: ThreadExecutor?
    /// The buffers for its output, one for each outlet of the segment.
    let buffers: [OutletBuffer]
    let body: SegmentBody
    private let context: SegmentContext
    private let owner: Waker
    // Without a monitor: a worker waits only for its segment, and the segment's task itself reports what it waits for.
    private let waker = Waker(monitor: nil)
    private let queue = Lock(Queue())
    private let stopped = Atomic<Bool>(false)
    private var service: SegmentService?

    /// - Parameters:
    ///   - owner: The waker of the segment's task.
    ///   - service: The service times of the nodes, if they are simulated.
    init(name: String, body: SegmentBody, buffers: [OutletBuffer], owner: Waker, service: SegmentService?) {
        self.name = name
        self.body = body
        self.buffers = buffers
        self.owner = owner
        self.service = service
        context = body.context
        if service != nil { context.stopTiming() }
        // A worker has its own thread, because long processing would occupy a thread of the pool that other tasks need.
        executor = context.monitor.clock.executor == nil ? ThreadExecutor() : nil
    }

    func run() async {
        while let job = await next() {
            job.begin(buffers)
            for step in job.steps {
                let isCounted = mayWork
                take(step, of: job)
                // Only now is it known which nodes the frame has reached. Its output leaves when the job is done.
                if isCounted, let work = service?.takeWork(), !work.isZero { await context.monitor.serve(work) }
            }
            job.finish(buffers, context)
            owner.signal()
        }
    }

    // MARK: Called by the segment

    /// Adds a job to the queue.
    func give(_ job: SegmentJob) {
        queue.withLock { $0.jobs.append(job) }
        waker.signal()
    }

    /// Stops processing, because an earlier job has failed the run. The worker only counts the frames of its remaining jobs as
    /// dropped.
    func stop() { stopped.store(true, ordering: .relaxed) }

    /// Announces that no more jobs will follow.
    func endWork() {
        queue.withLock { $0.isClosed = true }
        waker.signal()
    }

    // MARK: Work

    private var mayWork: Bool { body.mayWork && !stopped.load(ordering: .relaxed) }

    private func next() async -> SegmentJob? {
        while true {
            let (job, isClosed) = queue.withLock { queue in
                (queue.jobs.isEmpty ? nil : queue.jobs.removeFirst(), queue.isClosed)
            }
            if let job { return job }
            if isClosed { return nil }
            await waker.wait(for: nil)
        }
    }

    private func take(_ step: SegmentJob.Step, of job: SegmentJob) {
        let chains = body.chains
        switch step {
        case .item(let item, let ordinal):
            chains.nextOrdinal = ordinal
            if mayWork { body.take(item) } else { body.refuse(item, .cancelled) }
            job.endPart(buffers, context, turn: SegmentJob.Turn())
        case .evict(let stream):
            if mayWork { chains.evict(stream) }
            job.endPart(buffers, context, turn: SegmentJob.Turn())
        case .globalWatermark, .finish, .endAll:
            chains.onTurn = { [buffers, context] instance, time in
                let turn = SegmentJob.Turn(time: time, ordinal: instance.ordinal, stream: instance.key)
                job.endPart(buffers, context, turn: turn)
            }
            if case .globalWatermark(let time) = step, mayWork { chains.bound(nil, time) }
            if case .finish(let stages) = step { chains.finish(stages) }
            if case .endAll = step { chains.endAll() }
            chains.onTurn = nil
        }
        job.endStep()
    }
}
