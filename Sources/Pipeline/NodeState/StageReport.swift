/// A report of a stage's node: a drop, a log message, or a failure.
enum StageReport {
    case drop(DropRecord)
    case log(Log.Level, String, node: String)
    case failure(Failure)

    /// A failure of the stage in a call.
    struct Failure {
        let frame: Frame<FailedFrame>
        /// Whether a frame failed, as opposed to a wake-up or the end of a stream.
        let isOfFrame: Bool
        /// Whether the stage is part of a nested chain. The stage that runs the chain reports the failure too.
        let isNested: Bool
        let policy: ErrorPolicy
        let metrics: NodeMetrics
        /// The destination of the failure if it must be routed and has not been routed yet.
        let errors: ErrorEnd?
    }

    /// Sends the report. Returns whether it has ended the run.
    @discardableResult
    func tell(_ monitor: RunMonitor) -> Bool {
        switch self {
        case .drop(let record): monitor.tell(record)
        case .log(let level, let line, let node): monitor.log.about(node)(level, line)
        case .failure(let failure):
            let (frame, metrics) = (failure.frame, failure.metrics.whole ?? failure.metrics)
            if !failure.isNested { monitor.options.onFailure?(frame.stream, frame.timestamp, frame.payload.error) }
            if failure.isOfFrame { metrics.reportedFailures.add() }
            return failure.policy.settle(frame, count: metrics.reportedFailures.value, monitor, failure.errors)
        }
        return false
    }
}
