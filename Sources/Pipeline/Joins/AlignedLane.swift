/// One edge of an aligned join, with the items that have not entered the state yet.
struct AlignedLane<Element: Payload> {
    let edge: Edge
    let store: TypedFrameStore<Frame<Element>>
    /// The largest number of its frames that may wait for a set.
    let room: Int
    var items: [EdgeItem<FrameCell>] = []
    var head = 0
    /// Emptied cells on their way back to the edge.
    var used: [FrameCell] = []
    /// Whether the edge has ended, and whether the state knows.
    var hasFinished = false
    var hasEnded = false
    /// When it last brought an item, by the clock of the run.
    var activeAt: Int64
    /// Whether it has been silent for so long that the others no longer wait for it.
    var isIdle = false

    var isEmpty: Bool { head == items.count }

    /// When its silence will have lasted too long; `nil` if there is no limit.
    var idleAt: Int64? {
        guard let timeout = edge.policy.idleTimeoutMs, isEmpty, !hasFinished, !isIdle else { return nil }
        return activeAt &+ Int64(min(timeout, 1e9) * 1_000_000)
    }

    mutating func refill() {
        guard isEmpty, !hasFinished else { return }
        items.removeAll(keepingCapacity: true)
        head = 0
        switch edge.take(into: &items, returning: &used) {
        case .items: isIdle = false
        case .finished: hasFinished = true
        case .nothing: break
        }
    }
}
