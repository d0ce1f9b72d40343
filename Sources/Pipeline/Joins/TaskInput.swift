import Synchronization

/// What a reload asks of a task, while the run is held.
enum TaskRequest {
    /// Release everything that the join holds (if `join`), and finish some stages of all streams, by their positions in the segment.
    case flush(join: Bool, stages: [Int])

    /// End without flushing anything: another task continues with the state.
    case retire
}

/// The input of a task: takes from its edges by the rule of a ``Join``, waits for them, and returns emptied cells.
final class TaskInput {
    typealias Item = EdgeItem<FrameCell>

    let join: Join
    private let waker: Waker
    private let place: String
    private let monitor: RunMonitor
    /// Emptied cells on their way back to the edges.
    private var used: [FrameCell] = []
    /// Watermarks that the task gives itself.
    private let own: OwnBounds?
    /// Whether frames are still given out after the run was canceled, as a sink's must be.
    private let delivers: Bool
    private let recorder: TapeRecorder?
    /// Set while the run is frozen.
    private var request: TaskRequest?
    /// Whether something is asked. A task may look here at any time, also while the run is about to freeze.
    private let isAsked = Atomic<Bool>(false)

    /// - Parameter place: The name of the node whose input it is.
    init(_ join: Join, place: String, waker: Waker, monitor: RunMonitor, own: OwnBounds? = nil, delivers: Bool = false)
    {
        self.join = join
        self.place = place
        self.waker = waker
        self.monitor = monitor
        self.own = own
        self.delivers = delivers
        if case .record(let write) = monitor.tape { recorder = TapeRecorder(place, write) } else { recorder = nil }
    }

    deinit {
        for cell in used { store.free(cell) }
    }

    /// Creates and empties the cells of its frames.
    var store: FrameStore { join.store }

    /// Takes back a cell whose frame was moved out.
    func giveBack(_ cell: FrameCell) { used.append(cell) }

    /// Destroys the frame in a cell, and takes back the cell.
    func recycle(_ cell: FrameCell) {
        store.empty(cell)
        used.append(cell)
    }

    /// Adds the next items to `batch`, which must be empty. `finished` is the end, also of a canceled run; after `nothing`, call
    /// ``wait()`` and look again.
    // Separate from waiting, so that no asynchronous call is needed for items that are there.
    func look(into batch: inout [Item]) -> Edge.Taken {
        waker.pulse.beat()
        if monitor.isCancelled, !delivers || monitor.isClosed { return .finished }
        if let own {
            own.take(into: &batch)
            if !batch.isEmpty {
                recorder?.note(batch, .items, of: join)
                return .items
            }
        }
        let taken = join.look(into: &batch, used: &used)
        recorder?.note(batch, taken, of: join)
        return taken
    }

    /// Asks something of the task, which must be waiting, and wakes it. The run must be frozen.
    func ask(_ request: TaskRequest) {
        self.request = request
        isAsked.store(true, ordering: .releasing)
        waker.signal()
    }

    /// Takes what is asked of the task, if anything is. Look here before looking at the edges.
    @inline(__always)
    func takeRequest() -> TaskRequest? {
        guard isAsked.load(ordering: .acquiring) else { return nil }
        isAsked.store(false, ordering: .relaxed)
        return request.take()
    }

    /// Adds everything that the join holds to `batch`, as at the end of all edges.
    func flush(into batch: inout [Item]) { join.flush(into: &batch, used: &used) }

    /// Passes the stream and the time of each frame that waits in the join to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) { join.forEachHeld(body) }

    /// Forgets streams that another process continues with. The run must be frozen.
    ///
    /// - Parameter rest: Receives the frames that waited in the join.
    func release(_ streams: Set<StreamID>, _ rest: (Item) -> Void) {
        for item in join.release(streams) {
            // A credit ends with its item.
            if case .frame = item { rest(item) }
        }
    }

    /// Waits until new items may be there.
    nonisolated(nonsending) func wait() async { await waker.wait(for: "\(place) waits for \(join.waitedFor)") }

    /// Notes that the task has ended.
    func end() { waker.pulse.end() }

    /// Whether a frame may come of a stream that has already gone beyond the frame's time: an edge brings frames of a stream for
    /// the first time that others have brought before, or several streams were given one name.
    var mayBeLate: Bool { join.mayBeLate }

    /// Whether its input was ended by force.
    var isCutShort: Bool { join.isCutShort }

    /// Whether it joins several edges.
    var isMerged: Bool { join.isMerged }

    /// Tells the producers that nobody uses its frames any more. Frames must still be taken.
    func renounce() { join.renounce() }

    /// Ends the edges, and passes on what was taken but not given out.
    func abandon(_ rest: (Item) -> Void) { join.abandon(rest) }
}

extension PipelineError {
    /// A frame came to a join after its stream had gone beyond the frame's time.
    static func outOfStep(_ stream: StreamID, at time: Timestamp, on edge: String, reached: Timestamp?) -> PipelineError
    {
        let isOfSets = reached == nil
        let reached = reached.map { ", when that stream had come to \($0) from elsewhere" } ?? ""
        return PipelineError(
            .frame, "join.out_of_step", "\(edge) brings \"\(stream.name)\" at \(time)\(reached)",
            help:
                "are these two streams with clocks of their own? give one another name with map_stream before the edges are merged"
                + (isOfSets ? "; or raise capacity, so that more frames wait for each other" : "")
        )
    }
}
