/// The rule by which the edges of one task's input are joined.
///
/// There are five: ``SingleEdge`` (nothing to join), ``MergeByTime`` (a batch run), ``MergeByStream`` (a live run, and edges with
/// slots), ``AlignedJoin`` (sets of frames), and ``TapedJoin`` (what a recorded run took).
class Join {
    typealias Item = EdgeItem<FrameCell>

    /// Creates and empties the cells of the frames that the join gives out.
    let store: FrameStore

    init(store: FrameStore) { self.store = store }

    /// Adds the next items to `batch`, which must be empty. After `nothing`, wait until an edge signals and look again.
    ///
    /// - Parameter used: Emptied cells, to be filled again; those that are taken are removed.
    func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken { .finished }

    /// Adds all held items to `batch`, as if the edges had ended: the join is not used any more.
    func flush(into batch: inout [Item], used: inout [FrameCell]) {}

    /// What the join waits for, in words.
    var waitedFor: String { "" }

    /// Whether a frame may come of a stream that has already gone beyond the frame's time.
    var mayBeLate: Bool { false }

    /// Whether its input was ended by force.
    var isCutShort: Bool { false }

    /// Whether it joins several edges.
    var isMerged: Bool { false }

    /// Tells the producers that nobody uses its frames any more. Frames must still be taken.
    func renounce() {}

    /// Ends the edges, and passes on what was taken but not given out.
    func abandon(_ rest: (Item) -> Void) {}

    /// Passes the stream and the time of each frame that waits in the join to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {}

    /// Forgets streams that another process continues with. The run must be frozen.
    ///
    /// - Returns: The frames and credits that waited and belong to the caller now. Sets of frames are never held: a join that makes
    ///   them counts the frames that it drops.
    func release(_ streams: Set<StreamID>) -> [Item] { [] }

    /// Whether it gives out sets of frames, and not the frames of its edges.
    var makesSets: Bool { false }

    /// The frames that a set consists of; see ``Tape``.
    func parts(of set: FrameCell) -> [TapeItem.Part?] { [] }

    /// Makes a set of the frames in cells, which keep their frames. Returns `nil` if there are none.
    ///
    /// - Parameter cell: An empty cell for the set, if there is one.
    func set(of parts: [FrameCell?], gap: Int32, at time: Timestamp, into cell: FrameCell?) -> FrameCell? { nil }
}
