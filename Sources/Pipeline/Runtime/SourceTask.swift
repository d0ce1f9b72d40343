/// Reads a source, keeps its streams in order, counts, and moves its frames to the edges behind it.
// Everything in it is touched by its own task only, once it runs.
final class SourceTask<S: Source>: RunTask, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.source
    let executor: ThreadExecutor?
    private var source: S
    private let inlet: Inlet<S.Output>
    private let outlets: [any AnyOutlet]
    private let errors: Inlet<FailedFrame>?
    private let context: SourceContext
    private let metrics: NodeMetrics
    private let policy: ErrorPolicy
    private let monitor: RunMonitor
    private let waker: Waker
    // Behind a pointer: a stored one would cost an exclusivity check at every frame.
    private let order: UnsafeMutablePointer<StreamOrder>
    private var remaining: Int64
    /// Whether frames are stamped with their arrival, and each is followed by its bound.
    private let isLive: Bool
    private var arrival: Int64 = 0
    private let liveTime: LiveTime?
    private let onLate: LatePolicy
    private var isOpen = false
    private var hasFailed = false

    init(
        _ source: S, inlet: Inlet<S.Output>, outlets: [any AnyOutlet], errors: Inlet<FailedFrame>?,
        rules: Plan.SourceRules, context: SourceContext, metrics: NodeMetrics, policy: ErrorPolicy,
        monitor: RunMonitor, waker: Waker, executor: ThreadExecutor?, limit: Int64?,
        isLive: Bool = false, liveTime: LiveTime? = nil, onLate: LatePolicy = .drop
    ) {
        self.isLive = isLive
        self.liveTime = liveTime
        self.onLate = onLate
        self.source = source
        self.inlet = inlet
        self.outlets = outlets
        self.errors = errors
        self.context = context
        self.metrics = metrics
        self.policy = policy
        self.monitor = monitor
        self.waker = waker
        self.executor = executor
        name = context.id
        order = .allocate(capacity: 1)
        order.initialize(to: StreamOrder(rules))
        remaining = limit ?? .max
    }

    deinit {
        order.deinitialize(count: 1)
        order.deallocate()
    }

    func open() async throws {
        isOpen = true
        try await source.open(context)
    }

    func run() async {
        var batch = SourceBatch<S.Output>()
        var hasMore = true
        while hasMore, !hasFailed, remaining > 0, !monitor.stop.isRequested {
            do {
                hasMore = try await source.read(into: &batch)
            } catch {
                if !(error is CancellationError && monitor.stop.isRequested) {
                    monitor.fail(name, PipelineError(wrapping: error))
                }
                hasMore = false
            }
            if isLive { arrival = max(1, monitor.clock.now) }
            var place = 0
            var next = 0
            while true {
                if next < batch.events.count, batch.events[next].place == place {
                    take(batch.events[next].event)
                    next += 1
                } else if place < batch.frames.count {
                    take(&batch.frames.address(place).assumingMemoryBound(to: Frame<S.Output>.self).pointee)
                    place += 1
                } else {
                    break
                }
                for outlet in outlets where outlet.isReady && outlet.offer() != nil {
                    await outlet.flush(waker, monitor, at: name)
                }
            }
            batch.removeAll()
            // An asynchronous call costs more than what it would do here, mostly.
            for outlet in outlets where outlet.offer() != nil { await outlet.flush(waker, monitor, at: name) }
        }
        liveTime?.end()
        for outlet in outlets { outlet.finish() }
    }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        await source.close()
    }

    /// Takes a frame that a caller gives, in the caller's thread: all that ``run()`` does with a frame it has read, for a
    /// source that reads nothing. Calls come one at a time, and none after the source's end.
    func take(given frame: Frame<S.Output>) {
        var frame = frame
        if isLive { arrival = max(1, monitor.clock.now) }
        take(&frame)
        // An edge that has no room for it drops a frame; what is still left goes with the next, or at the end.
        for outlet in outlets { _ = outlet.offer() }
    }

    /// Takes a frame where it stands: an exclusive reference to it is what keeps it from being copied.
    private func take(_ frame: inout Frame<S.Output>) {
        metrics.received.add()
        guard !hasFailed, remaining > 0 else {
            return drop(frame.stream, frame.timestamp, frame.sequence, hasFailed ? .cancelled : "limit")
        }
        switch order.pointee.judge(frame.header.timestamp, frame.header.stream) {
        case .pass: emit(&frame)
        case .passInNewEpoch:
            liveTime?.end(frame.stream)
            for outlet in outlets { outlet.end(frame.stream) }
            emit(&frame)
        case .clamp(let timestamp):
            frame.timestamp = timestamp
            emit(&frame)
        case .drop: drop(frame.stream, frame.timestamp, frame.sequence, .disorder)
        case .fail(let words): failOrder(frame, words)
        }
    }

    @inline(never)
    private func failOrder(_ frame: Frame<S.Output>, _ words: String) {
        fail(
            .frame(
                "source.disorder", words, location: frame.place,
                help: "on_disorder: drop, clamp or new_epoch says what else to do"),
            stream: frame.stream, frame: frame)
    }

    private func take(_ event: SourceBatch<S.Output>.Event) {
        switch event {
        case .failure(let error, let stream):
            metrics.received.add()
            if hasFailed { return drop(stream, .zero, 0, .cancelled) }
            order.pointee.noteMissing(1, of: stream)
            fail(error, stream: stream, frame: nil)
        case .drop(let stream, let timestamp, let sequence, let reason):
            metrics.received.add()
            if reason.isLoss { order.pointee.noteMissing(1, of: stream) }
            drop(stream, timestamp, sequence, reason)
        case .bound(let time):
            for outlet in outlets { outlet.bound(nil, time) }
        case .end(let stream), .epoch(let stream):
            order.pointee.end(stream)
            liveTime?.end(stream)
            for outlet in outlets { outlet.end(stream) }
        case .lost(let hole):
            metrics.lost.add(hole.count)
            order.pointee.noteMissing(hole.count, of: hole.stream)
            monitor.onDrop?(
                DropRecord(
                    stream: hole.stream, timestamp: hole.before, sequence: hole.first ?? 0, count: hole.count,
                    place: name, reason: .lost))
        }
    }

    private func emit(_ frame: inout Frame<S.Output>) {
        if let liveTime, !liveTime.note(frame.timestamp, of: frame.stream, arrival: arrival) { return refuse(frame) }
        metrics.passed.add()
        remaining -= 1
        frame.header.gap &+= order.pointee.takeGap()
        if isLive { frame.header.arrival = arrival }
        inlet.receive(frame)
        metrics.emitted.add()
        guard isLive else { return }
        for outlet in outlets { outlet.bound(frame.stream, frame.timestamp) }
    }

    /// A frame that comes after the time of its stream has passed it.
    private func refuse(_ frame: Frame<S.Output>) {
        order.pointee.noteMissing(1, of: frame.stream)
        guard onLate == .fail else { return drop(frame.stream, frame.timestamp, frame.sequence, .late) }
        metrics.failed.add()
        hasFailed = true
        monitor.fail(
            name,
            .frame(
                "source.late", "a frame came after the time of its stream had passed it", location: frame.place,
                help: "raise lateness_ms, or drop such frames with on_late: drop"))
    }

    private func drop(_ stream: StreamID, _ timestamp: Timestamp, _ sequence: Int64, _ reason: DropReason) {
        metrics.dropped.add(reason)
        monitor.onDrop?(
            DropRecord(stream: stream, timestamp: timestamp, sequence: sequence, place: name, reason: reason))
    }

    private func fail(_ error: PipelineError, stream: StreamID, frame: Frame<S.Output>?) {
        metrics.failed.add()
        switch policy {
        case .fail:
            hasFailed = true
            monitor.fail(name, error)
        case .skip: monitor.logSkipped(name, error, count: metrics.failed.value)
        case .route:
            errors?.receive(
                Frame(
                    FailedFrame(node: name, error: error, frame: frame?.payload), at: frame?.timestamp ?? .zero,
                    stream: stream, sequence: frame?.sequence ?? 0, origin: frame?.origin))
        }
    }
}
