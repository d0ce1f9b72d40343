/// The stages of a segment and the destinations of their output: processes the items that the segment takes.
// Only one task accesses it once the run has started.
final class SegmentBody {
    /// The properties of a segment's stages that affect how marks are passed on.
    struct Traits {
        /// Whether a stage renames streams. The watermark of one stream then says nothing about the renamed stream, because other
        /// streams may get the same name.
        var renamesStreams = false
        /// Whether the segment receives frames that count as in flight on an upstream edge.
        var receivesCountedFrames = false
    }

    let chains: StreamChains
    let context: SegmentContext
    private let head: NodeAccount
    /// The `id` of the first stage.
    var name: String { head.id }
    private let store: FrameStore
    private let outlets: [any MarkTaker]
    /// The outlets that need watermarks of quiet streams.
    private let boundOutlets: [any MarkTaker]
    /// The outlets that lead to edges with a limit on frames in flight.
    private let slotOutlets: [any MarkTaker]
    private let leadsToSlots: Bool
    /// The outlets that pass credits on.
    private let creditOutlets: [any MarkTaker]
    /// The outlets that lead to merges and joins.
    private let progressOutlets: [any MarkTaker]
    /// Whether a stage renames streams. The names of the output streams are then recorded, because credits and ends are sent under
    /// these names.
    let renamesStreams: Bool
    /// Whether the time of each frame is passed on as a watermark.
    private let passesTimes: Bool
    /// Whether the output is no longer read.
    // Unchecked, because it is used for every frame, by one task at a time.
    @exclusivity(unchecked) private(set) var isUnused = false

    /// - Parameters:
    ///   - head: The account of the first stage.
    ///   - store: The store that empties the cells of incoming frames.
    init(
        _ chains: StreamChains, outlets: [any MarkTaker], _ traits: Traits, head: NodeAccount, store: FrameStore,
        context: SegmentContext
    ) {
        self.chains = chains
        self.context = context
        self.head = head
        self.store = store
        self.outlets = outlets
        renamesStreams = traits.renamesStreams
        boundOutlets = outlets.filter(\.wantsWatermarks)
        passesTimes = !boundOutlets.isEmpty && !traits.renamesStreams && context.watermarks != .explicit
        progressOutlets = outlets.filter(\.wantsProgress)
        slotOutlets = outlets.filter(\.wantsInputEnds)
        leadsToSlots = !slotOutlets.isEmpty
        creditOutlets = traits.receivesCountedFrames ? outlets.filter(\.wantsCredits) : []
        if traits.renamesStreams {
            chains.onTurn = { instance, _ in
                for outlet in outlets { outlet.noteNames(of: instance.key, isFrame: false) }
            }
        }
        guard context.watermarks == .explicit || context.stampsEarlier > 0 else { return }
        chains.onFinish = { stream, time in
            outlets.take(.inputEnd)
            if !traits.renamesStreams { outlets.take(.bound(stream, time)) }
        }
    }

    /// Processes an item. The cell of a frame is empty afterwards.
    func take(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .frame(let cell):
            let passed = passesTimes ? (cell.stream, cell.timestamp) : nil
            let renamed = renamesStreams ? cell.stream : nil
            chains.receive(cell.memory)
            if let renamed { noteNames(of: renamed, isFrame: true) }
            endInput()
            guard let (stream, time) = passed, !context.hasFailed else { return }
            let reached = chains.reached(stream, time)
            boundOutlets.take(.bound(stream, reached))
        case .mark(let mark): take(mark)
        }
    }

    private func take(_ mark: Mark) {
        switch mark {
        case .bound(let stream, let time):
            chains.bound(stream, time)
            if let stream { noteNames(of: stream) }
            endInput()
        case .end(let stream, _):
            chains.end(stream)
            noteNames(of: stream)
            endInput()
        case .receipt, .credit, .progress, .inputEnd: break
        }
        // If a stage failed the run, its output ends here: stages downstream must not continue as if it were complete.
        if context.hasFailed, !mark.isCredit { return }
        pass(mark)
    }

    /// Records that everything since the last call was made from `stream`, if a stage renames streams.
    ///
    /// - Parameter isFrame: Whether it was made from a frame of the stream, which may be in flight.
    func noteNames(of stream: StreamID, isFrame: Bool = false) {
        guard renamesStreams else { return }
        for outlet in outlets { outlet.noteNames(of: stream, isFrame: isFrame) }
    }

    /// Passes on the end of a stream.
    func pass(_ end: StreamEnd, of stream: StreamID) {
        guard renamesStreams else { return outlets.take(.end(stream, end)) }
        for outlet in outlets { outlet.endNames(of: stream, end) }
    }

    /// Whether frames are processed. If not, they are counted as dropped.
    var mayWork: Bool { !context.hasFailed && !isUnused && !context.monitor.isCancelled }

    /// Checks whether the output is still read, and tells the producers of the input if it is not.
    func noteReaders(_ outlets: [any AnyOutlet], _ input: TaskInput) {
        guard !isUnused, outlets.allSatisfy(\.isUnused) else { return }
        isUnused = true
        input.join.renounce()
    }

    /// Drops an item of an input. The input takes back the cell of a frame.
    func refuse(_ item: EdgeItem<FrameCell>, of input: TaskInput, _ reason: DropReason? = nil) {
        refuse(item, reason ?? (isUnused ? .readerGone : .cancelled))
        if case .frame(let cell) = item { input.giveBack(cell) }
    }

    /// Drops a frame, and counts the drop; the frame's cell is empty afterwards. A mark is passed on only if it is a credit, or if
    /// the output is no longer read.
    func refuse(_ item: EdgeItem<FrameCell>, _ reason: DropReason) {
        let cell: FrameCell
        switch item {
        case .frame(let frame): cell = frame
        case .mark(let mark):
            if reason == .readerGone || mark.isCredit { pass(mark) }
            return
        }
        head.refuse(cell.header.pointee, reason)
        store.empty(cell)
    }

    /// Marks the end of the output of one input item. Must be called before any other mark is passed on.
    private func endInput() {
        if leadsToSlots { slotOutlets.take(.inputEnd) }
    }

    /// Passes on a mark.
    private func pass(_ mark: Mark) {
        switch mark {
        // The watermark of one stream says nothing about a renamed stream.
        case .bound(_?, _) where renamesStreams, .receipt where renamesStreams: break
        case .bound(let stream, let time):
            let reached = chains.reached(stream, time)
            boundOutlets.take(.bound(stream, reached))
            // The output so far is complete, even if later output may have an earlier timestamp.
            if context.watermarks == .explicit, reached < time, let stream { outlets.take(.receipt(stream, time)) }
        case .receipt: outlets.take(mark)
        case .end(let stream, let end): pass(end, of: stream)
        case .progress: progressOutlets.take(mark)
        case .credit(let credit, let stream): creditOutlets.pass(credit, of: stream)
        case .inputEnd: break
        }
    }
}
