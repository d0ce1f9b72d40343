/// Merges the edges of one input by time, each stream separately, as a pure state machine. Batch runs use this merge.
///
/// Items are added in the order of ``RankedEdges``, and frames leave in that order, except that the frames of one stream are sorted
/// by timestamp. If two frames have the same timestamp, the frame of the edge named first goes first.
///
/// A frame waits while another edge may deliver an earlier frame of its stream, according to the watermark of that edge. Two
/// limits apply. If the other edge has never delivered the stream, or if a stage upstream of it may have renamed streams, the
/// frame waits at most until ``LaneTraits/room`` frames of one edge wait. Otherwise, it waits at most until
/// ``LaneTraits/mostHeld`` frames of one edge wait. So many can wait if two sources with different clocks produce the stream.
/// At the limit, the frame leaves, and an earlier frame that arrives afterwards is reported as late. A stream that waits for
/// the clock of another source never delays another stream.
struct TimeMerge<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    typealias Stream = TimeMergeStream<Element>

    /// A frame that arrived after its stream had passed the frame's time.
    struct Late {
        let stream: StreamID
        let time: Timestamp
        let reached: Timestamp
        let lane: Int
    }

    private enum Step {
        case moved, nothing
        /// The frame waits for an edge that may never deliver the frame's stream.
        case waitsForUnknown
        /// The frame waits for the time of an edge that has delivered the frame's stream.
        case waitsForClock
    }

    let lanes: [LaneTraits]
    private let maxStreams: Int
    var streams: [StreamID: Stream] = [:]
    /// For each edge, its waiting frames in order, without the frames of parked streams. A stream is parked while it waits for the
    /// clock of another source.
    private var order: [Fifo<(stream: Stream, rank: SourceRank, number: Int)>]
    var parked: [Stream] = []
    /// The streams to process in the next call of ``settle(into:)``.
    var touched: [Stream] = []
    var globalWatermarks: [Timestamp]
    var hasBoundsOfAll = false
    var announcedGlobally = Timestamp.beforeAll
    var hasFinished: [Bool]
    /// For each edge, the number of waiting frames.
    var held: [Int]
    /// For each edge, the number of waiting frames whose streams are not parked.
    var waiting: [Int]
    /// The number of items that were added.
    private var numbers = 0

    /// The first late frame that the caller has not taken.
    var late: Late?

    init(lanes: [LaneTraits], maxStreams: Int = 10_000) {
        self.lanes = lanes
        self.maxStreams = max(1, maxStreams)
        globalWatermarks = lanes.map { _ in .beforeAll }
        hasFinished = lanes.map { _ in false }
        held = lanes.map { _ in 0 }
        waiting = held
        order = lanes.map { _ in Fifo() }
    }

    // MARK: Input

    /// Adds an item of an edge.
    mutating func add(_ item: Item, _ rank: SourceRank, lane: Int) {
        numbers += 1
        switch item {
        case .progress, .receipt, .credit, .inputEnd: break
        case .bound(nil, let time):
            globalWatermarks[lane] = max(globalWatermarks[lane], time)
            hasBoundsOfAll = true
            for stream in parked { touch(stream) }
        case .bound(let name?, let time):
            let stream = stream(name)
            stream.sides[lane].epoch.hasShown = true
            stream.sides[lane].epoch.bound = max(stream.sides[lane].epoch.bound, time)
        case .frame(let frame):
            let stream = stream(frame.stream)
            let time = max(frame.timestamp, stream.sides[lane].epoch.reached)
            // The merge does not report a frame that is earlier than the time that its own edge has reached: that frame was
            // already out of order upstream.
            if time < stream.released, frame.timestamp == time, stream.sides[lane].ended.isEmpty {
                late = late ?? Late(stream: stream.name, time: time, reached: stream.released, lane: lane)
            }
            stream.sides[lane].epoch.hasShown = true
            stream.sides[lane].epoch.reached = time
            stream.sides[lane].epoch.bound = max(stream.sides[lane].epoch.bound, time.advanced(byMicroseconds: -1))
            stream.sides[lane].held.append(Stream.Held(item: item, time: time, rank: rank, number: numbers))
            stream.frames += 1
            held[lane] += 1
            if !stream.isParked {
                waiting[lane] += 1
                order[lane].append((stream, rank, numbers))
            }
        case .end(let name):
            let stream = stream(name)
            stream.sides[lane].held.append(Stream.Held(item: item, time: .max, rank: rank, number: numbers))
            settleBound(stream, lane)
            stream.sides[lane].ended.append(stream.sides[lane].epoch)
            stream.sides[lane].epoch = Stream.Epoch()
            stream.ends += 1
        }
    }

    /// Notes that an edge has ended.
    mutating func finish(lane: Int) {
        hasFinished[lane] = true
        for stream in parked { touch(stream) }
    }

    /// Moves the items that can leave into `batch`. Must be called whenever all edges have delivered everything made from one
    /// item of a source.
    mutating func settle(into batch: inout [Item]) {
        for stream in touched {
            for lane in lanes.indices { settleBound(stream, lane) }
        }
        for stream in touched where stream.isParked { advance(stream, &batch) }
        advanceInOrder(&batch)
        while let lane = lanes.indices.first(where: { isFull($0) && !lanes[$0].mayWait }), force(lane, &batch) {}
        for stream in touched {
            if stream.frames == 0 { while passEnds(stream, &batch) {} }
            stream.isTouched = false
            announce(stream, &batch)
        }
        touched.removeAll(keepingCapacity: true)
        announceOfAll(&batch)
        if streams.count > maxStreams { evict() }
    }

    /// If an edge has only one source, raises the stream's watermark on the edge to the time that the stream has reached there,
    /// because no other frame of that source has this timestamp in the stream. Frames of different sources may have the same
    /// timestamp.
    private func settleBound(_ stream: Stream, _ lane: Int) {
        guard lanes[lane].sources.count == 1 else { return }
        stream.sides[lane].epoch.bound = max(stream.sides[lane].epoch.bound, stream.sides[lane].epoch.reached)
    }

    /// Whether an edge has no room for more waiting frames, so that the other edges should be read first.
    func isClosed(_ lane: Int) -> Bool { lanes[lane].mayWait && isFull(lane) }

    /// Releases the first frame, because every edge is closed or has ended. Returns whether there was a frame to release.
    mutating func makeRoom(into batch: inout [Item]) -> Bool {
        guard let lane = lanes.indices.first(where: { isFull($0) }) else { return false }
        return force(lane, &batch)
    }

    private func isFull(_ lane: Int) -> Bool {
        waiting[lane] >= LaneTraits.room || held[lane] >= LaneTraits.mostHeld
    }

    /// Removes and returns all held items, so that the caller can free them.
    mutating func drain() -> [Item] {
        defer {
            (streams, parked, touched) = ([:], [], [])
            order = lanes.map { _ in Fifo() }
            held = lanes.map { _ in 0 }
            waiting = held
        }
        return streams.values.sorted { $0.name.name < $1.name.name }
            .flatMap { $0.sides.flatMap { $0.held.all.map(\.item) } }
    }

    // MARK: Order

    /// The first frame in the order of the sources' items, among the streams that are not parked.
    private mutating func firstInOrder() -> (stream: Stream, lane: Int)? {
        var best: (stream: Stream, lane: Int, rank: SourceRank)?
        for lane in lanes.indices {
            while let (stream, rank, number) = order[lane].first {
                guard !stream.isParked, let first = stream.sides[lane].held.first, first.number <= number else {
                    order[lane].removeFirst()
                    continue
                }
                if best.map({ rank < $0.rank }) ?? true { best = (stream, lane, rank) }
                break
            }
        }
        return best.map { ($0.stream, $0.lane) }
    }

    private mutating func advanceInOrder(_ batch: inout [Item]) {
        while let (stream, lane) = firstInOrder() {
            switch step(stream, ignoring: nil, &batch) {
            case .moved: break
            case .nothing: order[lane].removeFirst()
            case .waitsForClock: park(stream)
            case .waitsForUnknown: return
            }
        }
    }

    /// Releases the first frame although an edge may still deliver an earlier one. Returns whether anything moved.
    private mutating func force(_ lane: Int, _ batch: inout [Item]) -> Bool {
        if waiting[lane] >= LaneTraits.room {
            guard let (stream, _) = firstInOrder() else { return false }
            if case .waitsForClock = step(stream, ignoring: .waitsForUnknown, &batch) { park(stream) }
        } else {
            guard let stream = parked.min(by: { number($0, lane) < number($1, lane) }), number(stream, lane) < .max
            else { return false }
            _ = step(stream, ignoring: .waitsForClock, &batch)
            advance(stream, &batch)
        }
        advanceInOrder(&batch)
        return true
    }

    /// Moves those items of a parked stream that can leave into `batch`. Unparks the stream if it no longer waits for a clock.
    private mutating func advance(_ stream: Stream, _ batch: inout [Item]) {
        while true {
            switch step(stream, ignoring: nil, &batch) {
            case .moved: continue
            case .waitsForClock: return
            case .waitsForUnknown, .nothing: return unpark(stream)
            }
        }
    }

    private mutating func park(_ stream: Stream) {
        stream.isParked = true
        parked.append(stream)
        for lane in lanes.indices { waiting[lane] -= stream.sides[lane].held.count - stream.sides[lane].ended.count }
    }

    private mutating func unpark(_ stream: Stream) {
        stream.isParked = false
        parked.removeAll { $0 === stream }
        for lane in lanes.indices {
            for held in stream.sides[lane].held.all {
                guard case .frame = held.item else { continue }
                waiting[lane] += 1
                order[lane].append((stream, held.rank, held.number))
            }
        }
    }

    private func number(_ stream: Stream, _ lane: Int) -> Int { stream.sides[lane].held.first?.number ?? .max }

    // MARK: One stream

    private mutating func stream(_ name: StreamID) -> Stream {
        let known: Stream
        if let stream = streams[name] {
            known = stream
        } else {
            known = Stream(name, lanes: lanes.count)
            streams[name] = known
        }
        known.lastUse = numbers
        touch(known)
        return known
    }

    private mutating func touch(_ stream: Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    /// Releases the first frame of a stream, unless it must wait. If `ignoring` names a reason to wait, that reason does not
    /// count.
    private mutating func step(_ stream: Stream, ignoring: Step?, _ batch: inout [Item]) -> Step {
        while passEnds(stream, &batch) {}
        guard stream.frames > 0 else { return .nothing }
        var best: (lane: Int, time: Timestamp)?
        for lane in lanes.indices {
            guard let first = stream.sides[lane].held.first, case .frame = first.item else { continue }
            if best.map({ first.time < $0.time }) ?? true { best = (lane, first.time) }
        }
        // Without a frame in front, the first item of each edge with items is an end. The frames behind such an end wait until
        // the stream ends on other edges.
        guard let best else { return ignoring == nil ? .waitsForClock : endAll(stream, &batch) }
        if ignoring != .waitsForClock {
            var waits: Step?
            for lane in lanes.indices where lane != best.lane && !hasFinished[lane] {
                guard stream.sides[lane].held.isEmpty else { continue }
                // An edge named earlier must have passed the time itself; an edge named later, all times before it.
                let needed = lane < best.lane ? best.time : best.time.advanced(byMicroseconds: -1)
                guard max(stream.sides[lane].epoch.bound, globalWatermarks[lane]) < needed else { continue }
                if stream.sides[lane].epoch.hasShown, !lanes[lane].isRenamed { return .waitsForClock }
                waits = .waitsForUnknown
            }
            if waits != nil, ignoring != .waitsForUnknown { return .waitsForUnknown }
        }
        release(stream, best.lane, &batch)
        return .moved
    }

    private mutating func release(_ stream: Stream, _ lane: Int, _ batch: inout [Item]) {
        let first = stream.sides[lane].held.removeFirst()
        stream.frames -= 1
        held[lane] -= 1
        if !stream.isParked { waiting[lane] -= 1 }
        stream.released = max(stream.released, first.time)
        // If the end of an epoch waits, this frame belongs to an ended epoch, and `bound` to a later one. So the frame must not
        // raise it.
        if stream.sides[lane].ended.isEmpty, lanes[lane].sources.count == 1 {
            stream.sides[lane].epoch.bound = max(stream.sides[lane].epoch.bound, first.time)
        }
        batch.append(first.item)
    }

    /// Releases the end of a stream from the edges that have reached it, unless an edge that shares a source with one of them
    /// must still reach it. Returns whether anything changed.
    private mutating func passEnds(_ stream: Stream, _ batch: inout [Item]) -> Bool {
        guard stream.ends > 0 else { return false }
        let ended = lanes.indices.filter { stream.sides[$0].isAtEnd }
        guard !ended.isEmpty else { return false }
        let isWaiting = lanes.indices.contains { lane in
            // Items of a finished edge must still leave, up to the end of the stream on that edge.
            let mayEnd = !hasFinished[lane] || !stream.sides[lane].held.isEmpty
            return stream.sides[lane].first.hasShown && !ended.contains(lane) && mayEnd && !lanes[lane].isRenamed
                && ended.contains { !lanes[$0].sources.isDisjoint(with: lanes[lane].sources) }
        }
        guard !isWaiting else { return false }
        return pass(ended, of: stream, &batch)
    }

    private mutating func endAll(_ stream: Stream, _ batch: inout [Item]) -> Step {
        pass(lanes.indices.filter { stream.sides[$0].isAtEnd }, of: stream, &batch) ? .moved : .nothing
    }

    private mutating func pass(_ ended: [Int], of stream: Stream, _ batch: inout [Item]) -> Bool {
        guard !ended.isEmpty else { return false }
        for lane in ended {
            stream.sides[lane].held.removeFirst()
            stream.sides[lane].ended.removeFirst()
            stream.ends -= 1
        }
        // If another edge carries a stream of the same name, the stream continues.
        if !lanes.indices.contains(where: { stream.sides[$0].first.hasShown && !ended.contains($0) }) {
            batch.append(.end(stream.name))
            stream.released = .beforeAll
            stream.announced = .beforeAll
            stream.isKnown = false
        }
        return true
    }

    /// Evicts the least recently used streams without waiting items: several at once, because the search takes time.
    private mutating func evict() {
        let idle = streams.values.filter { $0.sides.allSatisfy(\.held.isEmpty) }
        let excess = streams.count - maxStreams + maxStreams / 8
        for stream in idle.sorted(by: { $0.lastUse < $1.lastUse }).prefix(excess) { streams[stream.name] = nil }
    }
}
