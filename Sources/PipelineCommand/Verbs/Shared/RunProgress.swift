import Pipeline

/// Where a run stands, for a progress bar.
enum RunProgress {
    /// Frames come in at all sources, and how much of all that is to be read has been read.
    static func measure(_ run: Run) -> ProgressBar {
        var bar = ProgressBar("frames")
        let sources = run.ledger.nodes.filter { $0.role == .source }
        bar.items = sources.reduce(0) { $0 + $1.received }
        // A share of the whole is known only when every source knows its own.
        let readings = run.progress.map(\.1)
        if readings.count == sources.count, readings.allSatisfy({ $0.total > 0 }) {
            bar.done = readings.reduce(0) { $0 + $1.done }
            bar.total = readings.reduce(0) { $0 + $1.total }
        }
        return bar
    }
}
