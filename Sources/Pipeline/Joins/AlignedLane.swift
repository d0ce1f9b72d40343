/// One edge of an aligned input: what it has brought that waits to go into the state.
struct AlignedLane<Element: Payload> {
    let edge: Edge
    let store: TypedFrameStore<Frame<Element>>
    /// How many of its frames may wait to become part of a set.
    let room: Int
    var items: [EdgeItem<FrameCell>] = []
    var head = 0
    /// Cells that have been emptied, on their way back.
    var used: [FrameCell] = []
    /// Whether the edge brings nothing any more, and whether the state knows.
    var hasFinished = false
    var hasEnded = false
    /// When it last brought something, on the run's clock.
    var activeAt: Int64
    /// Whether it has been silent for too long to hold others back.
    var isIdle = false

    var isEmpty: Bool { head == items.count }

    /// When it will have been silent for too long, if that is limited.
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
