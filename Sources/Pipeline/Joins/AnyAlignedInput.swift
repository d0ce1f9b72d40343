/// An aligned input, whatever it brings together; see ``AlignedInput``.
class AnyAlignedInput {
    typealias Item = EdgeItem<FrameCell>

    /// Makes and empties the cells of its sets.
    let store: FrameStore

    init(store: FrameStore) { self.store = store }

    /// Whether nothing will come any more.
    var hasEnded: Bool { true }

    /// What is waited for when nothing comes.
    var waitedFor: String { "" }

    /// The streams of which frames wait, with the time of the first: what the time of the others must pass.
    var waitsFor: [(StreamID, Timestamp)] { [] }

    /// The streams of which frames wait for the first edge, which decides what sets there are, with the time of the first of them.
    var waitsForFirst: [(StreamID, Timestamp)] { [] }

    /// No longer waits with a stream for edges that only the sources `behind` bring it over, for their clocks are far behind; those
    /// `inStep` are not. Adds what goes on then to `batch`.
    ///
    /// - Parameter time: For how far frames of other edges stop waiting for the first edge; `nil` for sets that wait for others.
    func goOn(
        _ stream: StreamID, upTo time: Timestamp?, without behind: Set<Int>, in inStep: Set<Int>,
        into batch: inout [Item],
        used: inout [FrameCell]
    ) -> ClocksApart? { nil }

    /// Adds what is ready to `batch`.
    ///
    /// - Parameter used: Emptied cells of sets, to be filled again.
    func fill(_ batch: inout [Item], used: inout [FrameCell]) {}

    /// The frames that a set was made of; see ``Tape``.
    func parts(of set: FrameCell) -> [TapeItem.Part?] { [] }

    /// Makes a set of the frames in cells, which keep them. `nil` when there are none.
    ///
    /// - Parameter cell: An empty cell for a set, if there is one.
    func set(of parts: [FrameCell?], gap: Int32, at time: Timestamp, into cell: FrameCell?) -> FrameCell? { nil }

    /// Says that no more will be taken, and accounts for what was.
    func abandon() {}

    /// Tells whoever sends that nobody does anything with it any more.
    func renounce() {}
}
