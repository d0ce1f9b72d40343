/// The counters of an aligned input. Every frame that it reads becomes part of a set or is dropped.
final class AlignmentMetrics: Sendable {
    let frames = Counter()
    let used = Counter()
    let sets = Counter()
    let dropped = ReasonCounts()

    /// The current values, as a part of the node's ledger entry.
    var entry: Ledger.Alignment {
        Ledger.Alignment(frames: frames.value, used: used.value, sets: sets.value, dropped: dropped.values)
    }
}
