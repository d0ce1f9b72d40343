/// A run of stages in one task: takes from its edges, passes frames through its chain by direct calls, and moves what
/// comes out to its outlet.
// Everything in it is touched by its own task only, once it runs.
final class SegmentTask: RunTask, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.segment
    let executor: ThreadExecutor? = nil
    private let input: MergedInput
    private let chains: StreamChains
    private let outlets: [any AnyOutlet]
    private let signal: OutletSignal
    /// Those that want to know the time of quiet streams.
    private let boundOutlets: [any AnyOutlet]
    /// Those that lead to edges with slots, and those that credits go on over.
    private let slotOutlets: [any AnyOutlet]
    private let leadsToSlots: Bool
    private let creditOutlets: [any AnyOutlet]
    private let notesNames: Bool
    /// Those that lead to where edges come together.
    private let progressOutlets: [any AnyOutlet]
    private let context: SegmentContext
    private let waker: Waker
    private let head: NodeMetrics
    /// What is known of one stream's time says nothing about the stream it is renamed to: others may become the same.
    private let renamesStreams: Bool
    private let serviceTime: Int64
    private var pace = Pace()
    /// Set when nobody reads any more what it would make.
    private var isUnwanted = false
    /// Set when it is time to hand on what was made.
    private var mustHandOn = false

    init(
        name: String, input: MergedInput, chains: StreamChains, outlets: [any AnyOutlet],
        signal: OutletSignal, context: SegmentContext, waker: Waker, head: NodeMetrics,
        renamesStreams: Bool = false, holdsSlots: Bool = false, serviceTime: Int64 = 0
    ) {
        self.serviceTime = serviceTime
        self.name = name
        self.input = input
        self.chains = chains
        self.outlets = outlets
        self.signal = signal
        boundOutlets = outlets.filter(\.wantsBounds)
        progressOutlets = outlets.filter(\.wantsProgress)
        slotOutlets = outlets.filter(\.wantsInputEnds)
        leadsToSlots = !slotOutlets.isEmpty
        creditOutlets = holdsSlots ? outlets.filter(\.wantsCredits) : []
        notesNames = renamesStreams && !creditOutlets.isEmpty
        self.context = context
        self.waker = waker
        self.head = head
        self.renamesStreams = renamesStreams
        guard context.isExplicit || context.stampsEarlier > 0 else { return }
        chains.onFinish = { stream, time in
            for outlet in outlets {
                outlet.inputEnd()
                if renamesStreams { outlet.receipt(stream, time) } else { outlet.bound(stream, time) }
            }
        }
    }

    func open() async throws {}

    func run() async {
        var batch: [EdgeItem<FrameCell>] = []
        let monitor = context.monitor
        taking: while true {
            switch input.look(into: &batch) {
            case .items: break
            case .finished: break taking
            case .nothing:
                noteReaders()
                await input.wait()
                continue
            }
            var place = 0
            pace.begin(monitor.clock)
            while place < batch.count {
                if serviceTime > 0, mayWork, case .frame = batch[place] {
                    if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
                    await monitor.serve(serviceTime)
                }
                take(batch, from: &place)
                if signal.isRaised {
                    signal.isRaised = false
                    if outlets.contains(where: { $0.isReady && $0.offer() != nil }) {
                        await outlets.flush(waker, monitor, at: name)
                    }
                }
                if mustHandOn {
                    mustHandOn = false
                    if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
                    noteReaders()
                }
            }
            batch.removeAll(keepingCapacity: true)
            if context.hasFailed { break }
            // An asynchronous call costs more than what it would do here, mostly.
            if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
            noteReaders()
        }
        if context.hasFailed || monitor.isCancelled || monitor.isCutShort || input.isCutShort {
            input.abandon(refuse)
        } else if !isUnwanted {
            chains.endAll()
        }
        await outlets.flush(waker, monitor, at: name)
        for outlet in outlets { outlet.finish() }
    }

    func close() async {}

    /// Whether frames are worked on, and not only accounted for.
    private var mayWork: Bool { !context.hasFailed && !isUnwanted && !context.monitor.isCancelled }

    /// Notes when nobody reads any more what it would make.
    private func noteReaders() {
        guard !isUnwanted, outlets.allSatisfy(\.isUnwanted) else { return }
        isUnwanted = true
        input.renounce()
    }

    /// Takes items from a place on: until enough waits to be moved, or one only where each takes its time.
    private func take(_ batch: [EdgeItem<FrameCell>], from place: inout Int) {
        repeat {
            if !mayWork {
                refuse(batch[place])
            } else {
                take(batch[place])
            }
            place += 1
            mustHandOn = pace.isOver(context.monitor.clock)
        } while place < batch.count && !signal.isRaised && !mustHandOn && serviceTime == 0
    }

    private func take(_ item: EdgeItem<FrameCell>) {
        switch item {
        case .frame(let cell):
            let passed = renamesStreams || context.isExplicit ? nil : (cell.stream, cell.timestamp)
            if notesNames {
                let stream = cell.stream
                for outlet in creditOutlets { outlet.beginInput() }
                chains.receive(cell.memory)
                for outlet in creditOutlets { outlet.noteNames(of: stream) }
            } else {
                chains.receive(cell.memory)
            }
            input.giveBack(cell)
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

    /// Accounts for a frame that was taken but that nobody will process any more.
    private func refuse(_ item: EdgeItem<FrameCell>) {
        guard case .frame(let cell) = item else {
            // Nothing may go on as if all had come up to here.
            guard !isUnwanted else { return pass(item) }
            if case .credit = item { pass(item) }
            return
        }
        defer { input.recycle(cell) }
        head.received.add()
        let reason: DropReason = isUnwanted ? .readerGone : .cancelled
        head.dropped.add(reason)
        context.monitor.noteDrop(cell.header.pointee, at: head.id, reason)
    }
}
