/// The input of a task: one edge, several merged, or several aligned.
///
/// Several are merged each stream by itself: in a batch run by a ``TimeMerge``, so that the result depends on what the edges
/// carry and not on when it arrived; live, and wherever an edge has slots, by a ``StreamMerge``.
final class MergedInput {
    typealias Item = EdgeItem<FrameCell>

    private struct Lane {
        let edge: Edge
        var items: [Item] = []
        var hasFinished = false
    }

    private var lanes: [Lane]
    private let waker: Waker
    private let place: String
    private let monitor: RunMonitor
    /// What empties the cells that it gives out.
    let store: FrameStore
    /// Cells that have been emptied, on their way back to the first edge.
    private var used: [FrameCell] = []
    /// Merges several in a batch run, in the order of what the sources brought.
    private var byTime: TimeMerge<FrameCell>?
    private var ranked: RankedEdges
    private var isLateReported = false
    /// Brings several together in a live run.
    private var byStream: StreamMerge<FrameCell>?
    private let own: OwnBounds?
    /// The sources whose time may let go what waits here, and the number to ask them under.
    private let askers: TimeRequests
    /// Puts frames of several together, for a stage that asks for sets.
    private let aligned: AnyAlignedInput?
    /// Whether it goes on to bring what is there when everything must end, as it does for a sink.
    private let delivers: Bool
    private let isBehindRenaming: Bool
    private let recorder: TapeRecorder?
    /// What stands for all that is decided here while a run is run again.
    private let taped: TapedInput?

    init(
        edges: [Edge], aligned: AnyAlignedInput? = nil, waker: Waker, place: String, monitor: RunMonitor,
        byTime: TimeMerge<FrameCell>? = nil, byStream: StreamMerge<FrameCell>? = nil, isBehindRenaming: Bool = false,
        own: OwnBounds? = nil, askers: TimeRequests = TimeRequests(), delivers: Bool = false, taped: TapedInput? = nil
    ) {
        self.taped = taped
        if case .record(let write) = monitor.tape { recorder = TapeRecorder(place, write) } else { recorder = nil }
        self.delivers = delivers
        self.own = own
        self.askers = askers
        self.byTime = byTime
        ranked = RankedEdges(byTime == nil ? [] : edges, monitor: monitor)
        self.byStream = byStream
        self.isBehindRenaming = isBehindRenaming
        self.aligned = aligned
        lanes = edges.map { Lane(edge: $0) }
        store = aligned?.store ?? edges.first?.store ?? FrameStore()
        self.waker = waker
        self.place = place
        self.monitor = monitor
    }

    deinit {
        for lane in lanes { store.discard(lane.items) }
        store.discard(byStream?.drain() ?? [])
        store.discard(byTime?.drain() ?? [])
        ranked.freeAll()
        for cell in used { store.free(cell) }
    }

    /// Keeps a cell whose frame was handed on for the edge to fill again.
    func giveBack(_ cell: FrameCell) { used.append(cell) }

    /// Destroys the frame in a cell that was taken, and keeps the cell for the edge to fill again.
    func recycle(_ cell: FrameCell) {
        store.empty(cell)
        used.append(cell)
    }

    /// Fills `batch`, which must be empty, with what comes next. `finished` is the end, also when the run is canceled;
    /// after `nothing`, ``wait()`` and look again. Apart from waiting, so that what is there costs no asynchronous call.
    func look(into batch: inout [Item]) -> Edge.Taken {
        waker.pulse.beat()
        if monitor.isCancelled, !delivers || monitor.isClosed { return .finished }
        if let taped { return taped.look(into: &batch, used: &used) }
        let taken = lookAtEdges(into: &batch)
        recorder?.note(batch, taken, of: aligned)
        return taken
    }

    private func lookAtEdges(into batch: inout [Item]) -> Edge.Taken {
        if let own {
            own.take(into: &batch)
            if !batch.isEmpty { return .items }
        }
        if lanes.count == 1 { return lanes[0].edge.take(into: &batch, returning: &used) }
        if let aligned { return look(into: &batch, aligned) }
        if byTime != nil { return mergeByTime(into: &batch) }
        while true {
            let hasTaken = mergeByStream(into: &batch)
            if !batch.isEmpty { return .items }
            // Only an edge that was found empty says when it has something again.
            if hasTaken { continue }
            return lanes.allSatisfy(\.hasFinished) ? .finished : .nothing
        }
    }

    private func look(into batch: inout [Item], _ aligned: AnyAlignedInput) -> Edge.Taken {
        aligned.fill(&batch, used: &used)
        if !batch.isEmpty { return .items }
        for (stream, time) in aligned.waitsFor {
            passClocksApart(stream, time) {
                aligned.goOn(stream, upTo: nil, without: $0, in: $1, into: &batch, used: &used)
            }
        }
        for (stream, time) in aligned.waitsForFirst {
            passClocksApart(stream, time) {
                aligned.goOn(stream, upTo: time, without: $0, in: $1, into: &batch, used: &used)
            }
        }
        if !batch.isEmpty { return .items }
        askForTime(aligned.waitsFor)
        return aligned.hasEnded ? .finished : .nothing
    }

    /// Notes that the task that looks here has ended.
    func end() { waker.pulse.end() }

    /// Waits until something may have come.
    nonisolated(nonsending) func wait() async { await waker.wait(for: "\(place) waits for \(waitedFor)") }

    /// Whether a frame may come of a stream that has gone on beyond it: what an edge brings for the first time of a stream
    /// that others have brought, and what comes of several streams that have got one name.
    var mayBeLate: Bool { byStream != nil || byTime != nil || isBehindRenaming }

    /// Whether what it brings ended by force.
    var isCutShort: Bool { taped?.isCutShort ?? false }

    /// Whether it brings several edges together.
    var isMerged: Bool { lanes.count > 1 }

    /// Tells whoever sends that nobody does anything with it any more.
    func renounce() {
        if let taped { return taped.renounce() }
        aligned?.renounce()
        for lane in lanes { lane.edge.renounce() }
    }

    /// Says that no more will be taken, and hands back what was taken but not yet given out.
    func abandon(_ rest: (Item) -> Void) {
        if let taped { return taped.abandon() }
        aligned?.abandon()
        for lane in lanes {
            lane.edge.abandon()
            lane.items.forEach(rest)
        }
        byStream?.drain().forEach(rest)
        byTime?.drain().forEach(rest)
        ranked.abandon { item, _ in rest(item) }
        lanes = lanes.map { Lane(edge: $0.edge) }
    }

    private var waitedFor: String {
        if let taped { return taped.waitedFor }
        if let aligned { return aligned.waitedFor }
        let quiet = byTime == nil ? lanes.filter { !$0.hasFinished }.map(\.edge.name) : ranked.quiet()
        return "frames on " + quiet.joined(separator: " or ")
    }

    private func mergeByTime(into batch: inout [Item]) -> Edge.Taken {
        ranked.recycle(&used)
        while batch.count < 256 {
            guard let lane = ranked.next(isClosed: { byTime?.isClosed($0) ?? false }) else {
                guard lanes.indices.allSatisfy({ ranked.hasEnded($0) || byTime?.isClosed($0) ?? false }),
                    byTime?.makeRoom(into: &batch) ?? false
                else { break }
                continue
            }
            let (rank, hasEnded) = ranked.take(lane) { byTime?.add($0, $1, lane: lane) }
            if hasEnded { byTime?.finish(lane: lane) }
            guard let complete = ranked.completed(rank, isClosed: { byTime?.isClosed($0) ?? false }) else { continue }
            byTime?.settle(into: &batch)
            batch.append(.progress(complete))
            if let late = byTime?.takeLate().first { report(late) }
        }
        if !batch.isEmpty { return .items }
        return ranked.hasEnded || ranked.isCutOff ? .finished : .nothing
    }

    /// Two sources bring one stream by clocks that do not agree: what came too late would be lost.
    private func report(_ late: TimeMerge<FrameCell>.Late) {
        guard !isLateReported else { return }
        isLateReported = true
        monitor.fail(
            place, .outOfStep(late.stream, at: late.time, on: ranked.name(of: late.lane), reached: late.reached))
    }

    private func mergeByStream(into batch: inout [Item]) -> Bool {
        var hasTaken = false
        for index in lanes.indices where !lanes[index].hasFinished {
            // What waits here for other edges counts toward the room on its own. At the end all must come: what waits may wait
            // for the end of another edge, and no more comes than is under way.
            let least = byStream?.isLimited(index) ?? false ? LanePlace.mostHeld : LanePlace.room
            guard
                monitor.isDraining
                    || (byStream?.held[index] ?? 0) < max(least, lanes[index].edge.policy.capacity)
            else { continue }
            lanes[index].items.removeAll(keepingCapacity: true)
            switch lanes[index].edge.take(into: &lanes[index].items, returning: &used) {
            case .items:
                hasTaken = true
                byStream?.add(lanes[index].items, lane: index, into: &batch)
            case .finished:
                lanes[index].hasFinished = true
                byStream?.finish(lane: index, into: &batch)
            case .nothing: break
            }
            lanes[index].items.removeAll(keepingCapacity: true)
        }
        for (stream, time) in byStream?.waitsFor ?? [] {
            passClocksApart(stream, time) { byStream?.goOn(stream, without: $0, in: $1, into: &batch) }
        }
        askForTime(byStream?.waitsFor ?? [])
        return hasTaken
    }

    /// Lets a frame go on that waits for sources whose clocks show quite another time, and says once what that loses.
    ///
    /// - Parameter goOn: Is given the sources that are behind, and those in step.
    private func passClocksApart(
        _ stream: StreamID, _ time: Timestamp, goOn: (Set<Int>, Set<Int>) -> ClocksApart?
    ) {
        var (behind, inStep): (Set<Int>, Set<Int>) = ([], [])
        var seconds: Int64 = 0
        for source in askers.sources {
            guard let wait = source.isBehind(stream, time) else { continue }
            if wait.isApart { behind.insert(source.source.number) } else { inStep.insert(source.source.number) }
            seconds = max(seconds, wait.seconds)
        }
        guard !behind.isEmpty, let apart = goOn(behind, inStep), monitor.isNew(apart: stream) else { return }
        func names(_ sources: Set<Int>) -> String {
            askers.sources.filter { sources.contains($0.source.number) && $0.hasBrought(stream) }.map(\.source.name)
                .joined(separator: ", ")
        }
        monitor.log.about(place)(
            .warning,
            """
            \(names(apart.ahead)) and \(names(apart.behind)) both bring "\(stream.name.shown)", by clocks that are \
            \(seconds) s apart: what \(names(apart.losing)) brings of it is dropped as \(apart.reason.rawValue); give each its \
            own name with map_stream behind one of them
            """)
    }

    /// Asks the sources to say when the time of streams of which frames wait has passed them.
    private func askForTime(_ waits: [(StreamID, Timestamp)]) {
        guard !askers.sources.isEmpty else { return }
        for (stream, time) in waits { askers.request(stream, time) }
    }
}

extension PipelineError {
    /// A frame came to where edges come together after its stream had gone on beyond it.
    static func outOfStep(_ stream: StreamID, at time: Timestamp, on edge: String, reached: Timestamp?) -> PipelineError
    {
        let isOfSets = reached == nil
        let reached = reached.map { ", when that stream had come to \($0) from elsewhere" } ?? ""
        return PipelineError(
            .frame, "join.out_of_step", "\(edge) brings \"\(stream.name)\" at \(time)\(reached)",
            help:
                "are these two streams with clocks of their own? give one another name with map_stream before the edges are merged"
                + (isOfSets ? "; or raise capacity, so that more frames wait for each other" : "")
        )
    }
}
