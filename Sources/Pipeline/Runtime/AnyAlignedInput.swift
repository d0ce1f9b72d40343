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

    /// Adds what is ready to `batch`.
    ///
    /// - Parameter used: Emptied cells of sets, to be filled again.
    func fill(_ batch: inout [Item], used: inout [FrameCell]) {}

    /// Says that no more will be taken, and accounts for what was.
    func abandon() {}

    /// Tells whoever sends that nobody does anything with it any more.
    func renounce() {}
}
