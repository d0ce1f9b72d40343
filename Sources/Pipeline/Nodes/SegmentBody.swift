/// What a segment does with what it takes: its stages, and where their output goes.
// Touched by one task only, once it runs.
final class SegmentBody {
    /// What must be known of a segment's stages.
    struct Traits {
        /// What is known of one stream's time says nothing about the stream it is renamed to: others may become the same.
        var renamesStreams = false
        /// Whether frames come to it that hold a slot of an edge before it.
        var holdsSlots = false
    }

    let chains: StreamChains
    let context: SegmentContext
    private let head: NodeMetrics
    private let store: FrameStore
    private let outlets: [any MarkTaker]
    /// Those that want to know the time of quiet streams.
    private let boundOutlets: [any MarkTaker]
    /// Those that lead to edges with slots, and those that credits go on over.
    private let slotOutlets: [any MarkTaker]
    private let leadsToSlots: Bool
    private let creditOutlets: [any MarkTaker]
    /// Whether the names must be noted that streams get, because credits follow under these.
    let notesNames: Bool
    /// Those that lead to where edges come together.
    private let progressOutlets: [any MarkTaker]
    private let renamesStreams: Bool

    /// - Parameters:
    ///   - head: What is counted at the first stage.
    ///   - store: What empties the cells that come.
    init(
        _ chains: StreamChains, outlets: [any MarkTaker], _ traits: Traits, head: NodeMetrics, store: FrameStore,
        context: SegmentContext
    ) {
        self.chains = chains
        self.context = context
        self.head = head
        self.store = store
        self.outlets = outlets
        renamesStreams = traits.renamesStreams
        boundOutlets = outlets.filter(\.wantsBounds)
        progressOutlets = outlets.filter(\.wantsProgress)
        slotOutlets = outlets.filter(\.wantsInputEnds)
        leadsToSlots = !slotOutlets.isEmpty
        creditOutlets = traits.holdsSlots ? outlets.filter(\.wantsCredits) : []
        notesNames = traits.renamesStreams && !creditOutlets.isEmpty
        guard context.isExplicit || context.stampsEarlier > 0 else { return }
        chains.onFinish = { stream, time in
            for outlet in outlets {
                outlet.inputEnd()
                if traits.renamesStreams { outlet.receipt(stream, time) } else { outlet.bound(stream, time) }
            }
        }
    }

    /// Works on an item. The cell of a frame is empty then.
    func take(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .frame(let cell):
            let passed = renamesStreams || context.isExplicit ? nil : (cell.stream, cell.timestamp)
            if notesNames {
                notingNames(of: cell.stream) { chains.receive(cell.memory) }
            } else {
                chains.receive(cell.memory)
            }
            endInput()
            guard let (stream, time) = passed, !context.hasFailed else { return }
            let reached = chains.reached(stream, time)
            for outlet in boundOutlets { outlet.bound(stream, reached) }
        case .bound(let stream, let time):
            chains.bound(stream, time)
            endInput()
            pass(item)
        case .receipt, .credit, .progress: pass(item)
        case .inputEnd: break
        case .end(let stream):
            chains.end(stream)
            endInput()
            pass(item)
        }
    }

    /// Notes under which names a stream goes on by what `body` gives to the outlets.
    func notingNames(of stream: StreamID, _ body: () -> Void) {
        for outlet in creditOutlets { outlet.beginInput() }
        body()
        for outlet in creditOutlets { outlet.noteNames(of: stream) }
    }

    /// Accounts for a frame that was taken but that nobody will process any more: its cell is empty then. What is known of time
    /// goes on only where all has come up to there.
    func refuse(_ item: EdgeItem<FrameCell>, _ reason: DropReason) {
        guard case .frame(let cell) = item else {
            guard reason != .readerGone else { return pass(item) }
            if case .credit = item { pass(item) }
            return
        }
        head.received.add()
        head.dropped.add(reason)
        context.noteDrop(cell.header.pointee, at: head.id, reason)
        store.empty(cell)
    }

    /// Marks where the output of an input ends, before any other mark.
    private func endInput() {
        if leadsToSlots { for outlet in slotOutlets { outlet.inputEnd() } }
    }

    /// Passes on what is known of time.
    private func pass(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .bound(let stream, let time):
            if renamesStreams, let stream {
                guard context.isExplicit else { return }
                for outlet in outlets { outlet.receipt(stream, time) }
            } else {
                let reached = chains.reached(stream, time)
                for outlet in boundOutlets { outlet.bound(stream, reached) }
                // What has come is finished, even if what comes may be stamped earlier.
                if context.isExplicit, reached < time, let stream {
                    for outlet in outlets { outlet.receipt(stream, time) }
                }
            }
        case .receipt(let stream, let time):
            for outlet in outlets { outlet.receipt(stream, time) }
        case .end(let stream):
            guard !renamesStreams else { return }
            for outlet in outlets { outlet.end(stream) }
        case .progress(let rank): for outlet in progressOutlets { outlet.progress(rank) }
        case .credit(let credit, let stream): creditOutlets.pass(credit, of: stream)
        case .frame, .inputEnd: break
        }
    }
}
