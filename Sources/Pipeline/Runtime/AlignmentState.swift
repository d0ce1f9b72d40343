/// Brings frames of several lanes together, one set for each timestamp, as a pure state machine.
///
/// A set is made when it is settled: when no lane that still counts can bring a frame that would belong to it. The sets
/// of a stream, and the frames that no set used, depend on what the lanes carry, not on when it arrives; only what idle
/// lanes, lanes that never bring a stream and more streams than `maxStreams` do depends on that.
struct AlignmentState<Element: Payload> {
    typealias Item = EdgeItem<Frame<Element>>
    typealias Group = AlignmentGroup<Element>

    /// Something to hand on, in order.
    enum Output {
        case set(Frame<Aligned<Element>>)

        /// The time of a stream (`nil`: of all) is settled on every lane.
        case bound(StreamID?, Timestamp)

        /// All of a stream up to a time has passed on every lane, if only under other names.
        case receipt(StreamID, Timestamp)

        /// What stands before a credit waits no longer: it has become part of a set of a stream, or was dropped (`nil`).
        case credit(Credit, StreamID?)

        /// A stream has ended on every lane.
        case end(StreamID)

        /// A frame that no set used.
        case dropped(Frame<Element>, DropReason)
    }

    struct Receipts {
        var times: [Timestamp]
        var announced = Timestamp.beforeAll

        init(lanes: Int) { times = Array(repeating: .beforeAll, count: lanes) }
    }

    let rule: Alignment.Rule
    let pairsStreams: Bool
    let tolerance: Int64
    private let isExplicit: Bool
    let maxStreams: Int
    var groups: [Group] = []
    var places: [StreamID: Int] = [:]
    /// For streams that have ended: what each lane had announced then, which says nothing of them when they begin anew.
    private var floors: [StreamID: [Timestamp]] = [:]
    /// How far each lane has passed streams that are renamed before it.
    var receipts: [StreamID: Receipts] = [:]
    var lanes: AlignmentLanes
    var announced = Timestamp.beforeAll
    private var items = 0
    /// What each lane brought, in order; of what has gone on since, too, until it is looked for.
    private var arrivals: [Fifo<(stream: StreamID, order: Int)>]
    var outputs: [Output] = []

    /// - Parameter isExplicit: Whether frames imply nothing of the time of their stream, so that every bound comes by itself.
    init(_ alignment: Alignment, lanes: Int, isExplicit: Bool = false, maxStreams: Int = 10_000) {
        self.isExplicit = isExplicit
        rule = alignment.rule
        pairsStreams = alignment.pair == .stream
        tolerance = alignment.rule == .approximate ? Int64(max(0, min(alignment.toleranceMs, 9e12)) * 1000) : 0
        self.maxStreams = max(1, maxStreams)
        self.lanes = AlignmentLanes(count: lanes)
        arrivals = Array(repeating: Fifo(), count: lanes)
    }

    /// How many frames wait in each lane.
    var held: [Int] { lanes.held }

    /// How many frames of those that are paired with a stream's wait in a lane, those included that a stage before has dropped and
    /// of which only the credit waits.
    func held(of stream: StreamID, on lane: Int) -> Int {
        guard let place = places[pairsStreams ? stream : ""] else { return pairsStreams ? 0 : lanes.held[lane] }
        let waiting = groups[place].lanes[lane]
        let frames = pairsStreams ? waiting.held.count + waiting.nextEpoch.count : lanes.held[lane]
        return frames + waiting.held.strayCredits
    }

    /// How many frames have become part of a set.
    var used: Int { lanes.used }

    /// Which lanes have been silent for too long to hold others back.
    var idle: [Bool] { lanes.idle }

    /// The streams of which frames wait, with what their time must pass on all lanes for the next set.
    var waitsFor: [(StreamID, Timestamp)] {
        guard lanes.held.contains(where: { $0 > 0 }), pairsStreams else { return [] }
        return groups.compactMap { group in
            group.waitsFor(rule).map { (group.stream, $0.advanced(byMicroseconds: tolerance)) }
        }
    }

    /// The streams of which frames wait for the first lane, with the time of the first of them.
    var waitsForFirst: [(StreamID, Timestamp)] {
        guard rule != .exact, lanes.held.dropFirst().contains(where: { $0 > 0 }), pairsStreams else { return [] }
        return groups.compactMap { group in group.waitsForFirst(lanes).map { (group.stream, $0) } }
    }

    /// Moves what has become ready to `list`, which must be empty.
    mutating func takeOutputs(into list: inout [Output]) { swap(&outputs, &list) }

    // MARK: What happens

    /// A lane brings an item.
    mutating func push(_ item: Item, on lane: Int) {
        lanes.idle[lane] = false
        if case .bound(nil, let time) = item {
            if time < lanes.bounds[lane] { timeBeginsAnew(on: lane) }
            lanes.bounds[lane] = time
            return settleAll()
        }
        if case .receipt(let stream, let time) = item { return receive(stream, time, lane) }
        if case .credit(let credit, let stream) = item { return receive(credit, of: stream, lane) }
        guard let stream = item.stream else { return }
        // Where all streams are paired with one another, the end of one says nothing of the others.
        if !pairsStreams, case .end = item { return }
        let place = place(of: pairsStreams ? stream : "")
        items &+= 1
        groups[place].lastUse = items
        accept(item, lane, announced: lanes.bounds[lane], place)
        settle(place)
        if !receipts.isEmpty { announceReceipt(of: stream) }
        if close(place) { remove(place) }
        if case .end = item { receipts[stream] = nil }
    }

    /// A credit waits behind the frames that it speaks of.
    private mutating func receive(_ credit: Credit, of stream: StreamID?, _ lane: Int) {
        guard let stream, let place = places[pairsStreams ? stream : ""] else {
            return outputs.append(.credit(credit, stream))
        }
        if !groups[place].lanes[lane].nextEpoch.isEmpty {
            credit.wait()
            groups[place].lanes[lane].nextEpoch.append((.credit(credit, of: stream), lanes.bounds[lane]))
            lanes.held[lane] += 1
        } else if !groups[place].hold(credit, lane) {
            outputs.append(.credit(credit, stream))
        }
    }

    /// A lane brings nothing any more.
    mutating func end(_ lane: Int) {
        lanes.ended[lane] = true
        settleAll()
        let over = Set(groups.indices.filter { close($0) }.map { groups[$0].stream })
        guard !over.isEmpty else { return }
        groups.removeAll { over.contains($0.stream) }
        index()
    }

    /// Lanes have been silent too long to hold sets back, until they bring something again.
    mutating func becameIdle(_ silent: [Int]) {
        for lane in silent { lanes.idle[lane] = true }
        settleAll()
    }

    mutating func placeWaiting(on lane: Int) -> Int? {
        while let first = arrivals[lane].first {
            if isHeld(first.stream, first.order, on: lane) { return places[pairsStreams ? first.stream : ""] }
            arrivals[lane].removeFirst()
        }
        return nil
    }

    private mutating func noteArrival(of stream: StreamID, on lane: Int) {
        // Most have gone on.
        if arrivals[lane].count > 2 * lanes.held[lane] + 64 {
            var left = Fifo<(stream: StreamID, order: Int)>()
            for (stream, order) in arrivals[lane].all where isHeld(stream, order, on: lane) {
                left.append((stream, order))
            }
            arrivals[lane] = left
        }
        arrivals[lane].append((stream, items))
    }

    private func isHeld(_ stream: StreamID, _ order: Int, on lane: Int) -> Bool {
        guard let place = places[pairsStreams ? stream : ""], let held = groups[place].lanes[lane].held.first else {
            return false
        }
        return held.order <= order
    }

    /// Lets go of all that is held.
    mutating func abandon() {
        for place in groups.indices { discard(place, .cancelled) }
        groups = []
        places = [:]
    }

    /// A lane has gone back to an earlier time, as a source does that reads its file again: what it announced before
    /// stays true of the streams that are there, and says nothing of those that begin.
    private mutating func timeBeginsAnew(on lane: Int) {
        for place in groups.indices { groups[place].keepBound(of: lane, lanes.bounds[lane]) }
        for stream in floors.keys { floors[stream]?[lane] = .beforeAll }
        announced = .beforeAll
    }

    // MARK: Streams

    private mutating func place(of stream: StreamID) -> Int {
        if let last = groups.last, last.stream == stream { return groups.count - 1 }
        if let place = places[stream] { return place }
        if groups.count >= maxStreams { evict() }
        places[stream] = groups.count
        let floors = floors.removeValue(forKey: stream)
        groups.append(Group(stream: stream, lanes: lanes.ended.count, isExplicit: isExplicit, floors: floors))
        return groups.count - 1
    }

    /// Makes room by letting go of the streams that have been quiet for longest: several at once, as looking for them
    /// takes time.
    private mutating func evict() {
        let count = min(groups.count, maxStreams / 8 + 1)
        let limit = groups.map(\.lastUse).sorted()[count - 1]
        for place in groups.indices where groups[place].lastUse <= limit {
            let reached = groups[place].lanes.map(\.bound).min() ?? .beforeAll
            discard(place, .unmatched)
            // A reader may wait to hear that what came of it has ended here.
            if reached >= .zero, pairsStreams { outputs.append(.receipt(groups[place].stream, reached)) }
        }
        groups.removeAll { $0.lastUse <= limit }
        index()
    }

    private mutating func index() {
        places.removeAll(keepingCapacity: true)
        for (place, group) in groups.enumerated() { places[group.stream] = place }
    }

    mutating func remove(_ place: Int) {
        places[groups[place].stream] = nil
        groups.swapAt(place, groups.count - 1)
        groups.removeLast()
        if place < groups.count { places[groups[place].stream] = place }
    }

    private mutating func discard(_ place: Int, _ reason: DropReason) {
        groups[place].drain(reason, &lanes, into: &outputs)
        for lane in groups[place].lanes.indices {
            for item in groups[place].lanes[lane].nextEpoch.lazy.map(\.item) {
                switch item {
                case .frame(let frame): outputs.append(.dropped(frame, reason))
                case .credit(let credit, _): outputs.append(.credit(credit, nil))
                case .bound, .receipt, .end, .inputEnd, .progress: break
                }
            }
            lanes.held[lane] -= groups[place].lanes[lane].nextEpoch.count
        }
    }

    /// Takes an item of a lane, which had announced a bound for all its streams before, without making sets.
    private mutating func accept(_ item: Item, _ lane: Int, announced: Timestamp, _ place: Int) {
        // A stream that has ended on one lane may begin anew there before it has ended on the others.
        if groups[place].lanes[lane].isOver {
            groups[place].lanes[lane].nextEpoch.append((item, announced))
            lanes.held[lane] += 1
            return
        }
        switch item {
        case .frame(let frame):
            if !groups[place].take(frame, lane, announced: announced, rule, order: items, &lanes) {
                outputs.append(.dropped(frame, .late))
            } else {
                noteArrival(of: frame.stream, on: lane)
            }
        case .bound(_, let time):
            groups[place].pass(time, lane)
        case .credit(let credit, let stream):
            if !groups[place].hold(credit, lane) { outputs.append(.credit(credit, stream)) }
        case .receipt, .inputEnd, .progress: break
        case .end:
            groups[place].lanes[lane].isOver = true
            // The next epoch may go back to before what the lane has announced.
            groups[place].lanes[lane].floor = announced
        }
    }

    /// Ends a stream that has ended on every lane, and begins what waited for that. Returns whether nothing is left of it.
    mutating func close(_ place: Int) -> Bool {
        while groups[place].isOver(lanes) {
            groups[place].drain(.unmatched, &lanes, into: &outputs)
            let old = groups[place]
            if old.lanes.contains(where: \.isOver) { outputs.append(.end(old.stream)) }
            let floors = old.lanes.map(\.floor)
            guard old.lanes.contains(where: { !$0.nextEpoch.isEmpty }) else {
                remember(floors, of: old.stream)
                return true
            }
            groups[place] = Group(stream: old.stream, lanes: old.lanes.count, isExplicit: isExplicit, floors: floors)
            groups[place].lastUse = old.lastUse
            for (lane, state) in old.lanes.enumerated() {
                lanes.held[lane] -= state.nextEpoch.count
                for (item, announced) in state.nextEpoch { accept(item, lane, announced: announced, place) }
            }
            settle(place)
        }
        return false
    }

    private mutating func remember(_ list: [Timestamp], of stream: StreamID) {
        guard list.contains(where: { $0 >= .zero }) else { return }
        if floors.count >= maxStreams { floors.removeAll() }
        floors[stream] = list
    }

    // MARK: Settling

    mutating func settle(_ place: Int) {
        groups[place].settle(rule, tolerance: tolerance, &lanes, into: &outputs)
        announceBound(place)
    }

    private mutating func settleAll() {
        for place in groups.indices { groups[place].settle(rule, tolerance: tolerance, &lanes, into: &outputs) }
        announceBoundOfAll()
        for place in groups.indices { announceBound(place) }
        for stream in receipts.keys.sorted(by: { $0.name < $1.name }) { announceReceipt(of: stream) }
    }

}

extension EdgeItem {
    /// The stream it is of; `nil` for a bound of all.
    fileprivate var stream: StreamID? {
        switch self {
        case .frame(let frame): frame.stream
        case .bound(let stream, _): stream
        case .receipt(let stream, _): stream
        case .end(let stream): stream
        case .credit, .inputEnd, .progress: nil
        }
    }
}
