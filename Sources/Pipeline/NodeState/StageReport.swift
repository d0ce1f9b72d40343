/// Something that a stage's node tells beside its output.
enum StageReport {
    case drop(DropRecord)
    case log(Log.Level, String, node: String)
    case failure(Failure)

    /// Something that could not be processed.
    struct Failure {
        let frame: Frame<FailedFrame>
        /// Whether a frame was at hand, and not a wake-up or the end of a stream.
        let isOfFrame: Bool
        /// Whether the stage stands in a chain inside another one, which tells of it as well.
        let isNested: Bool
        let policy: ErrorPolicy
        let metrics: NodeMetrics
        /// Where it goes if it is to be routed and has not been.
        let errors: ErrorEnd?
    }

    /// Tells it. Returns whether it has ended the run.
    @discardableResult
    func tell(_ monitor: RunMonitor) -> Bool {
        switch self {
        case .drop(let record): monitor.tell(record)
        case .log(let level, let line, let node): monitor.log.about(node)(level, line)
        case .failure(let failure):
            let (frame, metrics) = (failure.frame, failure.metrics.whole ?? failure.metrics)
            if !failure.isNested { monitor.onFailure?(frame.stream, frame.timestamp, frame.payload.error) }
            if failure.isOfFrame { metrics.told.add() }
            return failure.policy.settle(frame, count: metrics.told.value, monitor, failure.errors)
        }
        return false
    }
}
