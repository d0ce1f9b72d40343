/// Merges the edges of one input, each stream separately, as a pure state machine. Live runs use this merge, because their streams
/// share no clock. A quiet stream never delays another stream.
///
/// Frames wait for the edges that have delivered their stream, and for the edges downstream of the stream's source. Two kinds of
/// edges do not delay the others, although they may still deliver earlier frames: an edge whose source's clock is far behind (see
/// ``goOn(_:without:in:into:)``), and an edge on which streams may have been renamed, because the progress of a renamed stream is
/// unknown. Such frames are late. After the merge, the watermark of a stream is the lowest watermark of its edges.
struct StreamMerge<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    private typealias Stream = MergedStream<Element>

    private(set) var merged: MergedStreams<Element>
    /// The streams with waiting frames.
    private var waiting: [StreamID: Stream] = [:]
    private var lanes: [LaneTraits] { merged.lanes }
    private var sentBoundOfAll = Timestamp.beforeAll
    /// Whether another merge continues with the edges.
    private var isFlushed = false

    /// - Parameters:
    ///   - maxStreams: The maximum number of streams without waiting items to remember.
    ///   - brings: ``SourceClocks/brings``.
    init(lanes: [LaneTraits], maxStreams: Int = 10_000, brings: SourceClocks.Brings? = nil) {
        merged = MergedStreams(.edgesOfSource(brings: brings), lanes: lanes, maxStreams: maxStreams)
    }

    /// Returns ``LaneTraits/isLimited`` of an edge.
    func isLimited(_ lane: Int) -> Bool { lanes[lane].isLimited }

    /// The number of waiting frames of each edge.
    var held: [Int] { merged.held }

    /// The streams with waiting frames, sorted by name, each with the time of its first waiting frame. The other edges must pass
    /// this time.
    var waitsFor: [(StreamID, Timestamp)] {
        if waiting.isEmpty { return [] }
        let waits = waiting.compactMap { name, stream in stream.first.map { (name, $0.time) } }
        // Sort, because wake-ups for the same time happen in the order of the requests.
        return waits.sorted { $0.0 < $1.0 }
    }

    /// Takes items of an edge, and adds the items that can leave to `batch`. O(edges) for each item.
    mutating func add(_ items: [Item], lane: Int, into batch: inout [Item]) {
        for item in items {
            switch item {
            case .mark(.bound(nil, let time)): addBoundOfAll(time, lane, &batch)
            case .frame, .mark(.bound), .mark(.end):
                guard let name = item.stream else { continue }
                settle(merged.add(item, of: name, lane: lane).0, &batch)
            case .mark(.credit(let credit, let name)): add(credit, of: name, lane, &batch)
            case .mark(.receipt), .mark(.inputEnd), .mark(.progress): break
            }
        }
        merged.evict()
    }

    /// Stops waiting for edges whose sources' clocks are far behind, so that the first frame of the stream can leave. Adds all
    /// items that can leave to `batch`.
    ///
    /// - Parameters:
    ///   - name: The stream whose first frame waits.
    ///   - behind: The sources whose clocks are far behind. The merge no longer waits for edges from these sources.
    ///   - inStep: The sources whose clocks are not far behind. The merge still waits for edges from these sources.
    ///   - batch: Receives the items that can leave.
    /// - Returns: The sources that delayed the frame, and the sources of the frame's own edge; `nil` if no source in `behind`
    ///   delayed the frame.
    mutating func goOn(
        _ name: StreamID, without behind: Set<Int>, in inStep: Set<Int>, into batch: inout [Item]
    ) -> ClocksApart? {
        guard let stream = merged.streams[name], let best = stream.first else { return nil }
        var waitedFor: Set<Int> = []
        for lane in lanes.indices
        where lane != best.lane && merged.holdsBack(lane, stream) && merged.bound(lane, stream) < best.time
            && lanes[lane].sources.isDisjoint(with: inStep)
        {
            let sources = lanes[lane].sources.intersection(behind)
            stream.sides[lane].isApart = !sources.isEmpty
            waitedFor.formUnion(sources)
        }
        guard !waitedFor.isEmpty else { return nil }
        stream.released = best.time
        settle(stream, &batch)
        return ClocksApart(behind: waitedFor, ahead: lanes[best.lane].sources.subtracting(waitedFor))
    }

    /// Releases the first frame of the stream that has waited longest, without waiting for other edges. Frames that they deliver
    /// before it are late.
    mutating func makeRoom(into batch: inout [Item]) {
        let waits = waiting.values.map {
            (stream: $0, number: $0.sides.compactMap { $0.queue.first?.number }.min() ?? .max)
        }
        guard let (stream, _) = waits.min(by: { $0.number < $1.number }) else { return }
        while case .ended = merged.step(stream, ignoring: .clock, &batch) {}
        settle(stream, &batch)
    }

    /// Records that an edge has ended, and releases the items that waited for it.
    mutating func finish(lane: Int, into batch: inout [Item]) {
        merged.hasFinished[lane] = true
        settleAll(&batch)
    }

    /// Releases all waiting items, as if all edges had ended. Sends no more watermarks, because another merge continues with the
    /// edges.
    mutating func flush(into batch: inout [Item]) {
        isFlushed = true
        for lane in lanes.indices { finish(lane: lane, into: &batch) }
    }

    /// Removes and returns all held items, so that the caller can free them.
    mutating func drain() -> [Item] { release(Set(merged.streams.keys)) }

    /// Removes streams, and returns their waiting items.
    mutating func release(_ names: Set<StreamID>) -> [Item] {
        for name in names { waiting[name] = nil }
        return merged.release(names).flatMap(\.items)
    }

    /// Holds a credit until the frames before it have left, or releases the credit if no frame waits.
    private mutating func add(_ credit: Credit, of name: StreamID?, _ lane: Int, _ batch: inout [Item]) {
        guard let name, merged.streams[name]?.sides[lane].queue.isEmpty == false else {
            return batch.append(.mark(.credit(credit, of: name)))
        }
        credit.wait()
        merged.add(.mark(.credit(credit, of: name)), of: name, lane: lane)
    }

    private mutating func addBoundOfAll(_ time: Timestamp, _ lane: Int, _ batch: inout [Item]) {
        merged.watermarks[lane] = max(merged.watermarks[lane], time)
        settleAll(&batch)
        var least = lanes.indices.filter { !merged.hasFinished[$0] }.map { merged.watermarks[$0] }.min() ?? time
        // The frames of a stream that has begun again wait for the end of the stream before, and may be earlier.
        for held in waiting.values.lazy.flatMap(\.sides).flatMap(\.queue) {
            if let time = held.frameTime { least = min(least, time.advanced(byMicroseconds: -1)) }
        }
        guard least > sentBoundOfAll, !merged.isRenamed, !isFlushed else { return }
        sentBoundOfAll = least
        batch.append(.mark(.bound(nil, least)))
    }

    // MARK: One stream

    private mutating func settleAll(_ batch: inout [Item]) {
        for stream in merged.streams.values.sorted(by: { $0.name < $1.name }) { settle(stream, &batch) }
    }

    /// Releases all items of a stream that can leave, then announces the stream's watermark.
    private mutating func settle(_ stream: Stream, _ batch: inout [Item]) {
        while case .left = merged.step(stream, &batch) {}
        if stream.frames > 0 { waiting[stream.name] = stream } else if !waiting.isEmpty { waiting[stream.name] = nil }
        sendBound(stream, &batch)
        if !stream.sides.contains(where: \.hasShown) { merged.forget(stream) }
    }

    private func sendBound(_ stream: Stream, _ batch: inout [Item]) {
        let bound = least(stream)
        guard bound > stream.sentBound, !merged.isRenamed, !isFlushed else { return }
        stream.sentBound = bound
        batch.append(.mark(.bound(stream.name, bound)))
    }

    /// Returns the time that the stream has reached: the earliest time of the unfinished edges that may carry it. Edges whose
    /// clocks are far behind count only if this is true of all unfinished edges. If all edges are finished, the latest time
    /// counts.
    private func least(_ stream: Stream) -> Timestamp {
        let among = lanes.indices.filter { stream.related[$0] }
        let open = among.filter { !merged.hasFinished[$0] }
        let inStep = open.filter { !stream.sides[$0].isApart }
        let times = (open.isEmpty ? among : inStep.isEmpty ? open : inStep).map {
            stream.reached($0, merged.bound($0, stream))
        }
        return (open.isEmpty ? times.max() : times.min()) ?? .beforeAll
    }
}

extension MergedStream {
    /// Returns the time that an edge has reached: the announced time, or a time just before its first waiting frame if that is
    /// lower.
    fileprivate func reached(_ lane: Int, _ announced: Timestamp) -> Timestamp {
        guard let first = sides[lane].queue.first else { return announced }
        if case .mark(.end) = first.item { return .max }
        return first.frameTime.map { min(announced, $0.advanced(byMicroseconds: -1)) } ?? announced
    }
}
