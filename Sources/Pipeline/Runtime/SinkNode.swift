/// A sink in its place, whether it is called directly by the stage before it or by its own task.
///
/// A frame that the sink has taken counts as written when the sink no longer holds it; see ``Sink/unwritten``.
final class SinkNode<S: Sink>: Inlet<S.Input>, AnyOutlet {
    private let sink: UnsafeMutablePointer<S>
    private let metrics: NodeMetrics
    private let policy: ErrorPolicy
    private let monitor: RunMonitor
    private let reports: FlightReports
    private let maxStreams: Int
    private var isOpen = false
    /// Set when nobody reads any more what it writes.
    private(set) var readerIsGone = false

    /// How many frames the sink has taken that have not ended.
    private var taken: Int64 = 0
    /// Their headers, where somebody wants to hear of drops.
    private var takenHeaders: [FrameHeader] = []
    /// When the frame taken last arrived; 0 in batch mode.
    private var lastArrival: Int64 = 0

    /// Set while nothing can be written and the policy is to skip.
    private var outage: SinkOutage?

    /// Set when the sink failed and its policy is to fail.
    private(set) var hasFailed = false

    init(
        _ sink: S, metrics: NodeMetrics, policy: ErrorPolicy, monitor: RunMonitor,
        reports: FlightReports = FlightReports(), maxStreams: Int = 10_000
    ) {
        self.reports = reports
        self.maxStreams = maxStreams
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
        if let outage, monitor.clock.now < outage.retryAt { return metrics.failed.add() }
        do {
            try sink.pointee.write(frame)
            taken += 1
            lastArrival = frame.header.arrival
            if monitor.onDrop != nil { takenHeaders.append(frame.header) }
        } catch {
            return failed(frame, error)
        }
        if outage != nil { confirmWriting() }
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
            report(error, place: frame.place, failed: 1)
        }
    }

    /// Opens the sink.
    func open() async throws {
        try await sink.pointee.open(
            SinkContext(
                id: metrics.id, clock: monitor.clock, stop: monitor.stop, cancel: monitor.cancel, log: monitor.log,
                counts: metrics.counts, maxStreams: maxStreams))
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
        // What could not be written is not held any more; the next frame shows whether writing works again.
        guard outage == nil else { return }
        attempt { try sink.pointee.flush() }
        settle()
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
            report(error, place: nil, isLast: true)
        }
        settle()
    }

    /// Counts as written what the sink holds no longer.
    func settle() {
        let written = taken - min(taken, max(0, Int64(sink.pointee.unwritten)))
        guard written > 0 else { return }
        taken -= written
        metrics.passed.add(written)
        if !takenHeaders.isEmpty { takenHeaders.removeFirst(Int(written)) }
        if lastArrival != 0 { metrics.age.set(monitor.clock.now - lastArrival) }
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
        settle()
        metrics.dropped.add(.readerGone, taken)
        for header in takenHeaders { monitor.noteDrop(header, at: metrics.id, .readerGone) }
        forgetTaken()
        readerIsGone = true
        reports.gone()
        monitor.stop.request()
    }

    private func forgetTaken() {
        taken = 0
        takenHeaders = []
        sink.pointee.discard()
    }

    @inline(never)
    private func drop(_ frame: FrameHeader, _ reason: DropReason) {
        metrics.dropped.add(reason)
        monitor.noteDrop(frame, at: metrics.id, reason)
    }

    /// What concerns one frame, or the writing of several, follows `on_error`; what else is wrong ends the run.
    ///
    /// - Parameters:
    ///   - failed: How many frames have been counted as failed because of it.
    ///   - isLast: Whether nothing will be tried again. What has cost no frame would be lost without a count then.
    private func report(_ error: any Error, place: String?, failed: Int64 = 0, isLast: Bool = false) {
        var error = PipelineError(wrapping: error)
        if error.location == nil, error.category == .frame { error.location = place }
        // What is held cannot be written either.
        var failed = failed
        if error.category != .frame {
            settle()
            metrics.failed.add(taken)
            failed += taken
            forgetTaken()
        }
        switch error.category {
        case .frame where policy != .fail: monitor.logSkipped(metrics.id, error, count: metrics.failed.value)
        case .environment where policy != .fail && !isLast: noteOutage(error, failed)
        case .environment where policy != .fail && failed > 0:
            monitor.log(.warning, "\(metrics.id): \(error.description), \(failed) frames have failed")
        default:
            hasFailed = true
            monitor.fail(metrics.id, error)
        }
    }

    private func noteOutage(_ error: PipelineError, _ failed: Int64) {
        let now = monitor.clock.now
        guard outage == nil else {
            outage?.prolong(now)
            return
        }
        outage = SinkOutage(now, failedBefore: metrics.failed.value - failed)
        monitor.log(
            .warning,
            "\(metrics.id): \(error.description); tries again after a pause, and frames that come meanwhile count as failed"
        )
    }

    /// The sink has taken a frame again: if that is written as well, the outage is over.
    @inline(never)
    private func confirmWriting() {
        attempt { try sink.pointee.flush() }
        settle()
        guard taken == 0, !readerIsGone, let ended = outage, ended.retryAt <= monitor.clock.now else { return }
        outage = nil
        let failed = metrics.failed.value - ended.failedBefore
        monitor.log(.warning, "\(metrics.id): writes again; \(failed) frames have failed")
    }
}

/// A time in which a sink cannot write: frames fail at once, and after a pause one is given to it to try.
private struct SinkOutage {
    /// When to try again, in nanoseconds.
    private(set) var retryAt: Int64

    /// How many frames had failed before it began.
    let failedBefore: Int64

    private var pause: Int64 = 1_000_000_000

    /// Begins.
    init(_ now: Int64, failedBefore: Int64) {
        self.failedBefore = failedBefore
        retryAt = now + pause
    }

    /// Another try has failed: the next comes after a pause twice as long, of at most 30 s.
    mutating func prolong(_ now: Int64) {
        guard now >= retryAt else { return }
        pause = min(2 * pause, 30_000_000_000)
        retryAt = now + pause
    }
}
