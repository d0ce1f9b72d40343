/// The input of a task whose stage takes one frame from each of several edges. The join delivers sets of frames, which an
/// ``AlignmentState`` makes.
///
/// In a batch run, items enter the state in the order of ``RankedEdges``, so the order of the sets, across all streams, depends on
/// the content of the edges and not on arrival times. In a live run, and wherever an edge limits its frames in flight, items enter
/// the state as they arrive. The order across streams then depends on arrival times, but the sets of each stream are the same.
///
/// The join stops reading an edge while the number of waiting frames of that edge has reached ``AlignedLane/room``, so the producer
/// of the edge waits too. There are two exceptions. Frames that wait for something that may never arrive are released: see
/// ``AlignmentState/makeRoom(on:)`` and, in a live run, ``AlignmentState/makeRoom(of:on:where:)``. An edge is read further if its
/// frames in flight are limited (``LaneTraits/isLimited``), or after all sources have ended, because another lane may be waiting
/// for frames that are queued behind the waiting frames.
final class AlignedJoin<Element: Payload>: Join {
    typealias State = AlignmentState<Element>

    var lanes: [AlignedLane]
    /// The order of the items in a batch run.
    var ranked: RankedEdges?
    let traits: [LaneTraits]
    private var isLateReported = false
    var state: State
    private var outputs: [State.Output] = []
    let metrics: AlignmentMetrics
    /// Whether a lane that has been silent for too long stops delaying the others.
    private var isTimed: Bool
    let waker: Waker
    private(set) var clocks: SourceClocks
    var monitor: RunMonitor { clocks.monitor }

    /// When the timer will wake the task.
    var timerAt: Int64?

    /// In a batch run, the streams that have been announced to downstream joins. These joins wait for frames of an announced
    /// stream.
    var known: Set<StreamID> = []

    /// For each lane, whether the join does not read it until other lanes have advanced.
    var isClosed: [Bool]

    /// - Parameters:
    ///   - state: A new state, which makes the sets.
    ///   - edges: The edges.
    ///   - traits: The properties of each edge that are known before the run.
    init(
        _ state: State, edges: [Edge], traits: [LaneTraits], clocks: SourceClocks,
        metrics: AlignmentMetrics, waker: Waker
    ) {
        let (monitor, now) = (clocks.monitor, clocks.monitor.clock.now)
        let isRanked = state.lanes.watermarks == .implied
        lanes = edges.map { AlignedLane(reader: EdgeReader($0), activeAt: now) }
        ranked = isRanked ? RankedEdges(edges, monitor: monitor) : nil
        self.traits = traits
        isClosed = edges.map { _ in false }
        isTimed = monitor.timer != nil && edges.contains { $0.policy.idleTimeoutMs != nil }
        self.waker = waker
        self.clocks = clocks
        self.state = state
        self.metrics = metrics
        super.init(store: FrameStore(Aligned<Element>.self), edges: edges)
    }

    deinit {
        for index in lanes.indices { lanes[index].reader.freeAll() }
        ranked?.freeAll()
    }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        if ranked != nil { fillByRank(&batch, &used) } else { fill(&batch, &used) }
        if !batch.isEmpty {
            if clocks.hasAsked { ask(for: waitsFor) }
            return .items
        }
        if clocks.requests.sources.isEmpty { return hasEnded ? .finished : .nothing }
        let waits = waitsFor
        for (stream, time) in waits {
            clocks.passApart(stream, time) {
                goOn(stream, upTo: nil, without: $0, in: $1, into: &batch, used: &used)
            }
        }
        for (stream, time) in state.waitsForFirst {
            clocks.passApart(stream, time) {
                goOn(stream, upTo: time, without: $0, in: $1, into: &batch, used: &used)
            }
        }
        ask(for: batch.isEmpty ? waits : waitsFor)
        if !batch.isEmpty { return .items }
        return hasEnded ? .finished : .nothing
    }

    /// Asks the sources for the times that the next sets of streams wait for. A stream whose frames have not entered the state yet
    /// waits for the time of the first one.
    private func ask(for waits: [(StreamID, Timestamp)]) {
        clocks.ask(for: waits) { stream, source, first in
            let lanes = state.waits(of: stream)
            guard !lanes.isEmpty else { return first }
            return lanes.filter { traits[$0.lane].sources.contains(source) }.map(\.time).max()
        }
    }

    private var hasEnded: Bool { ranked.map { $0.hasEnded || $0.isCutOff } ?? lanes.allSatisfy(\.hasEnded) }

    /// The streams whose frames wait for other edges, each with the timestamp of its first waiting frame.
    private var waitsFor: [(StreamID, Timestamp)] {
        // Include streams whose frames have not entered the state yet, because another edge has delivered nothing.
        var waits: [StreamID: Timestamp] = [:]
        for lane in lanes {
            for case .frame(let cell) in lane.reader.waiting.prefix(16) {
                waits[cell.stream] = min(waits[cell.stream] ?? .max, cell.timestamp)
            }
        }
        for (stream, time) in state.waitsFor { waits[stream] = min(waits[stream] ?? .max, time) }
        return waits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Stops waiting in one stream for edges whose sources' clocks are far behind: for edges that a source in `behind` feeds and
    /// no source in `inStep` feeds. Adds the items that can leave to `batch`.
    ///
    /// - Parameter time: If given, frames up to this time no longer wait for the first edge; they are dropped. If `nil`, the next
    ///   set of the stream is made without any edge that is behind.
    private func goOn(
        _ stream: StreamID, upTo time: Timestamp?, without behind: Set<Int>, in inStep: Set<Int>,
        into batch: inout [Item], used: inout [FrameCell]
    ) -> ClocksApart? {
        let isApart: (Int) -> Bool = { [traits] lane in
            !traits[lane].sources.isDisjoint(with: behind) && traits[lane].sources.isDisjoint(with: inStep)
        }
        let lanes =
            if let time { state.letGo(of: stream, upTo: time, where: isApart) } else {
                state.goOn(stream, where: isApart)
            }
        guard let lanes else { return nil }
        takeOutputs(into: &batch, &used)
        let sources = { [traits] (list: [Int]) in list.reduce(into: Set<Int>()) { $0.formUnion(traits[$1].sources) } }
        let waitedFor = sources(lanes.behind).intersection(behind)
        return ClocksApart(
            behind: waitedFor, ahead: sources(lanes.ahead).subtracting(waitedFor),
            reason: time == nil ? .late : .unmatched)
    }

    private func fill(_ batch: inout [Item], _ used: inout [FrameCell]) {
        repeat {
            refill()
            if isTimed { noteSilence(into: &batch, &used) }
            var hasAdvanced = false
            while batch.count < 256 {
                if let lane = nextLane() {
                    advance(lane, into: &batch, &used)
                } else if !makeRoomOfStream(into: &batch, &used) {
                    if let lane = lanes.indices.first(where: { mayHoldMore($0) }) {
                        advance(lane, into: &batch, &used)
                    } else if !makeRoomIfAllFull(into: &batch, &used) {
                        break
                    }
                }
                hasAdvanced = true
            }
            // Only an edge that was found empty signals when it has items again.
            guard hasAdvanced else { return }
        } while batch.isEmpty
    }

    override func flush(into batch: inout [Item], used: inout [FrameCell]) {
        while let lane = ranked?.nextHeld() {
            var items: [Item] = []
            _ = ranked?.take(lane) { item, _ in items.append(item) }
            for item in items { push(item, on: lane) }
        }
        if ranked == nil {
            for index in lanes.indices {
                repeat {
                    while !lanes[index].reader.waiting.isEmpty { advance(index, into: &batch, &used) }
                    lanes[index].refill()
                } while !lanes[index].reader.waiting.isEmpty
            }
        }
        for index in lanes.indices { state.end(index) }
        takeOutputs(into: &batch, &used)
        clocks.ask(for: [])
    }

    override func abandon(_ rest: (Item) -> Void) {
        super.abandon(rest)
        for index in lanes.indices {
            for case .frame(let cell) in lanes[index].reader.waiting {
                metrics.frames.add()
                drop(take(cell, index), .cancelled)
            }
            lanes[index].reader.removeAll()
        }
        ranked?.abandon { item, index in
            guard case .frame(let cell) = item else { return }
            metrics.frames.add()
            let frame = cell.frame(of: Element.self).move()
            lanes[index].reader.used.append(cell)
            drop(frame, .cancelled)
        }
        state.abandon()
        var (batch, used): ([Item], [FrameCell]) = ([], [])
        takeOutputs(into: &batch, &used)
    }

    override func reconnect(to edges: [Edge]) {
        super.reconnect(to: edges)
        isTimed = monitor.timer != nil && edges.contains { $0.policy.idleTimeoutMs != nil }
        ranked?.reconnect(to: edges)
        for index in lanes.indices where lanes[index].reader.edge !== edges[index] {
            // In a batch run, `ranked` has read what waited on the edge.
            lanes[index].reader.reconnect(to: edges[index])
        }
    }

    override func forEachHeld(_ body: (StreamID, Timestamp) -> Void) { forEachWaiting(body) }

    override func release(_ streams: Set<StreamID>) -> [Item] { releaseWaiting(streams) }

    // MARK: Lanes

    private func refill() {
        for index in lanes.indices { lanes[index].refill() }
    }

    /// The lane whose item enters the state next; `nil` if no lane has an item that can enter.
    private func nextLane() -> Int? { lanes.indices.first { hasNext($0) } }

    /// Whether a lane has an item, or its end, that can enter the state.
    private func hasNext(_ index: Int) -> Bool {
        guard !lanes[index].reader.waiting.isEmpty else {
            return lanes[index].reader.hasFinished && !lanes[index].hasEnded
        }
        return !isFull(index)
    }

    private func advance(_ index: Int, into batch: inout [Item], _ used: inout [FrameCell]) {
        if lanes[index].reader.waiting.isEmpty {
            lanes[index].hasEnded = true
            state.end(index)
        } else {
            push(lanes[index].reader.removeFirst(), on: index)
        }
        takeOutputs(into: &batch, &used)
    }

    func push(_ item: Item, on index: Int) {
        switch item {
        case .frame(let cell):
            metrics.frames.add()
            state.push(.frame(take(cell, index)), on: index)
        case .mark(.inputEnd), .mark(.progress): break
        case .mark(let mark):
            state.push(.mark(mark), on: index)
            // If an upstream stage dropped a frame, only its credit arrives, and credits enter even if there is no room.
            if case .credit(_, let stream?) = mark, state.held(of: stream, on: index) > lanes[index].room {
                _ = makeRoom(of: stream, on: index)
            }
        }
    }

    func take(_ cell: FrameCell, _ index: Int) -> Frame<Element> {
        let frame = cell.frame(of: Element.self).move()
        if ranked == nil { lanes[index].reader.used.append(cell) } else { ranked?.recycle(cell, to: index) }
        return frame
    }

    override var waitedFor: String {
        let full = lanes.indices.filter { ranked == nil ? !lanes[$0].hasEnded && isFull($0) : isClosed[$0] }.map {
            index in
            "frames to join with the \(state.held[index]) frames of \(lanes[index].reader.edge.name)"
        }
        if let ranked {
            return (full + ranked.quiet { !isClosed[$0] }.map { "frames on \($0)" }).joined(separator: " and ")
        }
        let quiet = lanes.indices.filter {
            lanes[$0].reader.waiting.isEmpty && !lanes[$0].reader.hasFinished && !isFull($0)
        }
        .map { "frames on \(lanes[$0].reader.edge.name)" }
        return (full + quiet).joined(separator: " and ")
    }

    // MARK: Output

    func takeOutputs(into batch: inout [Item], _ used: inout [FrameCell]) {
        state.takeOutputs(into: &outputs)
        for output in outputs {
            switch output {
            case .set(let frame):
                metrics.sets.add()
                let cell = used.popLast() ?? store.allocate()
                cell.frame(of: Aligned<Element>.self).initialize(to: frame)
                batch.append(.frame(cell))
            case .mark(let mark):
                if case .credit(let credit, _) = mark { credit.goOn() }
                batch.append(.mark(mark))
            case .dropped(let frame, let reason): drop(frame, reason)
            }
        }
        outputs.removeAll(keepingCapacity: true)
        metrics.used.add(Int64(state.takeUsed()))
    }

    override var makesSets: Bool { true }

    override func parts(of set: FrameCell) -> [TapeItem.Part?] {
        set.frame(of: Aligned<Element>.self).pointee.payload.frames.map { frame in
            frame.map { .init($0.header.ordinal, gap: $0.gap) }
        }
    }

    override func set(of parts: [FrameCell?], gap: Int32, at time: Timestamp, into cell: FrameCell?) -> FrameCell? {
        let frames = parts.map { $0?.frame(of: Element.self).pointee }
        guard let set = Frame(setOf: frames, at: time, gap: gap) else { return nil }
        metrics.frames.add(Int64(frames.count { $0 != nil }))
        metrics.sets.add()
        let cell = cell ?? store.allocate()
        cell.frame(of: Aligned<Element>.self).initialize(to: set)
        return cell
    }

    func drop(_ frame: Frame<Element>, _ reason: DropReason) {
        if reason == .late, ranked != nil, !isLateReported {
            isLateReported = true
            monitor.fail(clocks.place, .outOfStep(frame.stream, at: frame.timestamp, on: clocks.place, reached: nil))
        }
        metrics.dropped.add(reason)
        monitor.noteDrop(frame.header, at: clocks.place, reason)
    }
}
