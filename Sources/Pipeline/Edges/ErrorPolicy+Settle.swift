extension ErrorPolicy {
    /// Does with something that failed what `on_error` says: ends the run, logs it, or sends it on.
    ///
    /// - Parameters:
    ///   - failed: What failed, where and why.
    ///   - count: How much has failed there so far, with this.
    ///   - errors: Where what is to be routed goes.
    /// - Returns: Whether it ended the run.
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
    /// Logs a skipped frame: the first five of a node, then each tenfold.
    func logSkipped(_ node: String, _ error: PipelineError, count: Int64) {
        guard count <= 5 || Self.isPowerOfTen(count) else { return }
        let words = "\(error.description), skipped" + (count > 1 ? " (\(count) so far)" : "")
        log.about(node)(.warning, words, code: error.code)
    }

    /// Logs a frame that a source had to drop because of what its sender does: the first, then each tenfold.
    ///
    /// - Parameters:
    ///   - fault: What is wrong with its time; `nil` for one that came before.
    ///   - count: How many have been dropped so.
    func logDropped(_ node: String, _ frame: String, _ fault: StreamOrder.Fault?, count: Int64) {
        guard Self.isPowerOfTen(count) else { return }
        let words =
            fault.map { "\($0.words) (\($0.help))" } ?? "its number is not above the last, and neither is its time"
        log.about(node)(.warning, "\(frame) was dropped: \(words)" + (count > 1 ? " (\(count) so far)" : ""))
    }

    private static func isPowerOfTen(_ count: Int64) -> Bool {
        var power: Int64 = 1
        while power < count { power *= 10 }
        return power == count
    }
}
