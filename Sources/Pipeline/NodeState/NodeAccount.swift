/// Counts how the frames of one node end, and reports drops and failures. Sources, stages, asynchronous stages and sinks all use it,
/// so that a loss is counted and reported in the same way everywhere.
///
/// Elsewhere are counted: frames that a node has passed or absorbed; failures of a sink, which also depend on what it holds and
/// whether its output can be reached (``SinkNode``); and frames that a join drops before the node sees them.
struct NodeAccount {
    let metrics: NodeMetrics
    /// What happens to a frame that fails.
    let policy: ErrorPolicy
    let monitor: RunMonitor
    /// The destination of failures that are routed.
    var errors: ErrorEnd?
    /// Whether the node is a stage of a nested chain. The stage that runs the chain then reports its failures again, as its own.
    var isNested = false
    /// The context of a stage's segment, which keeps the reports of a worker until its turn.
    var context: SegmentContext?

    /// The node's `id`.
    var id: String { metrics.id }

    // MARK: Drops

    /// Counts a frame that is dropped before the node sees it, for example because it is late.
    func refuse(_ frame: FrameHeader, _ reason: DropReason) {
        metrics.received.add()
        drop(frame, reason)
    }

    /// Counts a dropped frame.
    func drop(_ frame: FrameHeader, _ reason: DropReason) {
        metrics.dropped.add(reason)
        noteDrop(frame, reason)
    }

    /// Counts a frame as dropped that was counted as absorbed: its outcome is known only now, at a wake-up or at the end of the
    /// stream. Does nothing if no frame was absorbed.
    func dropAbsorbed(_ frame: FrameHeader, _ reason: DropReason) {
        guard metrics.absorbed.value > metrics.droppedLater.value else { return }
        metrics.droppedLater.add()
        drop(frame, reason)
    }

    /// Reports a dropped frame that was counted already.
    func noteDrop(_ frame: FrameHeader, _ reason: DropReason) {
        if let record = monitor.record(frame, at: id, reason) { tell(.drop(record)) }
    }

    // MARK: Failures

    /// Counts a frame that failed, and applies `on_error`.
    ///
    /// - Parameter payload: The frame's payload, if it is known.
    /// - Returns: Whether the failure ends the run.
    func fail(_ frame: FrameHeader, _ payload: (any Payload)?, _ error: any Error) -> Bool {
        metrics.failed.add()
        return report(located(error, frame.place), frame, payload, isOfFrame: true)
    }

    /// Counts an input that failed before it became a frame, and applies `on_error`. Returns whether the failure ends the run.
    func failInput(of stream: StreamID, arrival: Int64, _ error: PipelineError) -> Bool {
        metrics.failed.add()
        return report(
            error, FrameHeader(timestamp: .zero, stream: stream, arrival: arrival), nil, isOfFrame: true)
    }

    /// Applies `on_error` to the failure of a wake-up, or of the end of a stream. Returns whether the failure ends the run.
    func failCall(of stream: StreamID, at time: Timestamp, sequence: Int64, _ error: any Error) -> Bool {
        let place = (stream.name.isEmpty ? "" : "stream \(stream.name), ") + "at \(time)"
        return report(
            located(error, place), FrameHeader(timestamp: time, stream: stream, sequence: sequence), nil,
            isOfFrame: false)
    }

    private func located(_ error: any Error, _ place: String) -> PipelineError {
        var error = PipelineError(wrapping: error)
        // The failure of a nested stage gets its location from the stage that runs the chain, unless the failure is skipped.
        if error.location == nil, !isNested || policy != .route { error.location = place }
        return error
    }

    private func report(
        _ error: PipelineError, _ frame: FrameHeader, _ payload: (any Payload)?, isOfFrame: Bool
    ) -> Bool {
        let failed = Frame(
            FailedFrame(node: id, error: error, frame: payload), at: frame.timestamp, stream: frame.stream,
            sequence: frame.sequence, origin: frame.origin, arrival: frame.arrival)
        // A routed failure is output. It keeps its place among the output of its worker, before all reports.
        if policy == .route { errors?.receive(failed) }
        tell(.failure(failed, isOfFrame: isOfFrame, of: self))
        return policy == .fail
    }

    /// Sends a report, or keeps it until the worker's turn.
    func tell(_ report: NodeReport) {
        if let context, context.keepsReports { context.reports.append(report) } else { report.tell(monitor) }
    }
}

/// A report of a node: a drop, a log message, or a failure.
enum NodeReport {
    case drop(DropRecord)
    case log(Log.Level, String, node: String)
    /// - Parameter isOfFrame: Whether a frame failed, as opposed to a wake-up or the end of a stream.
    case failure(Frame<FailedFrame>, isOfFrame: Bool, of: NodeAccount)

    /// Sends the report. Returns whether it has ended the run.
    @discardableResult
    func tell(_ monitor: RunMonitor) -> Bool {
        switch self {
        case .drop(let record): monitor.tell(record)
        case .log(let level, let line, let node): monitor.log.about(node)(level, line)
        case .failure(let frame, let isOfFrame, let account):
            let (metrics, error) = (account.metrics.whole ?? account.metrics, frame.payload.error)
            if !account.isNested { monitor.options.onFailure?(frame.stream, frame.timestamp, error) }
            if isOfFrame { metrics.reportedFailures.add() }
            switch account.policy {
            case .fail: monitor.fail(account.id, error)
            case .skip: account.logSkipped(error, count: metrics.reportedFailures.value)
            case .route: break
            }
            return account.policy == .fail
        }
        return false
    }
}

extension NodeAccount {
    /// Logs skipped frames: the first five of the node, then the 10th, 100th, 1000th and so on.
    ///
    /// - Parameters:
    ///   - count: The number of frames skipped so far.
    ///   - new: The number of frames among them that are skipped because of this error.
    func logSkipped(_ error: PipelineError, count: Int64, new: Int64 = 1) {
        let first = count - max(1, new) + 1
        guard (first...count).contains(where: { $0 <= 5 || Self.isPowerOfTen($0) }) else { return }
        let words = "\(error.words), skipped" + (count > 1 ? " (\(count) so far)" : "")
        monitor.log.about(id)(.warning, words, code: error.code)
    }

    /// Logs a frame that a source had to drop because of its sender's behavior: the first, then the 10th, 100th, 1000th and so on.
    ///
    /// - Parameters:
    ///   - fault: The fault of the frame's timestamp; `nil` if the frame is a duplicate.
    ///   - count: The number of frames dropped this way so far.
    func logDropped(_ frame: FrameHeader, _ fault: StreamOrder.Fault?, count: Int64) {
        guard Self.isPowerOfTen(count) else { return }
        let words =
            fault.map { "\($0.words) (\($0.help))" } ?? "its number and its timestamp are not above the previous ones"
        let name = "frame \(frame.sequence) of \(frame.stream.name) at \(frame.timestamp)"
        monitor.log.about(id)(.warning, "\(name) was dropped: \(words)" + (count > 1 ? " (\(count) so far)" : ""))
    }

    private static func isPowerOfTen(_ count: Int64) -> Bool {
        var power: Int64 = 1
        while power < count { power *= 10 }
        return power == count
    }
}
