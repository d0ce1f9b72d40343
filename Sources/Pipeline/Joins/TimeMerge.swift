/// Merges the edges of one input by time, each stream separately, as a pure state machine. Batch runs use this merge.
///
/// Items are added in the order of ``RankedEdges``, and frames leave in that order, except that the frames of one stream are sorted
/// by timestamp.
///
/// Two limits apply to the frames that wait for an earlier frame of another edge. If the other edge has never delivered the stream,
/// or if a stage upstream of it may have renamed streams, a frame waits at most until ``LaneTraits/room`` frames of one edge wait.
/// Otherwise, it waits at most until ``LaneTraits/mostHeld`` frames of one edge wait. So many can wait if two sources with
/// different clocks produce the stream. At the limit, the frame leaves, and an earlier frame that arrives afterwards is reported
/// as late. A stream that waits for the clock of another source is parked: it never delays another stream.
struct TimeMerge<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    private typealias Stream = MergedStream<Element>

    /// A frame that arrived after its stream had passed the frame's time.
    struct Late {
        let stream: StreamID
        let time: Timestamp
        let reached: Timestamp
        let lane: Int
    }

    private(set) var merged: MergedStreams<Element>
    var lanes: [LaneTraits] { merged.lanes }
    /// For each edge, its waiting frames in order, without the frames of parked streams.
    private var order: [Deque<(stream: Stream, rank: SourceRank, number: Int)>]
    private var parked: [Stream] = []
    /// The streams to process in the next call of ``settle(into:)``.
    private var touched: [Stream] = []
    private var hasBoundsOfAll = false
    private var sentBoundOfAll = Timestamp.beforeAll
    /// For each edge, the number of waiting frames whose streams are not parked.
    private var waiting: [Int]

    /// The first late frame that the caller has not taken.
    var late: Late?

    init(lanes: [LaneTraits], maxStreams: Int = 10_000) {
        merged = MergedStreams(.anyEdge, lanes: lanes, maxStreams: maxStreams)
        waiting = lanes.map { _ in 0 }
        order = lanes.map { _ in Deque() }
    }

    // MARK: Input

    /// Adds an item of an edge.
    mutating func add(_ item: Item, _ rank: SourceRank, lane: Int) {
        switch item {
        case .mark(.bound(nil, let time)):
            merged.watermarks[lane] = max(merged.watermarks[lane], time)
            hasBoundsOfAll = true
            for stream in parked { touch(stream) }
        case .frame(let frame):
            let (stream, number) = merged.add(item, of: frame.stream, rank, lane: lane)
            touch(stream)
            if !stream.isParked {
                waiting[lane] += 1
                order[lane].append((stream, rank, number))
            }
        case .mark(.bound(let name?, _)), .mark(.end(let name, _)):
            touch(merged.add(item, of: name, rank, lane: lane).0)
        case .mark: break
        }
    }

    /// Notes that an edge has ended.
    mutating func finish(lane: Int) {
        merged.hasFinished[lane] = true
        for stream in parked { touch(stream) }
        // Ends that waited for this edge can leave. Sort, because a dictionary has no order.
        let ending = merged.streams.values.filter { $0.ends > 0 || $0.sides.contains(where: \.hasEnded) }
        for stream in ending.sorted(by: { $0.lastUse < $1.lastUse }) { touch(stream) }
    }

    /// Moves the items that can leave into `batch`. Must be called whenever all edges have delivered everything made from one
    /// item of a source.
    mutating func settle(into batch: inout [Item]) {
        for stream in touched where stream.isParked { advance(stream, &batch) }
        advanceInOrder(&batch)
        while let lane = lanes.indices.first(where: { isFull($0) && !lanes[$0].mayWait }), force(lane, &batch) {}
        for stream in touched {
            if stream.frames == 0 { _ = merged.step(stream, &batch) }
            stream.isTouched = false
            announce(stream, &batch)
        }
        touched.removeAll(keepingCapacity: true)
        announceOfAll(&batch)
        merged.evict()
    }

    /// Whether an edge has no room for more waiting frames, so that the other edges should be read first.
    func isClosed(_ lane: Int) -> Bool { lanes[lane].mayWait && isFull(lane) }

    /// Releases the first frame, because every edge is closed or has ended. Returns whether there was a frame to release.
    mutating func makeRoom(into batch: inout [Item]) -> Bool {
        guard let lane = lanes.indices.first(where: { isFull($0) }) else { return false }
        return force(lane, &batch)
    }

    private func isFull(_ lane: Int) -> Bool {
        waiting[lane] >= LaneTraits.room || merged.held[lane] >= LaneTraits.mostHeld
    }

    /// Removes and returns all held items, so that the caller can free them.
    mutating func drain() -> [Item] { release(Set(merged.streams.keys)) }

    /// Removes streams, and returns their waiting items.
    mutating func release(_ names: Set<StreamID>) -> [Item] {
        let released = merged.release(names)
        for stream in released where !stream.isParked {
            for lane in lanes.indices { waiting[lane] -= stream.sides[lane].frames }
        }
        parked.removeAll { names.contains($0.name) }
        touched.removeAll { names.contains($0.name) }
        let items = released.flatMap(\.items)
        // The entries of the streams in `order` are skipped from now on, because they find no frame here.
        for stream in released { stream.removeAll() }
        return items
    }

    // MARK: Order

    /// The first frame in the order of the sources' items, among the streams that are not parked.
    private mutating func firstInOrder() -> (stream: Stream, lane: Int)? {
        var best: (stream: Stream, lane: Int, rank: SourceRank)?
        for lane in lanes.indices {
            while let (stream, rank, number) = order[lane].first {
                guard !stream.isParked, let first = stream.firstNumber(lane), first <= number else {
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
            switch step(stream, &batch) {
            case .left, .ended: break
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
            if case .waitsForClock = step(stream, ignoring: .unknown, &batch) { park(stream) }
        } else {
            let first = parked.compactMap { stream in stream.firstNumber(lane).map { (stream, number: $0) } }
                .min { $0.number < $1.number }
            guard let (stream, _) = first else { return false }
            _ = step(stream, ignoring: .clock, &batch)
            advance(stream, &batch)
        }
        advanceInOrder(&batch)
        return true
    }

    private mutating func step(
        _ stream: Stream, ignoring ignored: MergedStreams<Element>.Ignored? = nil, _ batch: inout [Item]
    ) -> MergedStreams<Element>.Step {
        let step = merged.step(stream, ignoring: ignored, &batch)
        guard case .left(let lane, let time, let reached) = step else { return step }
        if time < reached { late = late ?? Late(stream: stream.name, time: time, reached: reached, lane: lane) }
        if !stream.isParked { waiting[lane] -= 1 }
        // The end of the stream, or its watermark, may follow.
        touch(stream)
        return step
    }

    /// Moves those items of a parked stream that can leave into `batch`. Unparks the stream if it no longer waits for a clock.
    private mutating func advance(_ stream: Stream, _ batch: inout [Item]) {
        while true {
            switch step(stream, &batch) {
            case .left, .ended: continue
            case .waitsForClock: return
            case .waitsForUnknown, .nothing: return unpark(stream)
            }
        }
    }

    private mutating func park(_ stream: Stream) {
        stream.isParked = true
        parked.append(stream)
        for lane in lanes.indices { waiting[lane] -= stream.sides[lane].frames }
    }

    private mutating func unpark(_ stream: Stream) {
        stream.isParked = false
        parked.removeAll { $0 === stream }
        for lane in lanes.indices {
            for held in stream.sides[lane].queue where held.frameTime != nil {
                waiting[lane] += 1
                order[lane].append((stream, held.rank, held.number))
            }
        }
    }

    private mutating func touch(_ stream: Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    // MARK: Watermarks

    /// Sends the watermark of a stream if it has advanced beyond what the released frames show.
    private func announce(_ stream: Stream, _ batch: inout [Item]) {
        var least = Timestamp.max
        for lane in lanes.indices { least = min(least, reached(stream, lane)) }
        // Announce a new stream even if all its frames wait, here or in a join upstream, so that no join downstream proceeds
        // without it.
        let isNew = !stream.isKnown && stream.sides.contains(where: \.hasShown)
        guard least > max(stream.sentBound, stream.released.advanced(byMicroseconds: -1)) || isNew, least < .max,
            !merged.isRenamed
        else { return }
        stream.isKnown = true
        stream.sentBound = least
        batch.append(.mark(.bound(stream.name, least)))
    }

    /// Returns the time that an edge has reached in a stream. The time stays before the first waiting frame.
    private func reached(_ stream: Stream, _ lane: Int) -> Timestamp {
        guard let first = stream.sides[lane].queue.first else {
            return merged.hasFinished[lane] ? .max : merged.bound(lane, stream)
        }
        return first.frameTime?.advanced(byMicroseconds: -1) ?? merged.bound(lane, stream)
    }

    /// Sends the watermark for all streams if it has advanced.
    private mutating func announceOfAll(_ batch: inout [Item]) {
        guard hasBoundsOfAll else { return }
        let open = lanes.indices.filter { !merged.hasFinished[$0] }
        guard let least = open.map({ merged.watermarks[$0] }).min(), least > sentBoundOfAll,
            !merged.held.contains(where: { $0 > 0 }), !merged.isRenamed
        else { return }
        sentBoundOfAll = least
        batch.append(.mark(.bound(nil, least)))
    }
}

extension MergedStream {
    /// Returns the number of the first waiting item of an edge; `nil` if none waits.
    fileprivate func firstNumber(_ lane: Int) -> Int? { sides[lane].queue.first?.number }
}
