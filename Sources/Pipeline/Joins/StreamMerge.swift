/// Merges the edges of one input, each stream separately, as a pure state machine. Live runs use this merge, because their streams
/// share no clock.
///
/// A frame leaves when every other edge that may still deliver an earlier frame of the same stream has passed the timestamp of the
/// frame. These are the edges that have delivered the stream, and the edges downstream of the stream's source. If two frames have
/// the same timestamp, the frame of the edge named first goes first. A quiet stream never delays another stream.
///
/// Two kinds of edges do not delay the others, although they may still deliver earlier frames: an edge whose source's clock is far
/// behind (see ``goOn(_:without:in:into:)``), and an edge on which streams may have been renamed, because the progress of a renamed
/// stream is unknown. Such frames are late. After the merge, the watermark of a stream is the lowest watermark of its edges.
struct StreamMerge<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>

    let lanes: [LaneTraits]
    private let maxStreams: Int
    private let brings: ((_ source: Int, StreamID) -> Bool)?
    private let isRenamed: Bool
    var streams: [StreamID: Stream] = [:]
    private var globalWatermarks: [Timestamp]
    private var sentBoundOfAll = Timestamp.beforeAll
    private var hasFinished: [Bool]
    /// Whether another merge continues with the edges.
    private var isFlushed = false
    /// The number of items that were taken.
    private var taken = 0

    /// The number of waiting frames of each edge.
    var held: [Int]

    /// - Parameters:
    ///   - maxStreams: If there are more streams, those that were not used for the longest time are evicted. A stream with waiting
    ///     items stays.
    ///   - brings: Returns whether a source has produced a stream with a given name; `nil` if this is not known.
    init(
        lanes: [LaneTraits], maxStreams: Int = 10_000, brings: ((_ source: Int, StreamID) -> Bool)? = nil
    ) {
        self.lanes = lanes
        self.maxStreams = max(1, maxStreams)
        self.brings = brings
        isRenamed = lanes.contains(where: \.isRenamed)
        globalWatermarks = lanes.map { _ in .beforeAll }
        hasFinished = lanes.map { _ in false }
        held = lanes.map { _ in 0 }
    }

    /// Returns ``LaneTraits/isLimited`` of an edge.
    func isLimited(_ lane: Int) -> Bool { lanes[lane].isLimited }

    /// The streams with waiting frames, sorted by name, each with the time of its first waiting frame. The other edges must pass
    /// this time.
    var waitsFor: [(StreamID, Timestamp)] {
        guard held.contains(where: { $0 > 0 }) else { return [] }
        let waits = streams.compactMap { stream, state in
            state.sides.compactMap { $0.first?.frameTime }.min().map { (stream, $0) }
        }
        // Sort, because wake-ups for the same time happen in the order of the requests.
        return waits.sorted { $0.0.name < $1.0.name }
    }

    /// Takes items of an edge, and adds the items that can leave to `batch`. O(edges) for each item.
    mutating func add(_ items: [Item], lane: Int, into batch: inout [Item]) {
        for item in items {
            taken += 1
            switch item {
            case .bound(nil, let time): addBoundOfAll(time, lane, &batch)
            case .frame(let frame):
                held[lane] += 1
                add(item, of: frame.stream, lane, &batch)
            case .bound(let stream?, _), .receipt(let stream, _), .end(let stream):
                add(item, of: stream, lane, &batch)
            case .credit(let credit, let stream): add(credit, of: stream, lane, &batch)
            case .inputEnd, .progress: break
            }
        }
        if streams.count > maxStreams { evict() }
    }

    /// Stops waiting for edges whose sources' clocks are far behind, so that the first frame of the stream can leave. Adds all
    /// items that can leave to `batch`.
    ///
    /// - Parameters:
    ///   - stream: The stream whose first frame waits.
    ///   - behind: The sources whose clocks are far behind. The merge no longer waits for edges from these sources.
    ///   - inStep: The sources whose clocks are not far behind. The merge still waits for edges from these sources.
    ///   - batch: Receives the items that can leave.
    /// - Returns: The sources that delayed the frame, and the sources of the frame's own edge; `nil` if no source in `behind`
    ///   delayed the frame.
    mutating func goOn(
        _ stream: StreamID, without behind: Set<Int>, in inStep: Set<Int>, into batch: inout [Item]
    ) -> ClocksApart? {
        guard var state = streams[stream], let best = first(state) else { return nil }
        var waitedFor: Set<Int> = []
        for lane in lanes.indices
        where lane != best.lane && state.related[lane] && holdsBack(lane, state)
            && bound(lane, state) < best.time && lanes[lane].sources.isDisjoint(with: inStep)
        {
            let sources = lanes[lane].sources.intersection(behind)
            state.sides[lane].isApart = !sources.isEmpty
            waitedFor.formUnion(sources)
        }
        guard !waitedFor.isEmpty else { return nil }
        state.released = best.time
        streams[stream] = state
        settle(stream, &batch)
        return ClocksApart(behind: waitedFor, ahead: lanes[best.lane].sources.subtracting(waitedFor))
    }

    /// Removes and returns all held items, so that the caller can free them.
    mutating func drain() -> [Item] {
        defer { streams = [:] }
        held = lanes.map { _ in 0 }
        return streams.sorted { $0.key.name < $1.key.name }.flatMap { $0.value.sides.flatMap(\.queue.all) }
    }

    /// Records that an edge has ended, and releases the items that waited for it.
    mutating func finish(lane: Int, into batch: inout [Item]) {
        hasFinished[lane] = true
        for stream in streams.keys.sorted(by: { $0.name < $1.name }) { settle(stream, &batch) }
    }

    /// Releases all waiting items, as if all edges had ended. Sends no more watermarks, because another merge continues with the
    /// edges.
    mutating func flush(into batch: inout [Item]) {
        isFlushed = true
        for lane in lanes.indices { finish(lane: lane, into: &batch) }
    }

    private mutating func add(_ item: Item, of stream: StreamID, _ lane: Int, _ batch: inout [Item]) {
        var state = streams[stream] ?? Stream(sides: lanes.map { _ in Side() })
        if !state.sides[lane].hasShown {
            state.sides[lane].hasShown = true
            state.related = related(state, stream)
        }
        state.sides[lane].queue.append(item)
        state.lastUse = taken
        streams[stream] = state
        settle(stream, &batch)
    }

    /// Evicts the least recently used streams without waiting items: several at once, because the search takes time. Streams that a
    /// stage has renamed never end, so without this the merge would keep every name.
    private mutating func evict() {
        let idle = streams.filter { $0.value.sides.allSatisfy(\.queue.isEmpty) }
        let excess = streams.count - maxStreams + maxStreams / 8
        for stream in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(excess) {
            streams[stream.key] = nil
        }
    }

    /// Holds a credit until the frames before it have left, or releases the credit if no frame waits.
    private mutating func add(_ credit: Credit, of stream: StreamID?, _ lane: Int, _ batch: inout [Item]) {
        guard let stream, streams[stream]?.sides[lane].first != nil else {
            return batch.append(.credit(credit, of: stream))
        }
        credit.wait()
        streams[stream]?.sides[lane].queue.append(.credit(credit, of: stream))
    }

    private mutating func addBoundOfAll(_ time: Timestamp, _ lane: Int, _ batch: inout [Item]) {
        globalWatermarks[lane] = max(globalWatermarks[lane], time)
        for stream in streams.keys.sorted(by: { $0.name < $1.name }) { settle(stream, &batch) }
        let least = globalWatermarks.indices.filter { !hasFinished[$0] }.map { globalWatermarks[$0] }.min() ?? time
        guard least > sentBoundOfAll, !isRenamed, !isFlushed else { return }
        sentBoundOfAll = least
        batch.append(.bound(nil, least))
    }

    // MARK: One stream

    /// Releases all items of a stream that can leave, then announces the stream's watermark.
    private mutating func settle(_ stream: StreamID, _ batch: inout [Item]) {
        guard var state = streams[stream] else { return }
        while true {
            passMarks(stream, &state, &batch)
            // If an edge has caught up, the others wait for it again.
            for lane in lanes.indices where state.sides[lane].isApart {
                let time = state.sides[lane].first?.frameTime ?? bound(lane, state)
                if time >= state.released { state.sides[lane].isApart = false }
            }
            if let lane = next(state) {
                guard case .frame(let frame)? = state.sides[lane].first else { break }
                state.sides[lane].queue.removeFirst()
                state.sides[lane].bound = max(
                    state.sides[lane].bound, frame.timestamp.advanced(byMicroseconds: -1))
                held[lane] -= 1
                state.released = max(state.released, frame.timestamp)
                batch.append(.frame(frame))
            } else if !passEnds(stream, &state, &batch) {
                break
            }
        }
        sendBounds(stream, &state, &batch)
        let isOver = state.sides.allSatisfy { !$0.hasShown && $0.first == nil }
        streams[stream] = isOver ? nil : state
    }

    /// Returns for each edge whether it may deliver frames of the stream: whether it has delivered the stream, or is downstream of
    /// the stream's source. If the edges that delivered the stream have several sources in common, `brings` says which of them
    /// produced it.
    private func related(_ state: Stream, _ stream: StreamID) -> [Bool] {
        let shown = lanes.indices.filter { state.sides[$0].hasShown }
        let common = shown.dropFirst().reduce(lanes[shown.first ?? 0].sources) {
            $0.intersection(lanes[$1].sources)
        }
        let origin = common.filter { brings?($0, stream) ?? false }
        let isNamedOnTheWay = brings != nil && shown.allSatisfy { lanes[$0].isRenamed }
        return lanes.indices.map { lane in
            if state.sides[lane].hasShown { return true }
            if !origin.isEmpty { return !origin.isDisjoint(with: lanes[lane].sources) }
            // No source produces this name, so a stage has renamed the stream. An edge without renaming stages cannot carry it.
            if isNamedOnTheWay, !lanes[lane].isRenamed { return false }
            return !common.isEmpty && common.isSubset(of: lanes[lane].sources)
        }
    }

    /// Applies the watermarks and receipts that no waiting frame precedes, and releases the credits whose frames no longer wait.
    private func passMarks(_ stream: StreamID, _ state: inout Stream, _ batch: inout [Item]) {
        for lane in lanes.indices {
            while let item = state.sides[lane].first {
                switch item {
                case .bound(_, let time): state.sides[lane].bound = max(state.sides[lane].bound, time)
                case .receipt(_, let time): state.sides[lane].receipt = max(state.sides[lane].receipt, time)
                case .credit(let credit, _):
                    credit.goOn()
                    batch.append(item)
                case .frame, .end, .inputEnd, .progress: break
                }
                guard item.isPassed else { break }
                state.sides[lane].queue.removeFirst()
            }
        }
    }

    /// The edge whose frame leaves next, if a frame can leave.
    private func next(_ state: Stream) -> Int? {
        guard let best = first(state) else { return nil }
        for lane in lanes.indices where lane != best.lane && state.related[lane] && holdsBack(lane, state) {
            // An edge named earlier must have passed the time itself; an edge named later must have passed all times before it.
            let needed = lane < best.lane ? best.time : best.time.advanced(byMicroseconds: -1)
            if bound(lane, state) < needed { return nil }
        }
        return best.lane
    }

    private func first(_ state: Stream) -> (lane: Int, time: Timestamp)? {
        var best: (lane: Int, time: Timestamp)?
        for lane in lanes.indices {
            guard let time = state.sides[lane].first?.frameTime else { continue }
            if best.map({ time < $0.time }) ?? true { best = (lane, time) }
        }
        return best
    }

    /// Returns whether the other edges must wait for an edge: if the edge has not finished, and no item of the stream from this
    /// edge waits here. They need not wait if the clock of the edge is far behind, or if streams of the edge may have been
    /// renamed.
    private func holdsBack(_ lane: Int, _ state: Stream) -> Bool {
        !hasFinished[lane] && !lanes[lane].isRenamed && !state.sides[lane].isApart && state.sides[lane].first == nil
    }

    private func bound(_ lane: Int, _ state: Stream) -> Timestamp {
        max(state.sides[lane].bound, globalWatermarks[lane])
    }

    /// Releases the end of a stream when the end has arrived on every edge that can still deliver it: on every edge that shares a
    /// source with an edge on which the end has arrived. Returns whether anything changed.
    private func passEnds(_ stream: StreamID, _ state: inout Stream, _ batch: inout [Item]) -> Bool {
        let ended = lanes.indices.filter { if case .end? = state.sides[$0].first { true } else { false } }
        guard !ended.isEmpty else { return false }
        let over = ended.reduce(into: Set<Int>()) { $0.formUnion(lanes[$1].sources) }
        let isWaiting = lanes.indices.contains { lane in
            // Items of a finished edge must still leave, up to the end of the stream on that edge.
            let mayEnd = !hasFinished[lane] || state.sides[lane].first != nil
            return state.related[lane] && !ended.contains(lane) && mayEnd && !lanes[lane].isRenamed
                && !lanes[lane].sources.isDisjoint(with: over)
                // If another source of the edge still produces the stream, the edge does not deliver the end now.
                && !lanes[lane].sources.contains { !over.contains($0) && brings?($0, stream) ?? false }
        }
        guard !isWaiting else { return false }
        for lane in ended {
            state.sides[lane].queue.removeFirst()
            state.sides[lane].bound = .beforeAll
            state.sides[lane].receipt = .beforeAll
            state.sides[lane].isApart = false
            state.sides[lane].hasShown = state.sides[lane].first != nil
        }
        // If another source produces a stream of the same name, the stream continues.
        if !lanes.indices.contains(where: { state.sides[$0].hasShown && !ended.contains($0) }) {
            batch.append(.end(stream))
            (state.released, state.sentBound, state.sentReceipt) = (.beforeAll, .beforeAll, .beforeAll)
        }
        if lanes.indices.contains(where: { state.sides[$0].hasShown }) { state.related = related(state, stream) }
        return true
    }

    private func sendBounds(_ stream: StreamID, _ state: inout Stream, _ batch: inout [Item]) {
        if isFlushed { return }
        if !isRenamed {
            let bound = least(state) { self.bound($0, state) }
            if bound > state.sentBound {
                state.sentBound = bound
                state.sentReceipt = max(bound, state.sentReceipt)
                batch.append(.bound(stream, bound))
            }
        }
        let receipt = least(state) { max(bound($0, state), state.sides[$0].receipt) }
        if receipt > state.sentReceipt {
            state.sentReceipt = receipt
            batch.append(.receipt(stream, receipt))
        }
    }

    /// Returns the time that the stream has reached: the earliest time of the unfinished edges that may carry it. Edges whose
    /// clocks are far behind count only if this is true of all unfinished edges. If all edges are finished, the latest time
    /// counts.
    private func least(_ state: Stream, announced: (Int) -> Timestamp) -> Timestamp {
        let among = lanes.indices.filter { state.related[$0] }
        let open = among.filter { !hasFinished[$0] }
        let inStep = open.filter { !state.sides[$0].isApart }
        let times = (open.isEmpty ? among : inStep.isEmpty ? open : inStep).map { reached($0, state, announced($0)) }
        return (open.isEmpty ? times.max() : times.min()) ?? .beforeAll
    }

    /// The time that an edge has reached in a stream: the announced time, or a time just before its first waiting frame if that is
    /// lower.
    private func reached(_ lane: Int, _ state: Stream, _ announced: Timestamp) -> Timestamp {
        switch state.sides[lane].first {
        case .frame(let frame): min(announced, frame.timestamp.advanced(byMicroseconds: -1))
        case .end: .max
        default: announced
        }
    }
}

extension EdgeItem {
    /// Whether the item leaves, or takes effect, as soon as no frame waits before it.
    fileprivate var isPassed: Bool {
        switch self {
        case .bound, .receipt, .credit: true
        case .frame, .end, .inputEnd, .progress: false
        }
    }

    fileprivate var frameTime: Timestamp? { if case .frame(let frame) = self { frame.timestamp } else { nil } }
}
