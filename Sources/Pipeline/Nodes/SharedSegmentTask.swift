/// The task of a segment whose work several workers share. Each stream belongs to one worker.
///
/// The task takes items from its edges, passes each item to the worker of its stream, and moves the output to its outlets in the
/// order of the input. The output therefore does not depend on the number of workers or on their speed. The task itself makes the
/// decisions that concern several streams: which stream is evicted if there are too many, and the order in which several streams
/// are woken or ended at once.
// Only its own task accesses its state once it runs. A reload or commit point may do so while the run is frozen.
final class SharedSegmentTask: RunTask, @unchecked Sendable {
    /// An item that was taken and whose output has not been released.
    private enum Ticket {
        /// A step of one worker, by its index in the job. The stream is set only if the names of the output streams are recorded.
        case step(SegmentJob, Int, of: StreamID?)
        /// The same step of all workers, and the item that causes it, if any.
        case all([(job: SegmentJob, step: Int)], EdgeItem<FrameCell>?)
        /// An item that does not concern any worker.
        case mark(EdgeItem<FrameCell>)
    }

    let name: String
    let kind = RunTaskKind.segment
    let input: TaskInput
    /// Processes the items that do not concern a worker.
    let front: SegmentBody
    private let context: SegmentContext
    private let outlets: [any AnyOutlet]
    private let signal: OutletSignal
    let workers: [SegmentWorker]
    private let waker: Waker
    private let limits: Limits

    /// The assignment of streams to workers.
    var homes: StreamHomes
    /// The items whose output has not been released, in the order of the input.
    private var window = Deque<Ticket>()
    /// The number of frames that the workers are processing, or whose output has not been released.
    private var frames = 0
    /// The job being filled for each worker.
    private var filling: [SegmentJob?]
    /// The jobs to pass to their workers.
    private var filled: [SegmentJob] = []
    /// For each worker, its jobs with frames whose output has not been released, in order.
    private var given: [Deque<SegmentJob>]
    /// The empty jobs of each worker.
    private var spare: [[SegmentJob]]

    /// The limits for work in progress.
    struct Limits {
        /// The maximum number of frames that the workers are processing, or whose output has not been released.
        var frames: Int
        /// Whether a frame may be taken while another one waits until its worker is free.
        var mayWait: Bool
        /// The maximum number of frames in a job. No output of a job is released before the whole job is done.
        var framesOfJob: Int
        /// The maximum number of streams.
        var maxStreams: Int
    }

    /// - Parameter front: Processes all items that do not concern a worker, and emits to the segment's outlets.
    init(
        input: TaskInput, front: SegmentBody, outlets: [any AnyOutlet], signal: OutletSignal,
        workers: [SegmentWorker], waker: Waker, limits: Limits
    ) {
        name = front.name
        self.input = input
        self.front = front
        context = front.context
        self.outlets = outlets
        self.signal = signal
        self.workers = workers
        self.waker = waker
        self.limits = limits
        homes = StreamHomes(workers: workers.count, maxStreams: limits.maxStreams)
        filling = workers.map { _ in nil }
        given = workers.map { _ in Deque() }
        spare = workers.map { _ in [] }
    }

    func run() async {
        var batch: [EdgeItem<FrameCell>] = []
        var place = 0
        var (isFinished, hasEnded) = (false, false)
        while true {
            if window.isEmpty, let request = input.takeRequest() {
                guard case .flush(let join, let stages) = request else {
                    for worker in workers { worker.endWork() }
                    return waker.pulse.end()
                }
                if join { input.flush(into: &batch) }
                for item in batch { if front.mayWork { dispatch(item) } else { refuse(item) } }
                batch.removeAll(keepingCapacity: true)
                addToAll(.finish(stages), for: nil)
                send()
            }
            release()
            if outlets.offer() != nil { await outlets.flush(waker, context.monitor, at: name) }
            front.noteReaders(outlets, input)
            if context.hasFailed { break }
            if signal.isRaised {
                signal.isRaised = false
                continue
            }
            if hasRoom {
                if place < batch.count {
                    dispatch(batch, from: &place)
                    continue
                }
                batch.removeAll(keepingCapacity: true)
                place = 0
                if !isFinished {
                    switch input.look(into: &batch) {
                    case .items: continue
                    case .finished: isFinished = true
                    case .nothing: break
                    }
                }
            }
            if let first = window.first {
                // Wait for a worker or a frame: both wake the task.
                if !isDone(first) { await waker.wait(for: nil) }
            } else if !isFinished {
                await input.wait()
            } else if hasEnded || isCutShort || front.isUnused {
                break
            } else {
                hasEnded = true
                addToAll(.endAll, for: nil)
                send()
            }
        }
        await drain()
        for item in batch[place...] { refuse(item) }
        if isCutShort { input.join.abandon(refuse) }
        await outlets.flush(waker, context.monitor, at: name)
        for outlet in outlets { outlet.finish() }
        waker.pulse.end()
        for worker in workers { worker.endWork() }
    }

    private var isCutShort: Bool {
        context.hasFailed || context.monitor.isCancelled || context.monitor.isCutShort || input.join.isCutShort
    }

    /// Whether more items may be taken. Marks count too.
    private var hasRoom: Bool {
        frames < limits.frames && window.count < 8 * limits.frames + 64 && (limits.mayWait || !isWaiting)
    }

    /// Whether a worker has a frame that it has not begun to process.
    private var isWaiting: Bool { given.contains { $0.count > 1 && !$0[$0.count - 2].isDone } }

    /// Waits for the remaining work of the workers, and releases its output.
    private func drain() async {
        if context.hasFailed { for worker in workers { worker.stop() } }
        while let first = window.first {
            if isDone(first) {
                window.removeFirst()
                release(first)
            } else {
                await waker.wait(for: nil)
            }
        }
    }

    // MARK: Dispatching

    /// Passes items from `place` on to the workers, as long as there is room.
    private func dispatch(_ batch: [EdgeItem<FrameCell>], from place: inout Int) {
        repeat {
            if front.mayWork { dispatch(batch[place]) } else { refuse(batch[place]) }
            place += 1
        } while place < batch.count && hasRoom
        send()
    }

    private func dispatch(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .frame(let cell):
            let stream = cell.stream
            let use = homes.use(stream)
            if let evicted = use.evicted { add(.evict(evicted.stream), to: evicted.worker, of: evicted.stream) }
            frames += 1
            add(.item(item, ordinal: use.ordinal), to: use.worker, of: front.renamesStreams ? stream : nil)
        case .mark(.bound(nil, let time)): addToAll(.globalWatermark(time), for: item)
        case .mark(.bound(let stream?, _)):
            guard let worker = homes.worker(of: stream) else { return window.append(.mark(item)) }
            add(.item(item, ordinal: 0), to: worker, of: stream)
        case .mark(.end(let stream, _)):
            guard let worker = homes.end(stream) else { return window.append(.mark(item)) }
            add(.item(item, ordinal: 0), to: worker, of: stream)
        case .mark: window.append(.mark(item))
        }
    }

    private func add(_ step: SegmentJob.Step, to worker: Int, of stream: StreamID? = nil) {
        let job = job(of: worker, for: step)
        window.append(.step(job, job.steps.count, of: stream))
        job.add(step)
    }

    private func addToAll(_ step: SegmentJob.Step, for item: EdgeItem<FrameCell>?) {
        let jobs = workers.indices.map { job(of: $0, for: step) }
        window.append(.all(jobs.map { ($0, $0.steps.count) }, item))
        for job in jobs { job.add(step) }
    }

    /// Returns the job for a worker's next step.
    private func job(of worker: Int, for step: SegmentJob.Step) -> SegmentJob {
        if let job = filling[worker] {
            // With one frame in a job, what comes before a frame must not wait for this frame.
            if !step.isFrame || limits.framesOfJob > 1 && job.frames < limits.framesOfJob { return job }
            filled.append(job)
        }
        let job = spare[worker].popLast() ?? SegmentJob(worker: worker, workers[worker].buffers.map(\.store))
        filling[worker] = job
        return job
    }

    /// Passes all jobs with steps to their workers.
    private func send() {
        for worker in filling.indices {
            if let job = filling[worker].take() { filled.append(job) }
        }
        for job in filled {
            if job.frames > 0 { given[job.worker].append(job) }
            workers[job.worker].give(job)
        }
        filled.removeAll(keepingCapacity: true)
    }

    // MARK: Releasing in order

    private func isDone(_ ticket: Ticket) -> Bool {
        switch ticket {
        case .step(let job, _, _): job.isDone
        case .all(let steps, _): steps.allSatisfy(\.job.isDone)
        case .mark: true
        }
    }

    /// Releases output in the order of the input, until enough items wait to be moved.
    private func release() {
        while !signal.isRaised, !context.hasFailed, let first = window.first, isDone(first) {
            window.removeFirst()
            release(first)
        }
    }

    private func release(_ ticket: Ticket) {
        switch ticket {
        case .step(let job, let step, let stream):
            releasePart(of: job)
            if let stream { front.noteNames(of: stream, isFrame: job.steps[step].isFrame) }
            switch job.steps[step] {
            case .item(.frame(let cell), _):
                frames -= 1
                input.giveBack(cell)
            case .item(.mark(.end(let stream, let end)), _):
                // A worker does not know whether streams that other workers process have ended.
                if front.renamesStreams, !context.hasFailed { front.pass(end, of: stream) }
                homes.left(stream)
            case .evict(let stream): homes.left(stream)
            case .item, .globalWatermark, .finish, .endAll: break
            }
            finish(job)
        case .all(let steps, let item):
            while let next = steps.compactMap({ entry in entry.job.nextTurn(of: entry.step).map { ($0, entry.job) } })
                .min(by: { $0.0 < $1.0 })
            {
                releasePart(of: next.1)
                if let stream = next.0.stream { front.noteNames(of: stream) }
            }
            if let item { take(item) }
            for (job, _) in steps { finish(job) }
        case .mark(let item): take(item)
        }
    }

    private func releasePart(of job: SegmentJob) {
        let isCancelled = context.hasFailed
        job.release(to: outlets, isCancelled: isCancelled)
        for report in job.releaseReports() {
            if case .drop = report {
                report.tell(context.monitor)
            } else if !isCancelled, report.tell(context.monitor) {
                context.hasFailed = true
            }
        }
    }

    private func finish(_ job: SegmentJob) {
        job.left -= 1
        guard job.left == 0 else { return }
        if job.frames > 0 { given[job.worker].removeFirst() }
        job.clear()
        spare[job.worker].append(job)
    }

    private func take(_ item: EdgeItem<FrameCell>) {
        if context.hasFailed { refuse(item) } else { front.take(item) }
    }

    private func refuse(_ item: EdgeItem<FrameCell>) { front.refuse(item, of: input) }
}
