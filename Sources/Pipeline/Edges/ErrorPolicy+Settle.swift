extension ErrorPolicy {
    /// Applies `on_error` to a failure: fails the run, logs the failure, or routes it.
    ///
    /// - Parameters:
    ///   - failed: What failed, where and why.
    ///   - count: The number of failures of this node so far, including this one.
    ///   - errors: The destination of failures that are routed.
    /// - Returns: Whether the failure ended the run.
    func settle(
        _ failed: Frame<FailedFrame>, count: Int64, _ monitor: RunMonitor, _ errors: ErrorEnd?
    ) -> Bool {
        switch self {
        case .fail: monitor.fail(failed.payload.node, failed.payload.error)
        case .skip: monitor.logSkipped(failed.payload.node, failed.payload.error, count: count)
        case .route: errors?.receive(failed)
        }
        return self == .fail
    }
}

extension RunMonitor {
    /// Logs a skipped frame: the first five of a node, then the 10th, 100th, 1000th and so on.
    func logSkipped(_ node: String, _ error: PipelineError, count: Int64) {
        guard count <= 5 || Self.isPowerOfTen(count) else { return }
        let words = "\(error.words), skipped" + (count > 1 ? " (\(count) so far)" : "")
        log.about(node)(.warning, words, code: error.code)
    }

    /// Logs a frame that a source had to drop because of its sender's behavior: the first, then the 10th, 100th, 1000th and so on.
    ///
    /// - Parameters:
    ///   - fault: The fault of the frame's timestamp; `nil` if the frame is a duplicate.
    ///   - count: The number of frames dropped this way so far.
    func logDropped(_ node: String, _ frame: String, _ fault: StreamOrder.Fault?, count: Int64) {
        guard Self.isPowerOfTen(count) else { return }
        let words =
            fault.map { "\($0.words) (\($0.help))" } ?? "its number and its timestamp are not above the previous ones"
        log.about(node)(.warning, "\(frame) was dropped: \(words)" + (count > 1 ? " (\(count) so far)" : ""))
    }

    private static func isPowerOfTen(_ count: Int64) -> Bool {
        var power: Int64 = 1
        while power < count { power *= 10 }
        return power == count
    }
}
