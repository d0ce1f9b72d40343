/// The items that wait to be moved to one edge or, in a worker's buffer, to an outlet.
// Stored behind a pointer in its outlet: a stored property would cost an exclusivity check for every frame.
struct OutletBranch {
    private let store: FrameStore
    /// The waiting items. They are removed together, once the edge has taken all of them.
    var pending: [EdgeItem<FrameCell>] = []
    private var cursor = 0
    /// Empty cells to fill.
    var spare: [FrameCell] = []

    /// The step from one frame's ordinal to the next; `nil` if frames are not numbered.
    private let step: UInt32?
    /// The number of waiting items whose frames have ordinals.
    private var numbered = 0
    /// The ordinal of the next frame.
    private var ordinal: UInt32

    init(_ store: FrameStore, numbering: (first: UInt32, step: UInt32)? = nil) {
        self.store = store
        step = numbering?.step
        ordinal = numbering?.first ?? 0
    }

    /// Returns an empty cell.
    mutating func takeCell() -> FrameCell { spare.popLast() ?? store.allocate() }

    /// Offers the waiting items to an edge. Returns whether the edge has taken all of them.
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

    /// Frees all waiting items.
    func free() {
        store.discard(pending[cursor...])
        for cell in spare { store.free(cell) }
    }
}
