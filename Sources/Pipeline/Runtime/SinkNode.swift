/// A sink in its place, whether it is called directly by the stage before it or by its own task.
final class SinkNode<S: Sink>: Inlet<S.Input>, AnyOutlet {
    private let sink: UnsafeMutablePointer<S>
    private let metrics: NodeMetrics
    private let policy: ErrorPolicy
    private let monitor: RunMonitor
    private let reports: FlightReports
    private var isOpen = false
    /// Set when nobody reads any more what it writes.
    private(set) var readerIsGone = false

    /// Set when the sink failed and its policy is to fail.
    private(set) var hasFailed = false

    init(
        _ sink: S, metrics: NodeMetrics, policy: ErrorPolicy, monitor: RunMonitor,
        reports: FlightReports = FlightReports()
    ) {
        self.reports = reports
        self.sink = .allocate(capacity: 1)
        self.sink.initialize(to: sink)
        self.metrics = metrics
        self.policy = policy
        self.monitor = monitor
        super.init()
    }

    deinit {
        sink.deinitialize(count: 1)
        sink.deallocate()
    }

    override func receive(_ frame: Frame<S.Input>) {
        metrics.received.add()
        if hasFailed { return drop(frame.header, .cancelled) }
        if readerIsGone { return drop(frame.header, .readerGone) }
        do {
            try sink.pointee.write(frame)
            metrics.passed.add()
            if frame.header.arrival != 0 { metrics.age.set(monitor.clock.now - frame.header.arrival) }
        } catch {
            failed(frame, error)
        }
    }

    /// Counts a frame that comes too late to be written.
    func refuse(_ frame: FrameHeader, _ reason: DropReason) {
        metrics.received.add()
        drop(frame, reason)
    }

    // Apart, so that the common path stays short.
    @inline(never)
    private func failed(_ frame: Frame<S.Input>, _ error: any Error) {
        switch error {
        case let refusal as Refusal:
            drop(frame.header, refusal.reason)
        case is ReaderGone:
            drop(frame.header, .readerGone)
            noteReaderGone()
        default:
            metrics.failed.add()
            report(error, place: frame.place)
        }
    }

    /// Opens the sink.
    func open() async throws {
        try await sink.pointee.open(
            SinkContext(
                id: metrics.id, clock: monitor.clock, stop: monitor.stop, cancel: monitor.cancel, log: monitor.log,
                counts: metrics.counts))
        isOpen = true
    }

    // Called directly by the node before it, it is the end of that node's task: nothing waits in it.
    var isReady: Bool { false }
    var wantsBounds: Bool { !reports.edges.isEmpty }
    func bound(_ stream: StreamID?, _ time: Timestamp) { reports.finished(stream, time) }
    func receipt(_ stream: StreamID, _ time: Timestamp) { reports.finished(stream, time) }
    func discard() {}
    func finish() { flush() }
    var isUnwanted: Bool { readerIsGone }

    func offer() -> String? {
        flush()
        return nil
    }

    /// Makes visible what was written; called when nothing more waits.
    func flush() {
        attempt { try sink.pointee.flush() }
    }

    /// Tells the sink that a stream has ended.
    func end(_ stream: StreamID) {
        attempt { try sink.pointee.end(stream) }
        reports.ended(stream)
    }

    /// Closes the sink, if it was opened.
    func close() async {
        guard isOpen else { return }
        isOpen = false
        do {
            try await sink.pointee.close()
        } catch is ReaderGone {
            noteReaderGone()
        } catch {
            report(error, place: nil)
        }
    }

    private func attempt(_ body: () throws -> Void) {
        guard !hasFailed, !readerIsGone else { return }
        do {
            try body()
        } catch is ReaderGone {
            noteReaderGone()
        } catch {
            report(error, place: nil)
        }
    }

    private func noteReaderGone() {
        readerIsGone = true
        reports.gone()
        monitor.stop.request()
    }

    @inline(never)
    private func drop(_ frame: FrameHeader, _ reason: DropReason) {
        metrics.dropped.add(reason)
        monitor.noteDrop(frame, at: metrics.id, reason)
    }

    /// What concerns one frame follows `on_error`; what concerns the sink itself ends the run.
    private func report(_ error: any Error, place: String?) {
        var error = PipelineError(wrapping: error)
        if error.location == nil { error.location = place }
        if error.category == .frame, policy != .fail {
            monitor.logSkipped(metrics.id, error, count: metrics.failed.value)
        } else {
            hasFailed = true
            monitor.fail(metrics.id, error)
        }
    }
}
