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
    private var hasSignedOff = false

    init(edge: Edge?, waker: Waker, run: Run) {
        // Frames of another type must not be read as this one.
        self.edge = edge.flatMap { $0.store.carries(Payload.self) ? $0 : nil }
        self.waker = waker
        self.run = run
    }

    deinit {
        guard let edge else { return }
        edge.abandon(.readerGone)
        signOff()
        edge.store.discard(batch[cursor...])
        for cell in used { edge.store.free(cell) }
    }

    /// Whether there is anything to read: not if the run could not start, or if another reader has the edge.
    var isConnected: Bool { edge != nil }

    /// Whether the next item must be taken from the edge.
    var hasNoItems: Bool { cursor == batch.count }

    /// Limits what waits for the reader: until now, its edge took everything.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        edge?.takeEverything(false)
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
            begin()
            // Check this before taking: the last items arrive before the run has ended.
            let hasEnded = run.hasEnded
            switch edge.take(into: &batch, returning: &used) {
            case .items: continue
            case .finished:
                signOff()
                return .finished
            // If the run has ended but the edge has not, then a component could not be opened, or the run was ended by force.
            case .nothing: return hasEnded ? .finished : .nothing
            }
        }
    }

    /// Tells the run that this reader needs nothing more.
    private func signOff() {
        if hasSignedOff { return }
        hasSignedOff = true
        run.consumerEnded()
    }

    /// Waits until an item may have arrived, or the run has ended.
    ///
    /// - Parameter body: Called if the calling task is canceled, with the waker that ends the wait.
    func wait(onCancel body: @Sendable (Waker) -> Void) async {
        await withTaskCancellationHandler {
            await waker.wait(for: nil)
        } onCancel: { [waker] in
            body(waker)
        }
    }
}
