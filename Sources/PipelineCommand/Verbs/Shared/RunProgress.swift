import Pipeline

/// Measures the progress of a run for a progress bar.
enum RunProgress {
    /// Returns a progress bar with the number of frames that the sources have received, and the share of the input that they have
    /// read.
    static func measure(_ run: Run) -> ProgressBar {
        var bar = ProgressBar("frames")
        let sources = run.ledger.nodes.filter { $0.role == .source }
        bar.items = sources.reduce(0) { $0 + $1.received }
        // The total is known only if every source knows the size of its input.
        let readings = run.progress.map(\.1)
        if readings.count == sources.count, readings.allSatisfy({ $0.total > 0 }) {
            bar.done = readings.reduce(0) { $0 + $1.done }
            bar.total = readings.reduce(0) { $0 + $1.total }
        }
        return bar
    }
}
