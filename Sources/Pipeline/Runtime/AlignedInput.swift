/// The input of a task whose stage looks at several edges at once: sets of frames, made by an ``AlignmentState``.
///
/// Items go into the state in the order of their time (on a tie, first from the edge that has the fewest frames waiting,
/// then from the one named first), once every edge that has not ended shows one: which set comes first, of whatever
/// stream, depends on what the edges carry and not on when it arrived. An edge is left alone while as many of its frames
/// wait as it has capacity, so that whoever fills it has to wait too. In a live run, whose streams share no clock, items go
/// into the state as they come; what comes of one stream is the same.
final class AlignedInput<Element: Payload>: AnyAlignedInput {
    private typealias State = AlignmentState<Element>

    private struct Lane {
        let edge: Edge
        let store: TypedFrameStore<Frame<Element>>
        /// How many of its frames may wait to become part of a set.
        let room: Int
        var items: [Item] = []
        var head = 0
        /// Cells that have been emptied, on their way back.
        var used: [FrameCell] = []
        /// Whether the edge brings nothing any more, and whether the state knows.
        var hasFinished = false
        var hasEnded = false
        /// When it last brought something, on the run's clock.
        var activeAt: Int64
        /// Whether it has been silent for too long to hold others back.
        var isIdle = false
        /// The largest time seen.
        var time = Timestamp.beforeAll

        var isEmpty: Bool { head == items.count }

        /// When it will have been silent for too long, if that is limited.
        var idleAt: Int64? {
            guard let timeout = edge.policy.idleTimeoutMs, isEmpty, !hasFinished, !isIdle else { return nil }
            return activeAt &+ Int64(min(timeout, 1e9) * 1_000_000)
        }

        mutating func refill() {
            guard isEmpty, !hasFinished else { return }
            items.removeAll(keepingCapacity: true)
            head = 0
            switch edge.take(into: &items, returning: &used) {
            case .items: isIdle = false
            case .finished: hasFinished = true
            case .nothing: break
            }
        }
    }

    private var lanes: [Lane]
    private var state: State
    private var outputs: [State.Output] = []
    private let sets: TypedFrameStore<Frame<Aligned<Element>>>
    private let metrics: AlignmentMetrics
    private let isLive: Bool
    /// Whether silent lanes stop holding others back.
    private let isTimed: Bool
    private let waker: Waker
    private let place: String
    private let monitor: RunMonitor

    /// Tells edges with slots which of their frames wait here.
    private let joins: JoinReports?

    /// When the timer will wake the task.
    private var timerAt: Int64?

    // Streams may take turns on an edge: with less room than this one that waits would hold up the others at once.
    private static var leastRoom: Int { 64 }

    init(
        _ alignment: Alignment, edges: [(Edge, TypedFrameStore<Frame<Element>>)], maxStreams: Int,
        metrics: AlignmentMetrics, joins: JoinReports? = nil, waker: Waker, place: String, monitor: RunMonitor
    ) {
        self.joins = joins
        let now = monitor.clock.now
        lanes = edges.map { Lane(edge: $0, store: $1, room: max($0.policy.capacity, Self.leastRoom), activeAt: now) }
        isLive = monitor.timer != nil
        isTimed = monitor.timer != nil && edges.contains { $0.0.policy.idleTimeoutMs != nil }
        self.waker = waker
        state = State(alignment, lanes: edges.count, maxStreams: maxStreams)
        sets = TypedFrameStore<Frame<Aligned<Element>>>.make()
        self.metrics = metrics
        self.place = place
        self.monitor = monitor
        super.init(store: sets)
    }

    deinit {
        for lane in lanes {
            lane.store.discard(lane.items[lane.head...])
            for cell in lane.used { lane.store.free(cell) }
        }
    }

    override var hasEnded: Bool { lanes.allSatisfy(\.hasEnded) }

    override var waitsFor: [(StreamID, Timestamp)] {
        // Also those that have not gone into the state because nothing has come on another edge.
        var waits: [StreamID: Timestamp] = [:]
        for lane in lanes {
            for case .frame(let cell) in lane.items[lane.head...].prefix(16) {
                waits[cell.stream] = min(waits[cell.stream] ?? .max, cell.timestamp)
            }
        }
        for (stream, time) in state.waitsFor { waits[stream] = min(waits[stream] ?? .max, time) }
        return waits.sorted { $0.key.name < $1.key.name }.map { ($0.key, $0.value) }
    }

    override func fill(_ batch: inout [Item], used: inout [FrameCell]) {
        repeat {
            refill()
            if isTimed { noteSilence(into: &batch, &used) }
            var hasAdvanced = false
            while batch.count < 256, let lane = nextLane() {
                advance(lane, into: &batch, &used)
                hasAdvanced = true
            }
            joins?.tell()
            // Only an edge that was found empty says when it has something again.
            guard hasAdvanced else { return }
        } while batch.isEmpty
    }

    override func abandon() {
        for index in lanes.indices {
            lanes[index].edge.abandon()
            for case .frame(let cell) in lanes[index].items[lanes[index].head...] {
                metrics.frames.add()
                drop(take(cell, index), .cancelled)
            }
            lanes[index].items = []
            lanes[index].head = 0
        }
        state.abandon()
        var (batch, used): ([Item], [FrameCell]) = ([], [])
        handOn(into: &batch, &used)
    }

    override func renounce() {
        for lane in lanes { lane.edge.renounce() }
    }

    // MARK: Lanes

    private func refill() {
        for index in lanes.indices { lanes[index].refill() }
    }

    /// Lets lanes that have been silent for too long count as such, and wakes the task when the next will have been.
    private func noteSilence(into batch: inout [Item], _ used: inout [FrameCell]) {
        let now = monitor.clock.now
        var next: Int64?
        var silent: [Int] = []
        for index in lanes.indices {
            if !lanes[index].isEmpty { lanes[index].activeAt = now }
            guard let moment = lanes[index].idleAt else { continue }
            if moment <= now {
                lanes[index].isIdle = true
                silent.append(index)
            } else {
                next = min(next ?? moment, moment)
            }
        }
        if !silent.isEmpty {
            state.becameIdle(silent)
            handOn(into: &batch, &used)
        }
        if let next, next != timerAt {
            timerAt = next
            monitor.timer?.schedule(at: next) { [waker] in waker.signal() }
        }
    }

    /// Whether as many frames of a lane wait as there is room for; in a live run, where one stream never holds up another,
    /// of the stream that the lane shows.
    private func isFull(_ lane: Int) -> Bool {
        guard isLive else { return state.held[lane] >= lanes[lane].room }
        guard !lanes[lane].isEmpty, case .frame(let cell) = lanes[lane].items[lanes[lane].head] else { return false }
        return state.held(of: cell.stream, on: lane) >= lanes[lane].room
    }

    /// The lane whose item goes into the state next; `nil` when something must come first.
    private func nextLane() -> Int? {
        if isLive { return lanes.indices.first { hasNext($0) } }
        var best: Int?
        for index in lanes.indices where !lanes[index].hasEnded && !isFull(index) {
            // What it brings next may have to go first.
            if lanes[index].isEmpty, !lanes[index].hasFinished { return nil }
            if let other = best, !precedes(index, other) { continue }
            best = index
        }
        // All are full: what is no frame needs no room, and may be what the frames wait for.
        return best ?? lanes.indices.first { !lanes[$0].hasEnded && !showsFrame($0) }
    }

    /// Whether a lane has something that there is room for.
    private func hasNext(_ index: Int) -> Bool {
        guard !lanes[index].isEmpty else { return lanes[index].hasFinished && !lanes[index].hasEnded }
        return !isFull(index) || !showsFrame(index)
    }

    private func precedes(_ a: Int, _ b: Int) -> Bool {
        let (first, second) = (time(a), time(b))
        return first == second ? state.held[a] < state.held[b] : first < second
    }

    private func time(_ index: Int) -> Timestamp {
        let lane = lanes[index]
        guard !lane.isEmpty else { return lane.time }
        return max(lane.time, lane.items[lane.head].time ?? .beforeAll)
    }

    private func showsFrame(_ index: Int) -> Bool {
        guard !lanes[index].isEmpty else { return !lanes[index].hasFinished }
        if case .frame = lanes[index].items[lanes[index].head] { return true }
        return false
    }

    private func advance(_ index: Int, into batch: inout [Item], _ used: inout [FrameCell]) {
        if lanes[index].isEmpty {
            lanes[index].hasEnded = true
            state.end(index)
        } else {
            lanes[index].time = time(index)
            let item = lanes[index].items[lanes[index].head]
            lanes[index].head += 1
            joins?.arrived(item, on: index)
            switch item {
            case .frame(let cell):
                metrics.frames.add()
                state.push(.frame(take(cell, index)), on: index)
            case .bound(let stream, let time): state.push(.bound(stream, time), on: index)
            case .receipt(let stream, let time): state.push(.receipt(stream, time), on: index)
            case .end(let stream): state.push(.end(stream), on: index)
            }
        }
        handOn(into: &batch, &used)
    }

    private func take(_ cell: FrameCell, _ index: Int) -> Frame<Element> {
        lanes[index].used.append(cell)
        return lanes[index].store.take(cell)
    }

    override var waitedFor: String {
        let full = lanes.indices.filter { !lanes[$0].hasEnded && isFull($0) }.map { index in
            "something to put together with the \(state.held[index]) frames of \(lanes[index].edge.name)"
        }
        let quiet = lanes.indices.filter { lanes[$0].isEmpty && !lanes[$0].hasFinished && !isFull($0) }
            .map { "frames on \(lanes[$0].edge.name)" }
        return (full + quiet).joined(separator: " and ")
    }

    // MARK: What comes out

    private func handOn(into batch: inout [Item], _ used: inout [FrameCell]) {
        state.takeOutputs(into: &outputs)
        for output in outputs {
            switch output {
            case .set(let frame):
                metrics.sets.add()
                let cell = used.popLast() ?? sets.allocate()
                sets.fill(cell, with: frame)
                batch.append(.frame(cell))
            case .bound(let stream, let time): handOn(.bound(stream, time), into: &batch)
            case .receipt(let stream, let time): handOn(.receipt(stream, time), into: &batch)
            case .end(let stream): handOn(.end(stream), into: &batch)
            case .dropped(let frame, let reason): drop(frame, reason)
            }
        }
        outputs.removeAll(keepingCapacity: true)
        metrics.used.add(Int64(state.used) - metrics.used.value)
    }

    private func handOn(_ item: Item, into batch: inout [Item]) {
        joins?.passed(item)
        batch.append(item)
    }

    private func drop(_ frame: Frame<Element>, _ reason: DropReason) {
        metrics.dropped.add(reason)
        monitor.noteDrop(frame.header, at: place, reason)
    }
}

extension EdgeItem {
    fileprivate var time: Timestamp? {
        switch self {
        case .frame(let frame): frame.timestamp
        case .bound(_, let time): time
        case .receipt, .end: nil
        }
    }
}
