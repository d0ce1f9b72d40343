import Synchronization

/// A batch of a segment's work for one worker: the steps to do, in order, and the worker's output.
// Owned by the segment's task until it passes the job to a worker, and again after the worker has recorded that the job is done.
final class SegmentJob: @unchecked Sendable {
    /// A step of a job.
    enum Step {
        /// Process an item of one stream. If the stream is new, `ordinal` is its position in the order of arrival.
        case item(EdgeItem<FrameCell>, ordinal: Int)
        /// Evict a stream to make room for another one.
        case evict(StreamID)
        /// Process a watermark of all streams.
        case globalWatermark(Timestamp)
        /// Finish the stages at some positions of the segment, for all streams.
        case finish([Int])
        /// End all streams.
        case endAll

        var isFrame: Bool { if case .item(.frame, _) = self { true } else { false } }
    }

    /// The position of a part of the output among the parts of all workers, in a step that all workers do. Parts are ordered by
    /// time, then by the order in which the streams arrived.
    struct Turn: Comparable {
        var time = Timestamp.beforeAll
        /// The position of the stream in the order of arrival.
        var ordinal = 0
        /// The stream; not set in the step of one worker.
        var stream: StreamID?

        static func < (a: Turn, b: Turn) -> Bool { (a.time, a.ordinal) < (b.time, b.ordinal) }
    }

    /// A part of the output: the output of one step, or of one stream in a step that concerns all streams.
    private struct Part {
        let turn: Turn
        /// The index after the part's last report.
        let reportsEnd: Int
    }

    /// The index of the worker that does the job.
    let worker: Int
    private(set) var steps: [Step] = []
    private(set) var frames = 0

    /// The number of steps whose output has not been released.
    var left = 0

    private var parts: [Part] = []
    /// For each step, the index after its last part.
    private var partEnds: [Int] = []
    /// For each part and outlet, the index after the part's last item.
    private var itemEnds: [Int] = []
    private var items: [[EdgeItem<FrameCell>]]
    private var spare: [[FrameCell]]
    private var reports: [NodeReport] = []
    /// The index of the next part to release.
    private var nextPart = 0
    /// For each outlet, the index of the next item to release.
    private var nextItems: [Int]
    /// The index of the next report to release.
    private var nextReport = 0
    private let done = Lock(false)
    private let stores: [FrameStore]

    /// - Parameter stores: The stores that create and empty the cells of each outlet.
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

    /// Adds a step.
    func add(_ step: Step) {
        steps.append(step)
        left += 1
        if step.isFrame { frames += 1 }
    }

    /// Empties the job for reuse, and keeps its memory.
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

    // MARK: Called by the worker

    /// Lends the job's memory to the buffers, which are empty.
    func begin(_ buffers: [OutletBuffer]) {
        for (place, buffer) in buffers.enumerated() { exchange(buffer, place) }
    }

    /// Marks the end of a part of the output.
    func endPart(_ buffers: [OutletBuffer], _ context: SegmentContext, turn: Turn) {
        for buffer in buffers { itemEnds.append(buffer.items.count) }
        parts.append(Part(turn: turn, reportsEnd: context.reports.count))
    }

    /// Marks the end of a step.
    func endStep() { partEnds.append(parts.count) }

    /// Takes the content of the buffers, and records that the job is done.
    func finish(_ buffers: [OutletBuffer], _ context: SegmentContext) {
        for (place, buffer) in buffers.enumerated() { exchange(buffer, place) }
        swap(&reports, &context.reports)
        done.withLock { $0 = true }
    }

    private func exchange(_ buffer: OutletBuffer, _ place: Int) {
        swap(&items[place], &buffer.items)
        swap(&spare[place], &buffer.spare)
    }

    // MARK: Called by the segment

    /// Whether the worker has finished the job.
    var isDone: Bool { done.withLock { $0 } }

    /// Returns the turn of the next part of a step; `nil` if the step has no more parts.
    func nextTurn(of step: Int) -> Turn? { nextPart < partEnds[step] ? parts[nextPart].turn : nil }

    /// Moves the output in the next part to the outlets. If `isCancelled`, drops the output instead.
    func release(to outlets: [any AnyOutlet], isCancelled: Bool) {
        for (place, outlet) in outlets.enumerated() {
            let end = itemEnds[nextPart * outlets.count + place]
            for item in items[place][nextItems[place]..<end] {
                switch item {
                case .frame(let cell):
                    if isCancelled { outlet.cancel(cell) } else { outlet.put(cell) }
                    spare[place].append(cell)
                case .mark(let mark): if !isCancelled { outlet.take(mark) }
                }
            }
            nextItems[place] = end
        }
        nextPart += 1
    }

    /// Returns the reports of the part that was released last.
    func releaseReports() -> ArraySlice<NodeReport> {
        defer { nextReport = parts[nextPart - 1].reportsEnd }
        return reports[nextReport..<parts[nextPart - 1].reportsEnd]
    }
}
