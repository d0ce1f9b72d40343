/// Takes what a node of a run makes, a batch at a time behind the scenes, with what is known of its streams' time.
///
/// Whoever drops it takes no more. It belongs to one task or thread at a time.
final class ResultReader<Payload: Pipeline.Payload> {
    /// What was found.
    enum Found {
        case frame(Frame<Payload>)

        /// A stream's time (or with `nil` every stream's) has come so far.
        case bound(StreamID?, Timestamp)

        /// A stream has ended.
        case end(StreamID)

        /// All has come that was made of the frame of a slot, the last of it in this stream. To be ended when that has been dealt with.
        case credit(Credit, StreamID?)

        case nothing

        /// Nothing will come any more.
        case finished
    }

    private let edge: Edge?
    private let store: TypedFrameStore<Frame<Payload>>?
    private let waker: Waker
    private let run: Run
    private var batch: [EdgeItem<FrameCell>] = []
    private var cursor = 0
    private var used: [FrameCell] = []
    private var hasBegun = false

    init(edge: Edge?, waker: Waker, run: Run) {
        self.edge = edge
        store = edge?.store(for: Payload.self)
        self.waker = waker
        self.run = run
    }

    deinit {
        guard let edge else { return }
        edge.abandon()
        edge.store.discard(batch[cursor...])
        for cell in used { edge.store.free(cell) }
    }

    /// What comes next, without waiting.
    func look() -> Found {
        while true {
            while cursor < batch.count {
                let item = batch[cursor]
                cursor += 1
                switch item {
                case .frame(let cell):
                    guard let store else { continue }
                    used.append(cell)
                    return .frame(store.take(cell))
                case .bound(let stream, let time): return .bound(stream, time)
                case .receipt(let stream, let time): return .bound(stream, time)
                case .end(let stream): return .end(stream)
                case .credit(let credit, let stream): return .credit(credit, stream)
                case .inputEnd, .progress: continue
                }
            }
            batch.removeAll(keepingCapacity: true)
            cursor = 0
            guard let edge, store != nil else { return .finished }
            if !hasBegun {
                hasBegun = true
                edge.beginReading()
            }
            // Looked at first: what comes last comes before the run has ended.
            let hasEnded = run.hasEnded
            switch edge.take(into: &batch, returning: &used) {
            case .items: continue
            case .finished: return .finished
            // It never began, because something could not be opened, or was ended by force.
            case .nothing: return hasEnded ? .finished : .nothing
            }
        }
    }

    /// Waits until something may have come; stops the run when its task is canceled.
    func wait() async {
        await withTaskCancellationHandler {
            await waker.wait(for: nil)
        } onCancel: { [run] in
            run.stop()
        }
    }
}
