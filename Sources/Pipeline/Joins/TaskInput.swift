import Synchronization

/// A request of a reload to a task, while the run is frozen.
enum TaskRequest {
    /// If `join` is true, release everything that the join holds. Then end all streams in the stages of the task whose positions
    /// are in `stages`.
    case flush(join: Bool, stages: [Int])

    /// End without flushing: another task continues with the state.
    case retire
}

/// The input of a task: takes items from its edges by the rule of a ``Join``, waits for more, and returns emptied cells.
final class TaskInput {
    typealias Item = EdgeItem<FrameCell>

    let join: Join
    private let waker: Waker
    private let place: String
    private let monitor: RunMonitor
    /// Emptied cells to return to the edges.
    // Unchecked, because it is used for every frame, by one task at a time.
    @exclusivity(unchecked) private var used: [FrameCell] = []
    /// Watermarks that the task creates itself.
    private let own: OwnWatermarks?
    /// Whether frames are still delivered after the run was canceled, as a sink requires.
    private let delivers: Bool
    private let recorder: TapeRecorder?
    /// The request, set while the run is frozen.
    private var request: TaskRequest?
    /// Whether there is a request. A task may read this at any time, even while the run is about to freeze.
    private let isAsked = Atomic<Bool>(false)

    /// - Parameter place: The name of the node that takes the input.
    init(
        _ join: Join, place: String, waker: Waker, monitor: RunMonitor, own: OwnWatermarks? = nil,
        delivers: Bool = false
    ) {
        self.join = join
        mayBeLate = join.mayBeLate && !join.store.isOfFailures
        self.place = place
        self.waker = waker
        self.monitor = monitor
        self.own = own
        self.delivers = delivers
        recorder = if case .record(let write) = monitor.options.tape { TapeRecorder(place, write) } else { nil }
    }

    deinit {
        for cell in used { store.free(cell) }
    }

    /// Creates and empties the cells of the input's frames.
    var store: FrameStore { join.store }

    /// Whether the join may deliver a frame that is late. Failed frames never are: a frame may fail because its time is wrong.
    let mayBeLate: Bool

    /// Takes back a cell whose frame was moved out.
    func giveBack(_ cell: FrameCell) { used.append(cell) }

    /// Destroys the frame in a cell, and takes back the cell.
    func recycle(_ cell: FrameCell) {
        store.empty(cell)
        used.append(cell)
    }

    /// Adds the next items to `batch`, which must be empty. Returns `finished` at the end of the input or when the run is canceled;
    /// after `nothing`, call ``wait()`` and look again.
    // Separate from waiting, so that taking available items needs no asynchronous call.
    func look(into batch: inout [Item]) -> Edge.Taken {
        waker.pulse.beat()
        if monitor.isCancelled, !delivers || monitor.isClosed { return .finished }
        var taken = join.look(into: &batch, used: &used)
        // After the frames that have already arrived, which would be late otherwise.
        if let own, taken != .finished {
            own.take(into: &batch)
            if !batch.isEmpty { taken = .items }
        }
        recorder?.note(batch, taken, of: join)
        return taken
    }

    /// Sends the task a request and wakes it. The task must be waiting, and the run frozen.
    func ask(_ request: TaskRequest) {
        self.request = request
        isAsked.store(true, ordering: .releasing)
        waker.signal()
    }

    /// Removes and returns the pending request, if there is one. Check for a request before looking at the edges.
    @inline(__always)
    func takeRequest() -> TaskRequest? {
        guard isAsked.load(ordering: .acquiring) else { return nil }
        isAsked.store(false, ordering: .relaxed)
        return request.take()
    }

    /// Adds everything that the join holds to `batch`, as if all edges had ended.
    func flush(into batch: inout [Item]) { join.flush(into: &batch, used: &used) }

    /// Forgets streams that another process continues with. The run must be frozen.
    ///
    /// - Parameter rest: Receives the frames that waited in the join.
    func release(_ streams: Set<StreamID>, _ rest: (Item) -> Void) {
        for item in join.release(streams) {
            // A credit ends with its item.
            if case .frame = item { rest(item) }
        }
    }

    /// Waits until there may be new items, or a request.
    nonisolated(nonsending) func wait() async { await waker.wait(for: "\(place) waits for \(join.waitedFor)") }

    /// Notes that the task has ended.
    func end() { waker.pulse.end() }
}

extension PipelineError {
    /// The error for a frame that reached a merge or join after its stream had passed the frame's time.
    ///
    /// - Parameter reached: The time that the stream had reached on another edge of a merge; `nil` for a join of sets.
    static func outOfStep(_ stream: StreamID, at time: Timestamp, on edge: String, reached: Timestamp?) -> PipelineError
    {
        let message =
            reached.map {
                "\(edge) delivers \"\(stream.name)\" at \(time), after that stream had reached \($0) on another edge"
            } ?? "a frame of \"\(stream.name)\" at \(time) arrived after the set for its time had been made"
        return PipelineError(
            .frame, "join.out_of_step", message,
            help:
                "if these are two streams with different clocks, rename one with map_stream before the edges are merged; if a "
                + "branch with map_stream merges them before, put map_stream after the last merge"
                + (reached == nil ? "; or raise capacity, so that more frames wait for each other" : "")
        )
    }
}
