/// Reads the output of a node: frames and marks. It takes items from the edge in batches.
///
/// A reader that is deallocated abandons its edge. Only one task or thread may use the reader at a time.
final class ResultReader<Payload: Pipeline.Payload> {
    /// The outcome of looking for an item.
    enum Found {
        case frame(Frame<Payload>)

        /// A mark. The caller must end a credit after it has handled the output before it.
        case mark(Mark)

        case nothing

        /// No more items will follow.
        case finished
    }

    private let edge: Edge?
    private let waker: Waker
    private let run: Run
    private var batch: [EdgeItem<FrameCell>] = []
    private var cursor = 0
    private var used: [FrameCell] = []
    private var hasBegun = false

    init(edge: Edge?, waker: Waker, run: Run) {
        // Frames of another type must not be read as this one.
        self.edge = edge.flatMap { $0.store.carries(Payload.self) ? $0 : nil }
        self.waker = waker
        self.run = run
    }

    deinit {
        guard let edge else { return }
        edge.abandon()
        edge.store.discard(batch[cursor...])
        for cell in used { edge.store.free(cell) }
    }

    /// Returns the next item without waiting.
    func look() -> Found {
        while true {
            while cursor < batch.count {
                let item = batch[cursor]
                cursor += 1
                switch item {
                case .frame(let cell):
                    used.append(cell)
                    return .frame(cell.frame(of: Payload.self).move())
                case .mark(let mark): return .mark(mark)
                }
            }
            batch.removeAll(keepingCapacity: true)
            cursor = 0
            guard let edge else { return .finished }
            if !hasBegun {
                hasBegun = true
                edge.takeEverything(false)
            }
            // Check this before taking: the last items arrive before the run has ended.
            let hasEnded = run.hasEnded
            switch edge.take(into: &batch, returning: &used) {
            case .items: continue
            case .finished: return .finished
            // If the run has ended but the edge has not, then a component could not be opened, or the run was ended by force.
            case .nothing: return hasEnded ? .finished : .nothing
            }
        }
    }

    /// Waits until an item may have arrived. Stops the run if the calling task is canceled.
    func wait() async {
        await withTaskCancellationHandler {
            await waker.wait(for: nil)
        } onCancel: { [run] in
            run.stop()
        }
    }
}
