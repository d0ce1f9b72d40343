/// What waits to be moved to one edge, or until an outlet takes it over.
// Behind a pointer in its outlet: a stored one would cost an exclusivity check at every frame.
struct OutletBranch {
    private let store: FrameStore
    /// It shrinks in one way only: an offer that is taken whole empties it.
    var pending: [EdgeItem<FrameCell>] = []
    private var cursor = 0
    /// Empty cells to fill.
    var spare: [FrameCell] = []

    /// What frames are numbered by; up to where those that wait have their ordinals, and the next of these.
    private let step: UInt32?
    private var numbered = 0
    private var ordinal: UInt32

    init(_ store: FrameStore, numbering: (first: UInt32, step: UInt32)? = nil) {
        self.store = store
        step = numbering?.step
        ordinal = numbering?.first ?? 0
    }

    /// An empty cell.
    mutating func takeCell() -> FrameCell { spare.popLast() ?? store.allocate() }

    /// Offers an edge what waits. Returns whether it has taken everything.
    mutating func offer(to edge: Edge) -> Bool {
        if let step { number(by: step) }
        defer { if pending.isEmpty { numbered = 0 } }
        return edge.offer(&pending, from: &cursor, spare: &spare)
    }

    private mutating func number(by step: UInt32) {
        for case .frame(let cell) in pending[numbered...] {
            cell.header.pointee.ordinal = ordinal
            ordinal &+= step
        }
        numbered = pending.count
    }

    /// Frees all that waits.
    func free() {
        store.discard(pending[cursor...])
        for cell in spare { store.free(cell) }
    }
}
