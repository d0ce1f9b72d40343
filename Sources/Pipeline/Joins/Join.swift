/// The rule by which the edges of one task's input are joined.
///
/// There are five rules: ``SingleEdge`` (nothing to join), ``MergeByTime`` (batch runs), ``MergeByStream`` (live runs, and edges
/// that limit their frames in flight), ``AlignedJoin`` (sets of frames), and ``TapedJoin`` (repeats what a recorded run took).
class Join {
    typealias Item = EdgeItem<FrameCell>

    /// Creates and empties the cells of the frames that the join delivers.
    let store: FrameStore

    private(set) var edges: [Edge]

    init(store: FrameStore, edges: [Edge]) { (self.store, self.edges) = (store, edges) }

    /// Adds the next items to `batch`, which must be empty. After `nothing`, the caller waits until an edge signals, and looks
    /// again.
    ///
    /// - Parameter used: Emptied cells that the join may fill again or return to its edges. The join removes those that it takes.
    func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken { .finished }

    /// Adds all held items to `batch`, as if the edges had ended. A reload calls this before it replaces the join.
    func flush(into batch: inout [Item], used: inout [FrameCell]) {}

    /// Returns whether the join can continue with other edges. A single edge has no state to continue.
    final func canContinue(with other: [Edge]) -> Bool {
        guard edges.count == other.count else { return false }
        return zip(edges, other).allSatisfy { $0 === $1 || edges.count > 1 && $0.store.carries($1.store.payload) }
    }

    /// Continues with other edges, in a reload, in the same order. What waits on an old edge comes first. The run must be frozen.
    func reconnect(to edges: [Edge]) { self.edges = edges }

    /// A description of what the join waits for, as part of a message.
    var waitedFor: String { "" }

    /// Whether the join may deliver a frame at or before the time that its stream has already reached. This happens when an edge
    /// starts to deliver a stream that other edges delivered before, or when several streams were given one name.
    var mayBeLate: Bool { false }

    /// Whether the input was cut off before its end.
    var isCutShort: Bool { false }

    /// Whether the join merges several edges.
    var isMerged: Bool { false }

    /// Tells the producers that the frames are no longer used. The caller must still take the frames.
    final func renounce() {
        for edge in edges { edge.renounce() }
    }

    /// Abandons the edges, and passes the items that were taken from them but not delivered to `rest`.
    func abandon(_ rest: (Item) -> Void) {
        for edge in edges { edge.abandon() }
    }

    /// Passes the stream and the time of each frame that waits in the join to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {}

    /// Forgets streams that another process continues with. The run must be frozen.
    ///
    /// - Returns: The frames and credits that waited; they belong to the caller now. A join that makes sets returns nothing: it
    ///   drops its frames and counts the drops itself.
    func release(_ streams: Set<StreamID>) -> [Item] { [] }

    /// Whether the join delivers sets of frames instead of the frames of its edges.
    var makesSets: Bool { false }

    /// Returns the frames of a set as a ``Tape`` records them.
    func parts(of set: FrameCell) -> [TapeItem.Part?] { [] }

    /// Makes a set from copies of the frames in `parts`. Returns a cell with the set; `nil` if there is no frame.
    ///
    /// - Parameter cell: An empty cell for the set, if there is one.
    func set(of parts: [FrameCell?], gap: Int32, at time: Timestamp, into cell: FrameCell?) -> FrameCell? { nil }
}
