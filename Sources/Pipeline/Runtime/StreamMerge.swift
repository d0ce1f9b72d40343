/// Brings the edges of one input together, each stream by itself: what a live run does, whose streams share no clock.
///
/// A frame goes on when every other edge that may still bring an earlier one of its stream has passed its time (on a tie,
/// the edge named first goes first). Those are the edges that have shown the stream, and those that stand behind the
/// source it comes from. A quiet stream never holds another one back, and neither does an edge whose source's clock is so far
/// behind that it shows another time (see ``goOn(_:without:in:into:)``): what it brings is late. The bound of a stream behind the merge is the
/// smallest before it. Pure state.
struct StreamMerge<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>

    /// What is known of an edge before anything flows.
    struct Lane {
        /// The sources it stands behind.
        var sources: Set<Int>

        /// Whether a stage between may have renamed streams: then nothing is known of their time.
        var isRenamed = false

        /// Whether edges with slots limit how many of its frames wait here.
        var isLimited = false
    }

    /// What one edge has brought of one stream.
    private struct Side {
        var queue: [Item] = []
        var head = 0
        var bound = Timestamp.beforeAll
        var receipt = Timestamp.beforeAll
        var hasShown = false
        /// Whether its clock is too far behind that of the others to wait for.
        var isApart = false

        var first: Item? { head < queue.count ? queue[head] : nil }

        mutating func removeFirst() {
            head += 1
            if head == queue.count {
                queue.removeAll(keepingCapacity: true)
                head = 0
            }
        }
    }

    private struct Stream {
        var sides: [Side]
        /// The edges that may bring frames of it.
        var related: [Bool] = []
        /// How far its frames have gone on.
        var released = Timestamp.beforeAll
        var sentBound = Timestamp.beforeAll
        var sentReceipt = Timestamp.beforeAll
    }

    private let lanes: [Lane]
    private let brings: ((_ source: Int, StreamID) -> Bool)?
    private let isRenamed: Bool
    private var streams: [StreamID: Stream] = [:]
    private var boundsOfAll: [Timestamp]
    private var sentBoundOfAll = Timestamp.beforeAll
    private var hasFinished: [Bool]

    /// How many frames of each edge wait here.
    private(set) var held: [Int]

    /// - Parameter brings: Whether a source has brought a stream of a name, where that is known.
    init(lanes: [Lane], brings: ((_ source: Int, StreamID) -> Bool)? = nil) {
        self.lanes = lanes
        self.brings = brings
        isRenamed = lanes.contains(where: \.isRenamed)
        boundsOfAll = lanes.map { _ in .beforeAll }
        hasFinished = lanes.map { _ in false }
        held = lanes.map { _ in 0 }
    }

    /// Whether edges with slots limit how many frames of an edge wait here.
    func isLimited(_ lane: Int) -> Bool { lanes[lane].isLimited }

    /// The streams of which frames wait, by name, with the time of the first: what the time of the others must pass.
    var waitsFor: [(StreamID, Timestamp)] {
        guard held.contains(where: { $0 > 0 }) else { return [] }
        let waits = streams.compactMap { stream, state in
            state.sides.compactMap { $0.first?.frameTime }.min().map { (stream, $0) }
        }
        // Who asks first for a moment is told first.
        return waits.sorted { $0.0.name < $1.0.name }
    }

    /// Takes what an edge brought, and adds what goes on to `batch`. O(edges) an item.
    mutating func add(_ items: [Item], lane: Int, into batch: inout [Item]) {
        for item in items {
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
    }

    /// No longer waits with a stream's first frame for edges that only the sources `behind` bring it over, for their clocks are
    /// far behind; those `inStep` are not. Adds what goes on then to `batch`.
    ///
    /// - Returns: Which sources these are; `nil` when none held it back.
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

    /// Everything that is held, for whoever must free it.
    mutating func drain() -> [Item] {
        defer { streams = [:] }
        held = lanes.map { _ in 0 }
        return streams.sorted { $0.key.name < $1.key.name }.flatMap { $0.value.sides.flatMap { $0.queue[$0.head...] } }
    }

    /// An edge will bring nothing any more.
    mutating func finish(lane: Int, into batch: inout [Item]) {
        hasFinished[lane] = true
        for stream in streams.keys.sorted(by: { $0.name < $1.name }) { settle(stream, &batch) }
    }

    private mutating func add(_ item: Item, of stream: StreamID, _ lane: Int, _ batch: inout [Item]) {
        var state = streams[stream] ?? Stream(sides: lanes.map { _ in Side() })
        if !state.sides[lane].hasShown {
            state.sides[lane].hasShown = true
            state.related = related(state, stream)
        }
        state.sides[lane].queue.append(item)
        streams[stream] = state
        settle(stream, &batch)
    }

    /// A credit waits behind the frames that it speaks of.
    private mutating func add(_ credit: Credit, of stream: StreamID?, _ lane: Int, _ batch: inout [Item]) {
        guard let stream, streams[stream]?.sides[lane].first != nil else {
            return batch.append(.credit(credit, of: stream))
        }
        credit.wait()
        streams[stream]?.sides[lane].queue.append(.credit(credit, of: stream))
    }

    private mutating func addBoundOfAll(_ time: Timestamp, _ lane: Int, _ batch: inout [Item]) {
        boundsOfAll[lane] = max(boundsOfAll[lane], time)
        for stream in streams.keys.sorted(by: { $0.name < $1.name }) { settle(stream, &batch) }
        let least = boundsOfAll.indices.filter { !hasFinished[$0] }.map { boundsOfAll[$0] }.min() ?? time
        guard least > sentBoundOfAll, !isRenamed else { return }
        sentBoundOfAll = least
        batch.append(.bound(nil, least))
    }

    // MARK: One stream

    /// Lets go what may go of a stream, then says how far its time has come.
    private mutating func settle(_ stream: StreamID, _ batch: inout [Item]) {
        guard var state = streams[stream] else { return }
        while true {
            passMarks(stream, &state, &batch)
            // One that has caught up is waited for again.
            for lane in lanes.indices where state.sides[lane].isApart {
                let time = state.sides[lane].first?.frameTime ?? bound(lane, state)
                if time >= state.released { state.sides[lane].isApart = false }
            }
            if let lane = next(state) {
                guard case .frame(let frame)? = state.sides[lane].first else { break }
                state.sides[lane].removeFirst()
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

    /// The edges that may bring frames of the stream: those that have, and those behind the source it comes from. Where an
    /// edge stands behind several, the sources say which of them brought it.
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
            // A name that no source brings was given on the way, and is not given before an edge where nothing is renamed.
            if isNamedOnTheWay, !lanes[lane].isRenamed { return false }
            return !common.isEmpty && common.isSubset(of: lanes[lane].sources)
        }
    }

    /// Notes the bounds before which no frame waits, and lets credits go on that none waits for.
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
                state.sides[lane].removeFirst()
            }
        }
    }

    /// The edge whose frame goes next, if one may go.
    private func next(_ state: Stream) -> Int? {
        guard let best = first(state) else { return nil }
        for lane in lanes.indices where lane != best.lane && state.related[lane] && holdsBack(lane, state) {
            // An edge named earlier must have passed the time itself, a later one all before it.
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

    /// Whether an edge can still bring frames and shows none: one at the stream's end waits for the others.
    private func holdsBack(_ lane: Int, _ state: Stream) -> Bool {
        !hasFinished[lane] && !lanes[lane].isRenamed && !state.sides[lane].isApart && state.sides[lane].first == nil
    }

    private func bound(_ lane: Int, _ state: Stream) -> Timestamp { max(state.sides[lane].bound, boundsOfAll[lane]) }

    /// Lets an end go on once every edge behind the same sources has come to it. Returns whether anything changed.
    private func passEnds(_ stream: StreamID, _ state: inout Stream, _ batch: inout [Item]) -> Bool {
        let ended = lanes.indices.filter { if case .end? = state.sides[$0].first { true } else { false } }
        guard !ended.isEmpty else { return false }
        let over = ended.reduce(into: Set<Int>()) { $0.formUnion(lanes[$1].sources) }
        let isWaiting = lanes.indices.contains { lane in
            // What an edge that has finished brought before must still go on, up to its own end.
            let mayEnd = !hasFinished[lane] || state.sides[lane].first != nil
            return state.related[lane] && !ended.contains(lane) && mayEnd && !lanes[lane].isRenamed
                && !lanes[lane].sources.isDisjoint(with: over)
                // Behind a source with which the stream goes on, no end of it comes.
                && !lanes[lane].sources.contains { !over.contains($0) && brings?($0, stream) ?? false }
        }
        guard !isWaiting else { return false }
        for lane in ended {
            state.sides[lane].removeFirst()
            state.sides[lane].bound = .beforeAll
            state.sides[lane].receipt = .beforeAll
            state.sides[lane].isApart = false
            state.sides[lane].hasShown = state.sides[lane].first != nil
        }
        // A stream of the same name from somewhere else goes on.
        if !lanes.indices.contains(where: { state.sides[$0].hasShown && !ended.contains($0) }) {
            batch.append(.end(stream))
            (state.released, state.sentBound, state.sentReceipt) = (.beforeAll, .beforeAll, .beforeAll)
        }
        if lanes.indices.contains(where: { state.sides[$0].hasShown }) { state.related = related(state, stream) }
        return true
    }

    private func sendBounds(_ stream: StreamID, _ state: inout Stream, _ batch: inout [Item]) {
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

    /// How far all edges that may bring a stream have brought it.
    private func least(_ state: Stream, announced: (Int) -> Timestamp) -> Timestamp {
        let among = lanes.indices.filter { state.related[$0] }
        let open = among.filter { !hasFinished[$0] }
        let inStep = open.filter { !state.sides[$0].isApart }
        let times = (open.isEmpty ? among : inStep.isEmpty ? open : inStep).map { reached($0, state, announced($0)) }
        return (open.isEmpty ? times.max() : times.min()) ?? .beforeAll
    }

    /// How far an edge has brought a stream, given what it has announced: not as far as a frame that waits.
    private func reached(_ lane: Int, _ state: Stream, _ announced: Timestamp) -> Timestamp {
        switch state.sides[lane].first {
        case .frame(let frame): min(announced, frame.timestamp.advanced(byMicroseconds: -1))
        case .end: .max
        default: announced
        }
    }
}

extension EdgeItem {
    /// Whether it goes on, or is noted, as soon as no frame waits before it.
    fileprivate var isPassed: Bool {
        switch self {
        case .bound, .receipt, .credit: true
        case .frame, .end, .inputEnd, .progress: false
        }
    }

    fileprivate var frameTime: Timestamp? { if case .frame(let frame) = self { frame.timestamp } else { nil } }
}
