/// The streams of a merge. Each stream is merged separately, by time.
///
/// A frame leaves when every other edge that may still deliver an earlier frame of the same stream has passed the timestamp of the
/// frame. If two frames have the same timestamp, the frame of the edge named first leaves first. The end of a stream leaves when
/// the stream has ended on every edge that can still deliver it.
///
/// ``TimeMerge`` and ``StreamMerge`` decide when the streams are processed, in which order, and what is announced downstream.
struct MergedStreams<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    typealias Stream = MergedStream<Element>

    /// The outcome of an attempt to release the first frame of a stream.
    enum Step {
        /// A frame of this edge has left. It was late if the stream had already reached a later time. `time` is ``Timestamp/max`` for
        /// a frame that was earlier than the time that its own edge had reached: it was already out of order upstream.
        case left(lane: Int, time: Timestamp, reached: Timestamp)
        /// The stream has ended on edges that other edges did not wait for.
        case ended
        /// No frame waits.
        case nothing
        /// The frame waits for an edge that may never deliver the stream.
        case waitsForUnknown
        /// The frame waits for the time of an edge that delivers the stream.
        case waitsForClock
    }

    /// A reason to wait that does not count.
    enum Ignored {
        case unknown, clock
    }

    let rule: MergeRule
    let lanes: [LaneTraits]
    /// Whether streams may have been renamed on any edge. If so, the progress of a stream is unknown, and no watermark is sent.
    let isRenamed: Bool
    private let maxStreams: Int
    /// The number of streams above which streams are evicted. It is above `maxStreams` if more streams wait.
    private var limit: Int
    private(set) var streams: [StreamID: Stream] = [:]
    /// The watermark of each edge for all streams.
    var watermarks: [Timestamp]
    var hasFinished: [Bool]
    /// For each edge, the number of waiting frames.
    private(set) var held: [Int]
    /// The number of items that were taken.
    private var taken = 0

    /// - Parameter maxStreams: If there are more streams, those that were not used for the longest time are evicted. A stream with
    ///   waiting items stays.
    init(_ rule: MergeRule, lanes: [LaneTraits], maxStreams: Int) {
        self.rule = rule
        self.lanes = lanes
        self.maxStreams = max(1, maxStreams)
        limit = self.maxStreams
        isRenamed = lanes.contains(where: \.isRenamed)
        watermarks = lanes.map { _ in .beforeAll }
        hasFinished = lanes.map { _ in false }
        held = lanes.map { _ in 0 }
    }

    /// Adds an item that an edge has delivered to the queue of its stream. Returns the stream and the number of the item.
    @discardableResult
    mutating func add(_ item: Item, of name: StreamID, _ rank: SourceRank = SourceRank(), lane: Int) -> (Stream, Int) {
        taken += 1
        let stream = streams[name] ?? Stream(name, lanes: lanes.count)
        if stream.lastUse == 0 { streams[name] = stream }
        stream.lastUse = taken
        let known = stream.arrival
        if known == 0, case .frame(let frame) = item { stream.arrival = frame.arrival }
        if !stream.sides[lane].hasShown || stream.arrival != known || mayHaveOtherSource(item, stream, lane) {
            (stream.sides[lane].hasShown, stream.sides[lane].hasEnded) = (true, false)
            stream.sides[lane].end = .over
            updateRelated(stream)
        }
        var time = Timestamp.max
        switch item {
        case .frame(let frame):
            time = max(frame.timestamp, stream.sides[lane].reached)
            stream.sides[lane].reached = time
            stream.sides[lane].frames += 1
            stream.frames += 1
            held[lane] += 1
        case .mark(.end):
            stream.sides[lane].reached = .beforeAll
            stream.sides[lane].ends += 1
            stream.ends += 1
        case .mark(.bound(_, let time)):
            stream.sides[lane].note(bound: time)
            return (stream, taken)
        case .mark(.receipt), .mark(.credit), .mark(.inputEnd), .mark(.progress): break
        }
        stream.sides[lane].queue.append(Stream.Held(item: item, time: time, rank: rank, number: taken))
        return (stream, taken)
    }

    /// Returns whether a frame may come from a source that has begun the stream after another source, so that the frame must wait for
    /// further edges.
    private func mayHaveOtherSource(_ item: Item, _ stream: Stream, _ lane: Int) -> Bool {
        guard case .edgesOfSource(.some) = rule, case .frame = item else { return false }
        return lanes[lane].sources.count > 1 && stream.related.contains(false)
    }

    // MARK: One stream

    /// Releases the first frame of a stream, unless it must wait, and the credits and ends before it.
    mutating func step(_ stream: Stream, ignoring ignored: Ignored? = nil, _ batch: inout [Item]) -> Step {
        repeat { passCredits(stream, &batch) } while passEnds(stream, &batch)
        guard stream.frames > 0 else {
            endIfOver(stream, &batch)
            return .nothing
        }
        // If no frame comes first, every edge with frames begins with an end. The frames behind it wait until the stream ends on
        // other edges.
        guard let best = stream.first else {
            guard ignored != nil else { return .waitsForClock }
            return pass(lanes.indices.filter { stream.sides[$0].isAtEnd }, of: stream, &batch) ? .ended : .nothing
        }
        if ignored != .clock {
            var waits = false
            for lane in lanes.indices where lane != best.lane {
                // An edge named earlier must have passed the time itself; an edge named later, all times before it.
                let needed = lane < best.lane ? best.time : best.time.advanced(byMicroseconds: -1)
                guard holdsBack(lane, stream), bound(lane, stream) < needed else { continue }
                if isAwaited(lane, stream) { return .waitsForClock }
                waits = true
            }
            if waits, ignored != .unknown { return .waitsForUnknown }
        }
        return release(stream, best.lane, &batch)
    }

    /// Returns whether an edge may still deliver frames before those that wait, so that they wait for its watermark.
    func holdsBack(_ lane: Int, _ stream: Stream) -> Bool {
        guard !hasFinished[lane], stream.sides[lane].queue.isEmpty, !stream.sides[lane].isApart else { return false }
        return if case .anyEdge = rule { true } else { isAwaited(lane, stream) }
    }

    /// Returns whether frames wait for an edge without a limit.
    private func isAwaited(_ lane: Int, _ stream: Stream) -> Bool { stream.related[lane] && !lanes[lane].isRenamed }

    /// Returns the watermark of an edge for a stream.
    func bound(_ lane: Int, _ stream: Stream) -> Timestamp { max(stream.sides[lane].bound, watermarks[lane]) }

    private mutating func release(_ stream: Stream, _ lane: Int, _ batch: inout [Item]) -> Step {
        let (first, reached) = (stream.sides[lane].removeFirst(), stream.released)
        stream.sides[lane].frames -= 1
        stream.frames -= 1
        held[lane] -= 1
        stream.released = max(stream.released, first.time)
        batch.append(first.item)
        // Another frame of another source may have the same timestamp in the stream. In a live run, a separate watermark follows
        // when there is no other frame with this timestamp.
        let isLast = if case .anyEdge = rule { lanes[lane].sources.count == 1 } else { false }
        let passed = isLast ? first.time : first.time.advanced(byMicroseconds: -1)
        stream.sides[lane].bound = max(stream.sides[lane].bound, passed)
        let isInOrder = if case .frame(let frame) = first.item { frame.timestamp == first.time } else { false }
        return .left(lane: lane, time: isInOrder ? first.time : .max, reached: reached)
    }

    /// Releases the credits whose frames no longer wait. If the clock of an edge has caught up, the other edges wait for it again.
    private func passCredits(_ stream: Stream, _ batch: inout [Item]) {
        for lane in lanes.indices {
            while let first = stream.sides[lane].queue.first, case .mark(.credit(let credit, _)) = first.item {
                credit.goOn()
                batch.append(first.item)
                stream.sides[lane].removeFirst()
            }
            guard stream.sides[lane].isApart else { continue }
            let time = stream.sides[lane].queue.first?.frameTime ?? bound(lane, stream)
            stream.sides[lane].isApart = time < stream.released
        }
    }

    /// Releases the end of a stream from the edges that have reached it, unless another edge must still reach it: an edge that
    /// delivers the stream and shares a source with one of them. Returns whether anything changed.
    private func passEnds(_ stream: Stream, _ batch: inout [Item]) -> Bool {
        guard stream.ends > 0 else { return false }
        let ended = lanes.indices.filter { stream.sides[$0].isAtEnd }
        // A stream that was renamed ends by itself: the sources may go on with another stream of the same name.
        let over = ended.reduce(into: Set<Int>()) { if !lanes[$1].isRenamed { $0.formUnion(lanes[$1].sources) } }
        // But if the source ended both streams that were renamed, their ends belong together.
        let renamed = ended.reduce(into: Set<Int>()) { if lanes[$1].isRenamed { $0.formUnion(lanes[$1].sources) } }
        let isWaiting = lanes.indices.contains { lane in
            if lanes[lane].isRenamed, stream.sides[lane].ends > 0, !ended.contains(lane),
                !lanes[lane].sources.isDisjoint(with: renamed)
            {
                return true
            }
            // Items of a finished edge must still leave, up to the end of the stream on that edge.
            let mayEnd = !hasFinished[lane] || !stream.sides[lane].queue.isEmpty
            return isAwaited(lane, stream) && !ended.contains(lane) && mayEnd
                && !lanes[lane].sources.isDisjoint(with: over)
                // If another source of the edge still produces the stream, the edge does not deliver the end now.
                && !lanes[lane].sources.contains { !over.contains($0) && brings($0, stream) }
        }
        return !isWaiting && pass(ended, of: stream, &batch)
    }

    private func pass(_ ended: [Int], of stream: Stream, _ batch: inout [Item]) -> Bool {
        guard !ended.isEmpty else { return false }
        for lane in ended {
            stream.sides[lane].endEpoch()
            stream.ends -= 1
        }
        // If another edge still carries a stream of the same name, the stream continues.
        if lanes.indices.contains(where: { !ended.contains($0) && carries($0, stream) }) {
            for lane in ended { stream.sides[lane].hasEnded = !stream.sides[lane].hasShown }
        } else {
            end(stream, except: ended, &batch)
        }
        updateRelated(stream)
        return true
    }

    /// Returns whether an edge has delivered a stream and may deliver more of it.
    private func carries(_ lane: Int, _ stream: Stream) -> Bool {
        stream.sides[lane].hasShown && (!hasFinished[lane] || !stream.sides[lane].queue.isEmpty)
    }

    /// Ends a stream that has ended on some edges, if the other edges that carried it have finished meanwhile.
    private func endIfOver(_ stream: Stream, _ batch: inout [Item]) {
        guard stream.sides.contains(where: \.hasEnded), !lanes.indices.contains(where: { carries($0, stream) })
        else { return }
        end(stream, except: [], &batch)
        updateRelated(stream)
    }

    /// Releases the end of a stream. On the edges in `begun`, the next stream of this name may have begun.
    private func end(_ stream: Stream, except begun: [Int], _ batch: inout [Item]) {
        batch.append(.mark(.end(stream.name, StreamEnd(of: stream.sides.lazy.map(\.end)))))
        for lane in lanes.indices {
            stream.sides[lane].hasEnded = false
            if !begun.contains(lane) { stream.sides[lane].forgetEpoch() }
        }
        (stream.released, stream.sentBound) = (.beforeAll, .beforeAll)
        (stream.isKnown, stream.arrival) = (false, stream.firstArrival)
    }

    /// Determines which edges are known to deliver a stream: those that have delivered it and, by ``MergeRule/edgesOfSource``,
    /// those downstream of its source on which it has not ended. If the edges that have delivered it have several sources in
    /// common, `brings` says which of them produces it.
    private func updateRelated(_ stream: Stream) {
        let shown = lanes.indices.filter { stream.sides[$0].hasShown }
        stream.related = stream.sides.map(\.hasShown)
        guard case .edgesOfSource(let known) = rule, let first = shown.first else { return }
        let common = shown.dropFirst().reduce(lanes[first].sources) { $0.intersection(lanes[$1].sources) }
        let origin = common.filter { brings($0, stream) }
        let isNamedOnTheWay = known != nil && shown.allSatisfy { lanes[$0].isRenamed }
        for lane in lanes.indices where !stream.sides[lane].hasShown && !stream.sides[lane].hasEnded {
            if !origin.isEmpty {
                stream.related[lane] = !origin.isDisjoint(with: lanes[lane].sources)
            } else {
                // If no source produces this name, a stage has renamed the stream. An edge without renaming stages cannot carry it.
                stream.related[lane] =
                    (lanes[lane].isRenamed || !isNamedOnTheWay) && !common.isEmpty
                    && common.isSubset(of: lanes[lane].sources)
            }
        }
    }

    private func brings(_ source: Int, _ stream: Stream) -> Bool {
        if case .edgesOfSource(let brings?) = rule { brings(source, stream.name, stream.arrival) } else { false }
    }

    // MARK: All streams

    /// Removes a stream without waiting items.
    mutating func forget(_ stream: Stream) { streams[stream.name] = nil }

    /// If there are too many streams, evicts the least recently used ones without waiting items: several at once, because the
    /// search takes time. Streams need not end, so without this the merge would keep every name.
    mutating func evict() {
        guard streams.count > limit else { return }
        let idle = streams.values.filter { $0.sides.allSatisfy(\.queue.isEmpty) }
        let excess = streams.count - maxStreams + max(1, maxStreams / 8)
        for stream in idle.sorted(by: { $0.lastUse < $1.lastUse }).prefix(excess) { streams[stream.name] = nil }
        limit = streams.count <= maxStreams ? maxStreams : streams.count + max(1, streams.count / 8)
    }

    /// Passes the stream and the time of each waiting frame to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for side in streams.values.lazy.flatMap(\.sides) {
            for case .frame(let frame) in side.queue.lazy.map(\.item) { body(frame.stream, frame.timestamp) }
        }
    }

    /// Removes and returns streams, sorted by name, with their waiting items.
    mutating func release(_ names: Set<StreamID>) -> [Stream] {
        let released = names.sorted().compactMap { streams.removeValue(forKey: $0) }
        for stream in released {
            for lane in lanes.indices { held[lane] -= stream.sides[lane].frames }
        }
        return released
    }
}
