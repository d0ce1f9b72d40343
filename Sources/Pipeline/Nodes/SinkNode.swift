/// The node of a sink. Either the previous stage calls it directly, or the sink's own task does.
///
/// A frame that the sink has taken counts as written when the sink no longer holds it; see ``Sink/unwritten``.
final class SinkNode<S: Sink>: AnyOutlet, SinkCalls {
    private let sink: UnsafeMutablePointer<S>
    /// The memory that the sink's witness function uses for every frame.
    private let head: UnsafeMutablePointer<SinkHead>
    private let account: NodeAccount
    private let maxStreams: Int
    private let sources: [String]
    private(set) var isOpen = false
    /// Whether the reader of the sink's output is gone.
    private(set) var readerIsGone = false { didSet { noteRegularity() } }

    /// The headers of the frames that the sink has taken and that have no outcome yet. Kept only if drop records are requested.
    private var takenHeaders: [FrameHeader] = []

    /// The current outage, in which nothing can be written and frames fail, but the run continues; `nil` if there is none.
    private var outage: SinkOutage? { didSet { noteRegularity() } }

    /// Whether the sink has failed, so that the run fails.
    private(set) var hasFailed = false { didSet { noteRegularity() } }

    init(_ sink: S, _ account: NodeAccount, maxStreams: Int = 10_000, sources: [String] = []) {
        self.maxStreams = maxStreams
        self.sources = sources
        self.sink = .allocate(capacity: 1)
        self.sink.initialize(to: sink)
        self.account = account
        head = .allocate(capacity: 1)
        head.initialize(to: SinkHead(sink: UnsafeMutableRawPointer(self.sink), metrics: account.metrics, calls: self))
        noteRegularity()
    }

    deinit {
        head.deallocate()
        sink.deinitialize(count: 1)
        sink.deallocate()
    }

    /// The link that receives the sink's frames.
    var link: AnyLink { AnyLink(S.self, UnsafeMutableRawPointer(head)) }

    private var metrics: NodeMetrics { account.metrics }
    private var monitor: RunMonitor { account.monitor }

    private var taken: Int64 {
        get { head.pointee.taken }
        set { head.pointee.taken = newValue }
    }

    private func noteRegularity() {
        head.pointee.isRegular = !hasFailed && !readerIsGone && outage == nil && monitor.options.onDrop == nil
    }

    func admits(_ header: UnsafePointer<FrameHeader>) -> Bool {
        if hasFailed {
            account.drop(header.pointee, .cancelled)
        } else if readerIsGone {
            account.drop(header.pointee, .readerGone)
        } else if let outage, monitor.clock.now < outage.retryAt {
            metrics.failed.add()
        } else {
            return true
        }
        return false
    }

    func noteTaken(_ header: UnsafePointer<FrameHeader>) {
        if monitor.options.onDrop != nil { takenHeaders.append(header.pointee) }
        if outage != nil { confirmWriting() }
    }

    /// Counts a frame as dropped without passing it to the sink.
    func refuse(_ frame: FrameHeader, _ reason: DropReason) { account.refuse(frame, reason) }

    func fail(_ header: UnsafePointer<FrameHeader>, _ error: any Error) {
        switch error {
        case let refusal as Refusal:
            account.drop(header.pointee, refusal.reason)
        case is ReaderGone:
            account.drop(header.pointee, .readerGone)
            noteReaderGone()
        default:
            metrics.failed.add()
            report(error, place: header.pointee.place, failed: 1)
        }
    }

    /// Opens the sink.
    func open() async throws {
        // After a reload, the sink is already open.
        guard !isOpen else { return }
        var context = SinkContext(
            id: metrics.id, clock: monitor.clock, stop: monitor.stop, cancel: monitor.cancel, log: log,
            counts: metrics.counts, maxStreams: maxStreams)
        (context.sources, context.provenance, context.commits) = (sources, monitor.options.provenance, monitor.commits)
        context.checkCutShort = { [monitor] in monitor.isCancelled || !monitor.failures.isEmpty }
        try await sink.pointee.open(context)
        isOpen = true
    }

    // If the previous node calls the sink directly, the sink acts as an outlet of that node's task. No items wait in this outlet.
    var isReady: Bool { false }
    var wantsWatermarks: Bool { false }
    func take(_ mark: Mark) { if case .end(let stream, let end) = mark { pass(end, of: stream) } }
    func discard() {}
    func finish() { flush() }
    var isUnused: Bool { readerIsGone }

    func offer() -> String? {
        flush()
        return nil
    }

    func makeBuffer() -> OutletBuffer {
        OutletBuffer(EdgeEnd<S.Input>.self, FrameStore(S.Input.self), for: self)
    }

    func put(_ cell: FrameCell) { S.Input._hand(cell.memory, to: link) }

    func cancel(_ cell: FrameCell) {
        refuse(cell.header.pointee, .cancelled)
        S.Input._empty(cell.memory)
    }

    /// Makes written frames visible. Called when no more frames wait.
    func flush() {
        // In an outage, the sink holds no frames. The next frame shows whether writing works again.
        guard outage == nil else { return }
        attempt { try sink.pointee.flush() }
        settle()
    }

    /// Lets the sink write everything that it holds, before a commit point.
    func drain() {
        guard outage == nil else { return }
        attempt { try sink.pointee.drain() }
        settle()
    }

    /// Informs the sink that a stream has ended.
    func pass(_ end: StreamEnd, of stream: StreamID) { attempt { try sink.pointee.end(stream, end) } }

    /// Informs the sink that another process continues with a stream.
    func release(_ stream: StreamID) {
        if isOpen { sink.pointee.release(stream) }
    }

    /// Closes the sink, if it was opened.
    func close() async {
        guard isOpen else { return }
        isOpen = false
        do {
            try await sink.pointee.close()
        } catch is ReaderGone {
            noteReaderGone()
        } catch let failed as FailedAfterwards {
            noteFailed(failed)
        } catch {
            report(error, place: nil, isLast: true)
        }
        settle()
    }

    /// Counts the frames that the sink no longer holds as written.
    func settle() {
        let written = taken - min(taken, max(0, Int64(sink.pointee.unwritten)))
        guard written > 0 else { return }
        taken -= written
        metrics.passed.add(written)
        if !takenHeaders.isEmpty { takenHeaders.removeFirst(Int(written)) }
        let arrival = head.pointee.lastArrival
        guard arrival != 0 else { return }
        let age = monitor.clock.now - arrival
        metrics.age.set(age)
        metrics.ages.record(age)
    }

    /// Calls the sink, unless it has failed, or was closed because everything that it read had ended.
    private func attempt(_ body: () throws -> Void) {
        guard isOpen, !hasFailed, !readerIsGone else { return }
        do {
            try body()
        } catch is ReaderGone {
            noteReaderGone()
        } catch let failed as FailedAfterwards {
            noteFailed(failed)
        } catch {
            report(error, place: nil)
        }
    }

    /// Counts frames as failed that the sink has taken and can no longer write.
    private func noteFailed(_ failed: FailedAfterwards) {
        let count = min(taken, failed.count)
        taken -= count
        takenHeaders.removeFirst(min(takenHeaders.count, Int(count)))
        metrics.failed.add(count)
        report(failed.error, place: nil, failed: count)
    }

    private func noteReaderGone() {
        settle()
        metrics.dropped.add(.readerGone, taken)
        for header in takenHeaders { account.noteDrop(header, .readerGone) }
        forgetTaken()
        readerIsGone = true
        monitor.stop.request()
    }

    private func forgetTaken() {
        taken = 0
        takenHeaders = []
        sink.pointee.discard()
    }

    /// Handles an error of the sink. `on_error` applies to frame errors and environment errors. Any other error fails the run.
    ///
    /// - Parameters:
    ///   - failed: The number of frames that were already counted as failed because of the error.
    ///   - isLast: Whether nothing will be retried, because the sink closes. An environment error then fails the run if it makes
    ///     no frame fail, because the ledger would not show the error.
    private func report(_ error: any Error, place: String?, failed: Int64 = 0, isLast: Bool = false) {
        var error = PipelineError(wrapping: error)
        if error.location == nil, error.category == .frame { error.location = place }
        // The frames that the sink holds cannot be written either.
        var failed = failed
        if error.category != .frame {
            settle()
            metrics.failed.add(taken)
            failed += taken
            forgetTaken()
        }
        switch error.category {
        case .frame where account.policy != .fail: account.logSkipped(error, count: metrics.failed.value, new: failed)
        case .environment where account.policy != .fail && !isLast: noteOutage(error, failed)
        case .environment where account.policy != .fail && failed > 0:
            log(.warning, "\(error.words), \(failed) frames have failed", code: error.code)
        default:
            hasFailed = true
            monitor.fail(metrics.id, error)
        }
    }

    private var log: Log { monitor.log.about(metrics.id) }

    private func noteOutage(_ error: PipelineError, _ failed: Int64) {
        let now = monitor.clock.now
        guard outage == nil else {
            outage?.prolong(now)
            return
        }
        outage = SinkOutage(now, failedBefore: metrics.failed.value - failed)
        log(
            .warning,
            "\(error.words); tries again after a pause, and frames that come meanwhile count as failed",
            code: error.code)
    }

    /// Called after the sink has taken a frame in an outage. The outage is over if the frame has also been written.
    @inline(never)
    private func confirmWriting() {
        attempt { try sink.pointee.flush() }
        settle()
        guard taken == 0, !readerIsGone, let ended = outage, ended.retryAt <= monitor.clock.now else { return }
        outage = nil
        let failed = metrics.failed.value - ended.failedBefore
        log(.warning, "writes again; \(failed) frames have failed")
    }
}

/// A period in which a sink cannot write. Frames fail immediately, and after a pause one frame is passed to the sink as a test.
private struct SinkOutage {
    /// The time of the next attempt, in nanoseconds.
    private(set) var retryAt: Int64

    /// The number of frames that had failed before the outage.
    let failedBefore: Int64

    private var pause: Int64 = 1_000_000_000

    /// Starts an outage at `now`.
    init(_ now: Int64, failedBefore: Int64) {
        self.failedBefore = failedBefore
        retryAt = now + pause
    }

    /// Records a failed attempt. The pause before the next attempt is twice as long, up to 30 s.
    mutating func prolong(_ now: Int64) {
        guard now >= retryAt else { return }
        pause = min(2 * pause, 30_000_000_000)
        retryAt = now + pause
    }
}
