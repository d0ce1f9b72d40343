/// The task of a sink that is not called directly. A sink that may block has its own thread.
// Only its own task accesses its state once it runs. A reload or commit point may do so while the run is frozen.
final class SinkTask<S: Sink>: RunTask, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.sink
    let executor: ThreadExecutor?
    let node: SinkNode<S>
    private let link: AnyLink
    /// The payload type, whose functions pass frames on. It is stored, so that it is not looked up for every frame.
    private let payload: any Payload.Type
    let input: TaskInput
    private let metrics: NodeMetrics
    private let monitor: RunMonitor
    private let service: SimulatedWork
    var times: StreamTimes

    init(_ node: SinkNode<S>, _ task: TaskContext, input: TaskInput, executor: ThreadExecutor?) {
        times = StreamTimes(maxStreams: task.maxStreams)
        service = task.service
        name = task.account.id
        self.node = node
        link = node.link
        payload = S.Input.self
        self.input = input
        self.executor = executor
        (metrics, monitor) = (task.account.metrics, task.account.monitor)
    }

    var isOpen: Bool { node.isOpen }

    func open() async throws { try await node.open() }

    func run() async {
        var batch: [EdgeItem<FrameCell>] = []
        var flushedAt = monitor.clock.now
        var hasWritten = false
        taking: while true {
            if let request = input.takeRequest() {
                guard case .flush = request else {
                    node.flush()
                    return input.end()
                }
                input.flush(into: &batch)
                for item in batch { take(item) }
                batch.removeAll(keepingCapacity: true)
            }
            switch input.look(into: &batch) {
            case .items: break
            case .finished: break taking
            case .nothing:
                if hasWritten { node.flush() }
                hasWritten = false
                await input.wait()
                continue
            }
            let began = monitor.clock.now
            var frames: Int64 = 0
            for item in batch {
                if case .frame = item {
                    frames += 1
                    if !service.isZero { await monitor.serve(service) }
                }
                take(item)
            }
            batch.removeAll(keepingCapacity: true)
            let now = monitor.clock.now
            if frames > 0 { metrics.time.record((now - began) / frames) }
            hasWritten = true
            node.settle()
            // Flush from time to time even if frames are always waiting, so that written frames become visible.
            if now - flushedAt > Pace.patience {
                node.flush()
                flushedAt = now
                hasWritten = false
            }
            if node.readerIsGone { input.join.renounce() }
        }
        input.join.abandon { item in
            guard case .frame(let cell) = item else { return }
            // A complete run might have written frames of other edges before this frame, so it must not be written now.
            if input.join.isMerged, monitor.isCutShort {
                node.refuse(cell.header.pointee, .cancelled)
                input.recycle(cell)
            } else {
                receive(cell)
            }
        }
        node.flush()
        input.end()
    }

    private func take(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .frame(let cell): receive(cell)
        case .mark(.credit(let credit, _)): credit.end()
        case .mark(.end(let stream, let end)):
            times.end(stream)
            node.pass(end, of: stream)
        case .mark: break
        }
    }

    private func receive(_ cell: FrameCell) {
        if input.mayBeLate, times.noteFrame(&cell.header.pointee) {
            node.refuse(cell.header.pointee, .late)
            return input.recycle(cell)
        }
        payload._hand(cell.memory, to: link)
        input.giveBack(cell)
    }

    func close() async { await node.close() }
}

/// A sink that never blocks and is called directly by the previous stage or source. This task only opens and closes it.
// The sink is opened before the task that calls its node runs, and closed after that task has ended. A reload or commit point may
// access it while the run is frozen.
final class FusedSinkTask<S: Sink>: RunTask, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.fusedSink
    let node: SinkNode<S>

    init(name: String, node: SinkNode<S>) {
        self.name = name
        self.node = node
    }

    var isOpen: Bool { node.isOpen }

    func open() async throws { try await node.open() }
    func run() async {}

    func close() async { await node.close() }
}
