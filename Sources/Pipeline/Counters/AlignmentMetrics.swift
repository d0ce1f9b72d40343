/// What is counted at an aligned input, before its stage: every frame that is taken becomes part of a set or is dropped.
final class AlignmentMetrics: Sendable {
    let frames = Counter()
    let used = Counter()
    let sets = Counter()
    let dropped = ReasonCounts()

    /// The account as it stands.
    var account: Ledger.Alignment {
        Ledger.Alignment(frames: frames.value, used: used.value, sets: sets.value, dropped: dropped.values)
    }
}
