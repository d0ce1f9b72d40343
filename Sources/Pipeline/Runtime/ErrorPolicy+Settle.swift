extension ErrorPolicy {
    /// Does with something that failed what `on_error` says: ends the run, logs it, or sends it on.
    ///
    /// - Parameters:
    ///   - failed: What failed, where and why.
    ///   - count: How much has failed there so far, with this.
    ///   - errors: Where what is to be routed goes.
    /// - Returns: Whether it ended the run.
    func settle(
        _ failed: Frame<FailedFrame>, count: Int64, _ monitor: RunMonitor, _ errors: Inlet<FailedFrame>?
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
    /// Logs a skipped frame: the first five of a node, then each tenfold.
    func logSkipped(_ node: String, _ error: PipelineError, count: Int64) {
        var power: Int64 = 10
        while power < count { power *= 10 }
        guard count <= 5 || count == power else { return }
        log(.warning, "\(node): \(error.description), skipped" + (count > 1 ? " (\(count) so far)" : ""))
    }
}
