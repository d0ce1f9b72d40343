/// Joins frames of several lanes into sets, as a pure state machine. A lane is one input edge.
///
/// A set is made when no lane can deliver another frame for it; idle and ended lanes do not count. The sets of a stream, and the
/// frames that no set uses, therefore depend on the content of the lanes and not on arrival times, with three exceptions: idle
/// lanes, lanes that never carry a stream, and more streams than `maxStreams`.
struct AlignmentState<Element: Payload> {
    typealias Item = EdgeItem<Frame<Element>>
    typealias Group = AlignmentGroup<Element>

    /// An item to send downstream, in order.
    enum Output {
        case set(Frame<Aligned<Element>>)

        /// A mark, with the meaning that it has for all lanes together: all of them have passed the time of a watermark or the
        /// end of a stream. The frames before a credit no longer wait.
        case mark(Mark)

        /// A frame that no set used.
        case dropped(Frame<Element>, DropReason)
    }

    /// Whether only frames of the same stream are joined. If not, there is one group, with an empty name.
    let pairsStreams: Bool
    let maxStreams: Int
    var groups: [Group] = []
    /// The index of each group, by its stream.
    var places: [StreamID: Int] = [:]
    /// For each ended stream, the watermark for all streams that each lane had announced when the stream ended. These watermarks do
    /// not apply when the stream begins again.
    var floors: [StreamID: [Timestamp]] = [:]
    var lanes: AlignmentLanes
    /// The watermark for all streams that was last sent downstream.
    var announced = Timestamp.beforeAll
    /// The number of items that were taken.
    private var items = 0
    /// The frames that each lane delivered, in order. Entries of frames that have left are removed lazily.
    private var arrivals: [Deque<(stream: StreamID, order: Int)>]
    var outputs: [Output] = []

    init(_ alignment: Alignment, lanes: Int, watermarks: Watermarks = .implied, maxStreams: Int = 10_000) {
        pairsStreams = alignment.pair == .stream
        self.maxStreams = max(1, maxStreams)
        self.lanes = AlignmentLanes(alignment, count: lanes, watermarks: watermarks)
        arrivals = Array(repeating: Deque(), count: lanes)
    }

    /// The number of waiting frames in each lane; see ``AlignmentLanes/held``.
    var held: [Int] { lanes.held }

    /// The number of frames that wait in a lane and can be joined with frames of a stream. A frame that an upstream stage dropped
    /// counts while its credit waits.
    func held(of stream: StreamID, on lane: Int) -> Int {
        guard let place = places[pairsStreams ? stream : ""] else { return pairsStreams ? 0 : lanes.held[lane] }
        let waiting = groups[place].lanes[lane]
        let frames = pairsStreams ? waiting.held.count + waiting.nextHeld : lanes.held[lane]
        return frames + waiting.held.strayCredits
    }

    /// Returns the number of frames that became part of a set since the last call.
    mutating func takeUsed() -> Int {
        defer { lanes.used = 0 }
        return lanes.used
    }

    /// The streams whose next set waits for lanes, each with the time of that set.
    var waitsFor: [(StreamID, Timestamp)] {
        guard lanes.held.contains(where: { $0 > 0 }), pairsStreams else { return [] }
        return groups.compactMap { group in
            guard let time = group.next(lanes)?.time, !group.waits(lanes).isEmpty else { return nil }
            return (group.stream, time)
        }
    }

    /// The lanes for which the next set of a stream waits, each with the time that it must pass.
    func waits(of stream: StreamID) -> [(lane: Int, time: Timestamp)] {
        places[stream].map { groups[$0].waits(lanes) } ?? []
    }

    /// The streams with frames that wait for the first lane, each with the time of the first such frame.
    var waitsForFirst: [(StreamID, Timestamp)] {
        guard lanes.rule != .exact, lanes.held.dropFirst().contains(where: { $0 > 0 }), pairsStreams else { return [] }
        return groups.compactMap { group in group.waitsForFirst(lanes).map { (group.stream, $0) } }
    }

    /// Moves all outputs to `list`, which must be empty.
    mutating func takeOutputs(into list: inout [Output]) { swap(&outputs, &list) }

    // MARK: Events

    /// Takes an item of a lane, and makes the sets that are now possible.
    mutating func push(_ item: Item, on lane: Int) {
        if case .frame = item { lanes.idle[lane] = false }
        if case .mark(.bound(nil, let time)) = item {
            if time < lanes.bounds[lane] { timeBeginsAnew(on: lane) }
            lanes.bounds[lane] = time
            return settleAll()
        }
        if case .mark(.receipt) = item { return }
        if case .mark(.credit(let credit, let stream)) = item { return receive(credit, of: stream, lane) }
        guard let stream = item.stream else { return }
        // If all streams are joined with each other, the end of one stream does not end the others.
        if !pairsStreams, case .mark(.end) = item { return }
        let place = place(of: pairsStreams ? stream : "")
        items &+= 1
        groups[place].lastUse = items
        accept(item, lane, announced: lanes.bounds[lane], place)
        settle(place)
        if close(place) { remove(place) }
    }

    /// Holds a credit until the frames before it have left, or releases the credit if no frame waits.
    private mutating func receive(_ credit: Credit, of stream: StreamID?, _ lane: Int) {
        guard let stream, let place = places[pairsStreams ? stream : ""] else {
            return outputs.append(.mark(.credit(credit, of: stream)))
        }
        if !groups[place].lanes[lane].nextEpoch.isEmpty {
            credit.wait()
            lanes.held[lane] += groups[place].lanes[lane].keep(
                .mark(.credit(credit, of: stream)), announced: lanes.bounds[lane])
        } else if !groups[place].hold(credit, lane) {
            outputs.append(.mark(.credit(credit, of: stream)))
        }
    }

    /// Records that a lane has ended, and makes the sets that waited for it.
    mutating func end(_ lane: Int) {
        lanes.ended[lane] = true
        settleAll()
        let over = Set(groups.indices.filter { close($0) }.map { groups[$0].stream })
        guard !over.isEmpty else { return }
        groups.removeAll { over.contains($0.stream) }
        index()
    }

    /// Marks lanes as idle. Sets do not wait for an idle lane until it delivers a frame again.
    mutating func becameIdle(_ silent: [Int]) {
        for lane in silent { lanes.idle[lane] = true }
        settleAll()
    }

    /// The index of the group with the frame that has waited longest on a lane; `nil` if no frame waits there.
    mutating func placeWaiting(on lane: Int) -> Int? {
        while let first = arrivals[lane].first {
            if isHeld(first.stream, first.order, on: lane) { return places[pairsStreams ? first.stream : ""] }
            arrivals[lane].removeFirst()
        }
        return nil
    }

    private mutating func noteArrival(of stream: StreamID, on lane: Int) {
        // Remove the entries once most of their frames have left.
        if arrivals[lane].count > 2 * lanes.held[lane] + 64 {
            arrivals[lane] = arrivals[lane].filter { isHeld($0.stream, $0.order, on: lane) }
        }
        arrivals[lane].append((stream, items))
    }

    private func isHeld(_ stream: StreamID, _ order: Int, on lane: Int) -> Bool {
        guard let place = places[pairsStreams ? stream : ""], let held = groups[place].lanes[lane].held.first else {
            return false
        }
        return held.order <= order
    }

    /// Drops all held frames.
    mutating func abandon() {
        for place in groups.indices { discard(place, .cancelled) }
        groups = []
        places = [:]
    }

    /// Handles a lane that goes back to an earlier time, for example because its source reads a file again. The lane's earlier
    /// watermarks still apply to the existing streams, but not to new ones.
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
        groups.append(Group(stream: stream, lanes: lanes.ended.count, floors: floors))
        return groups.count - 1
    }

    /// Makes room by evicting the least recently used streams: several at once, because the search takes time.
    private mutating func evict() {
        let count = min(groups.count, maxStreams / 8 + 1)
        let limit = groups.map(\.lastUse).sorted()[count - 1]
        for place in groups.indices where groups[place].lastUse <= limit {
            let evicted = groups[place]
            discard(place, .unmatched)
            if pairsStreams { announceEviction(of: evicted) }
        }
        groups.removeAll { $0.lastUse <= limit }
        index()
    }

    /// Tells the tasks downstream how far an evicted stream is, because this join forgets it.
    private mutating func announceEviction(of group: Group) {
        guard lanes.watermarks == .explicit else { return }
        // A merge downstream must not wait for the dropped frames, nor for an end that has arrived here. A set of frames that
        // arrive later may be before this time; it is late then.
        var reached = group.lanes.map(\.bound).max() ?? .beforeAll
        if group.lanes.contains(where: \.isOver) {
            outputs.append(.mark(.end(group.stream, .restarts)))
            reached = group.lanes.flatMap(\.nextEpoch).map { $0.item.reached }.max() ?? .beforeAll
        }
        if reached >= .zero { outputs.append(.mark(.bound(group.stream, reached))) }
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

    mutating func discard(_ place: Int, _ reason: DropReason) {
        groups[place].drain(reason, &lanes, into: &outputs)
        for lane in groups[place].lanes.indices {
            for item in groups[place].lanes[lane].nextEpoch.lazy.map(\.item) {
                switch item {
                case .frame(let frame): outputs.append(.dropped(frame, reason))
                case .mark(.credit(let credit, _)): outputs.append(.mark(.credit(credit, of: nil)))
                case .mark: break
                }
            }
            lanes.held[lane] -= groups[place].lanes[lane].nextHeld
        }
    }

    /// Takes an item of a lane without making sets. `announced` is the watermark for all streams that the lane had announced before
    /// the item.
    private mutating func accept(_ item: Item, _ lane: Int, announced: Timestamp, _ place: Int) {
        // A stream that has ended on one lane may begin again there before it has ended on the others.
        if groups[place].lanes[lane].isOver {
            lanes.held[lane] += groups[place].lanes[lane].keep(item, announced: announced)
            return
        }
        switch item {
        case .frame(let frame):
            if !groups[place].take(frame, lane, announced: announced, order: items, &lanes) {
                outputs.append(.dropped(frame, .late))
            } else {
                noteArrival(of: frame.stream, on: lane)
            }
        case .mark(.bound(_, let time)):
            groups[place].pass(time, lane)
        case .mark(.credit(let credit, let stream)):
            if !groups[place].hold(credit, lane) { outputs.append(.mark(.credit(credit, of: stream))) }
        case .mark(.receipt), .mark(.inputEnd), .mark(.progress): break
        case .mark(.end(_, let end)):
            groups[place].lanes[lane].isOver = true
            groups[place].lanes[lane].end = end
            // The next epoch may begin before the time that the lane has announced.
            groups[place].lanes[lane].floor = announced
        }
    }

    /// Ends a stream that has ended on every lane, and begins its next epoch if one is waiting. Returns whether the group is now
    /// empty.
    mutating func close(_ place: Int) -> Bool {
        while groups[place].isOver(lanes) {
            groups[place].drain(.unmatched, &lanes, into: &outputs)
            let old = groups[place]
            if old.lanes.contains(where: \.isOver) {
                outputs.append(.mark(.end(old.stream, StreamEnd(of: old.lanes.lazy.map(\.end)))))
            }
            let floors = old.lanes.map(\.floor)
            guard old.lanes.contains(where: { !$0.nextEpoch.isEmpty }) else {
                remember(floors, of: old.stream)
                return true
            }
            groups[place] = Group(stream: old.stream, lanes: old.lanes.count, floors: floors)
            groups[place].lastUse = old.lastUse
            for (lane, state) in old.lanes.enumerated() {
                lanes.held[lane] -= state.nextHeld
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
        groups[place].settle(&lanes, into: &outputs)
        announceBound(place)
    }

    private mutating func settleAll() {
        for place in groups.indices { groups[place].settle(&lanes, into: &outputs) }
        announceBoundOfAll()
        for place in groups.indices { announceBound(place) }
    }
}

extension EdgeItem {
    /// The time that a frame or a watermark reaches in its stream.
    fileprivate var reached: Timestamp {
        switch self {
        case .frame(let frame): frame.timestamp
        case .mark(.bound(_, let time)): time
        case .mark: .beforeAll
        }
    }
}
