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
    private var order: StreamOrder
    private var remaining: Int64
    /// Whether frames are stamped with their arrival, and each is followed by its bound.
    private let isLive: Bool
    private var arrival: Int64 = 0
    private var isOpen = false
    private var hasFailed = false

    init(
        _ source: S, inlet: Inlet<S.Output>, outlets: [any AnyOutlet], errors: Inlet<FailedFrame>?,
        rules: Plan.SourceRules, context: SourceContext, metrics: NodeMetrics, policy: ErrorPolicy,
        monitor: RunMonitor, waker: Waker, executor: ThreadExecutor?, limit: Int64?,
        isLive: Bool = false
    ) {
        self.isLive = isLive
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
        order = StreamOrder(rules)
        remaining = limit ?? .max
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
            for item in batch.items {
                take(item)
                for outlet in outlets where outlet.isReady { await outlet.flush(waker, monitor, at: name) }
            }
            batch.items.removeAll(keepingCapacity: true)
            for outlet in outlets { await outlet.flush(waker, monitor, at: name) }
        }
        for outlet in outlets { outlet.finish() }
    }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        await source.close()
    }

    private func take(_ item: SourceBatch<S.Output>.Item) {
        switch item {
        case .frame(let frame):
            metrics.received.add()
            guard !hasFailed, remaining > 0 else {
                return drop(frame.stream, frame.timestamp, frame.sequence, hasFailed ? .cancelled : "limit")
            }
            takeFrame(frame)
        case .failure(let error, let stream):
            metrics.received.add()
            if hasFailed { return drop(stream, .zero, 0, .cancelled) }
            order.noteMissing(1, of: stream)
            fail(error, stream: stream, frame: nil)
        case .drop(let stream, let timestamp, let sequence, let reason):
            metrics.received.add()
            if reason.isLoss { order.noteMissing(1, of: stream) }
            drop(stream, timestamp, sequence, reason)
        case .bound(let time):
            for outlet in outlets { outlet.bound(nil, time) }
        case .end(let stream), .epoch(let stream):
            order.end(stream)
            for outlet in outlets { outlet.end(stream) }
        case .lost(let stream, let count):
            metrics.lost.add(count)
            order.noteMissing(count, of: stream)
        }
    }

    private func takeFrame(_ frame: Frame<S.Output>) {
        switch order.judge(frame.timestamp, frame.stream) {
        case .pass: emit(frame)
        case .passInNewEpoch:
            for outlet in outlets { outlet.end(frame.stream) }
            emit(frame)
        case .clamp(let timestamp):
            var frame = frame
            frame.timestamp = timestamp
            emit(frame)
        case .drop: drop(frame.stream, frame.timestamp, frame.sequence, .disorder)
        case .fail(let words):
            fail(
                .frame(
                    "source.disorder", words, location: frame.place,
                    help: "on_disorder: drop, clamp or new_epoch says what else to do"),
                stream: frame.stream, frame: frame)
        }
    }

    private func emit(_ frame: Frame<S.Output>) {
        metrics.passed.add()
        remaining -= 1
        let gap = order.takeGap()
        if isLive {
            var frame = frame
            frame.gap &+= gap
            frame.arrival = arrival
            inlet.receive(frame)
            for outlet in outlets { outlet.bound(frame.stream, frame.timestamp) }
        } else if gap == 0 {
            inlet.receive(frame)
        } else {
            var frame = frame
            frame.gap &+= gap
            inlet.receive(frame)
        }
        metrics.emitted.add()
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
