import Synchronization

/// A piece of a segment's work for one worker: what to take, in order, and what the worker has made of it.
// It belongs to the segment's task until that hands it to a worker, and again once the worker has noted that it is done.
final class SegmentJob: @unchecked Sendable {
    /// Something to do.
    enum Step {
        /// Take an item of one stream. Should the stream be new, it has this place in the order of their coming.
        case item(EdgeItem<FrameCell>, ordinal: Int)
        /// Let a stream go to make room for another.
        case evict(StreamID)
        /// The time of all streams has come so far.
        case boundOfAll(Timestamp)
        /// End all streams.
        case endAll

        var isFrame: Bool { if case .item(.frame, _) = self { true } else { false } }
    }

    /// Where a part of the output stands among those of other workers, where all do the same step: by time, then by stream.
    struct Turn: Comparable {
        var time = Timestamp.beforeAll
        var ordinal = 0

        static func < (a: Turn, b: Turn) -> Bool { (a.time, a.ordinal) < (b.time, b.ordinal) }
    }

    /// A part of the output: of a step, or of one stream in it.
    private struct Part {
        let turn: Turn
        /// Up to where its reports stand.
        let reportsEnd: Int
    }

    /// Which worker is to do it.
    let worker: Int
    private(set) var steps: [Step] = []
    private(set) var frames = 0

    /// How many of its steps have not been released.
    var left = 0

    private var parts: [Part] = []
    /// For each step, up to where its parts stand.
    private var partEnds: [Int] = []
    /// For each part, up to where it stands in what was made for each outlet.
    private var itemEnds: [Int] = []
    private var items: [[EdgeItem<FrameCell>]]
    private var spare: [[FrameCell]]
    private var reports: [StageReport] = []
    /// What has been released.
    private var nextPart = 0
    private var nextItems: [Int]
    private var nextReport = 0
    private let done = Lock(false)
    private let stores: [FrameStore]

    /// - Parameter stores: What makes and empties the cells of each outlet.
    init(worker: Int, _ stores: [FrameStore]) {
        self.worker = worker
        self.stores = stores
        items = stores.map { _ in [] }
        spare = stores.map { _ in [] }
        nextItems = stores.map { _ in 0 }
    }

    deinit {
        for (place, store) in stores.enumerated() {
            store.discard(items[place][nextItems[place]...])
            for cell in spare[place] { store.free(cell) }
        }
    }

    /// Adds something to do.
    func add(_ step: Step) {
        steps.append(step)
        left += 1
        if step.isFrame { frames += 1 }
    }

    /// Forgets all of it but the memory, to be filled anew.
    func clear() {
        steps.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
        partEnds.removeAll(keepingCapacity: true)
        itemEnds.removeAll(keepingCapacity: true)
        for place in items.indices {
            items[place].removeAll(keepingCapacity: true)
            nextItems[place] = 0
        }
        reports.removeAll(keepingCapacity: true)
        (frames, left, nextPart, nextReport) = (0, 0, 0, 0)
        done.withLock { $0 = false }
    }

    // MARK: The worker's side

    /// Lends its memory to buffers, which are empty.
    func begin(_ buffers: [OutletBuffer]) {
        for (place, buffer) in buffers.enumerated() { exchange(buffer, place) }
    }

    /// Notes where what was made since the last part ends.
    func endPart(_ buffers: [OutletBuffer], _ context: SegmentContext, turn: Turn) {
        for buffer in buffers { itemEnds.append(buffer.items.count) }
        parts.append(Part(turn: turn, reportsEnd: context.reports.count))
    }

    /// Notes that a step is done.
    func endStep() { partEnds.append(parts.count) }

    /// Keeps what the buffers hold, and notes that all is done.
    func finish(_ buffers: [OutletBuffer], _ context: SegmentContext) {
        for (place, buffer) in buffers.enumerated() { exchange(buffer, place) }
        swap(&reports, &context.reports)
        done.withLock { $0 = true }
    }

    private func exchange(_ buffer: OutletBuffer, _ place: Int) {
        swap(&items[place], &buffer.items)
        swap(&spare[place], &buffer.spare)
    }

    // MARK: The other side

    /// Whether the worker is done with it.
    var isDone: Bool { done.withLock { $0 } }

    /// The turn of the next part of a step; `nil` when the step has no more.
    func nextTurn(of step: Int) -> Turn? { nextPart < partEnds[step] ? parts[nextPart].turn : nil }

    /// Moves what the next part has made to the outlets, or drops it where it must not go on.
    func release(to outlets: [any AnyOutlet], isCancelled: Bool) {
        for (place, outlet) in outlets.enumerated() {
            let end = itemEnds[nextPart * outlets.count + place]
            for item in items[place][nextItems[place]..<end] {
                if !isCancelled {
                    if let cell = outlet.take(item) { spare[place].append(cell) }
                } else if case .frame(let cell) = item {
                    spare[place].append(outlet.cancel(cell))
                }
            }
            nextItems[place] = end
        }
        nextPart += 1
    }

    /// What the part released last tells.
    func releaseReports() -> ArraySlice<StageReport> {
        defer { nextReport = parts[nextPart - 1].reportsEnd }
        return reports[nextReport..<parts[nextPart - 1].reportsEnd]
    }
}
