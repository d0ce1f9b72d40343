/// One edge of an aligned join, with the items that have not entered the ``AlignmentState`` yet.
struct AlignedLane<Element: Payload> {
    var edge: Edge
    let store: TypedFrameStore<Frame<Element>>
    /// The maximum number of frames that may wait for a set: in the whole lane in a batch run, in each stream otherwise.
    var room: Int { edge.policy.roomInJoin }
    var items: [EdgeItem<FrameCell>] = []
    var head = 0
    /// Emptied cells to return to the edge.
    var used: [FrameCell] = []
    /// Whether the edge has ended. Items of the lane may still have to enter the state.
    var hasFinished = false
    /// Whether the state knows that the lane has ended.
    var hasEnded = false
    /// The time on the run's clock at which the edge last delivered an item.
    var activeAt: Int64
    /// Whether the edge has been silent for so long that the other lanes no longer wait for it.
    var isIdle = false

    var isEmpty: Bool { head == items.count }

    /// The time at which the lane becomes idle unless an item arrives; `nil` if it has no idle timeout, has items, has ended, or
    /// is idle already.
    var idleAt: Int64? {
        guard let timeout = edge.policy.idleTimeoutMs, isEmpty, !hasFinished, !isIdle else { return nil }
        return activeAt &+ Int64(min(timeout, 1e9) * 1_000_000)
    }

    /// Continues with another edge, after everything that waits on this one.
    mutating func reconnect(to next: Edge) {
        items.removeFirst(head)
        head = 0
        edge.takeRest(into: &items, returning: &used)
        edge = next
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
