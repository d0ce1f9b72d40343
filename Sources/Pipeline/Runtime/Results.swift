import Synchronization

/// What a node of a run makes, as an asynchronous sequence of frames. Iterating it starts the run; a reader that is slow
/// holds the run back, so that nothing is lost.
public struct Results<Payload: Pipeline.Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Payload>

    private final class Connection: Sendable {
        let edge = Mutex<Edge?>(nil)
    }

    private let run: Run
    let waker: Waker
    private let connection = Connection()

    init(run: Run, waker: Waker) {
        self.run = run
        self.waker = waker
    }

    func connect(_ edge: Edge?) { connection.edge.withLock { $0 = edge } }

    /// Starts the run and reads its results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator {
        run.start()
        return Iterator(edge: connection.edge.withLock { $0 }, waker: waker, run: run)
    }

    /// Reads results, a batch at a time behind the scenes.
    public struct Iterator: AsyncIteratorProtocol {
        /// What was taken from the edge; whoever drops the iterator takes no more.
        private final class Taken {
            let edge: Edge?
            var batch: [EdgeItem<FrameCell>] = []
            var cursor = 0
            var used: [FrameCell] = []

            init(edge: Edge?) { self.edge = edge }

            deinit {
                guard let edge else { return }
                edge.abandon()
                edge.store.discard(batch[cursor...])
                for cell in used { edge.store.free(cell) }
            }
        }

        private let taken: Taken
        private let store: TypedFrameStore<Frame<Payload>>?
        private let waker: Waker
        private let run: Run

        init(edge: Edge?, waker: Waker, run: Run) {
            taken = Taken(edge: edge)
            store = edge?.store(for: Payload.self)
            self.waker = waker
            self.run = run
        }

        /// The next frame, or `nil` at the end of the run.
        ///
        /// - Throws: The run's root cause, when it failed.
        public mutating func next() async throws -> Frame<Payload>? {
            while true {
                while taken.cursor < taken.batch.count {
                    let item = taken.batch[taken.cursor]
                    taken.cursor += 1
                    switch item {
                    case .frame(let cell):
                        guard let store else { continue }
                        taken.used.append(cell)
                        return store.take(cell)
                    // Whoever asks for the next has finished the one before.
                    case .bound(let stream, let time): taken.edge?.reports.finished(stream, time)
                    case .receipt(let stream, let time): taken.edge?.reports.finished(stream, time)
                    case .end(let stream): taken.edge?.reports.ended(stream)
                    }
                }
                taken.batch.removeAll(keepingCapacity: true)
                taken.cursor = 0
                guard let edge = taken.edge, store != nil else { return try await ended() }
                switch edge.take(into: &taken.batch, returning: &taken.used) {
                case .items: continue
                case .finished: return try await ended()
                case .nothing where run.hasEnded:
                    // It never began, because something could not be opened; or what came last came just now.
                    if case .items = edge.take(into: &taken.batch, returning: &taken.used) { continue }
                    return try await ended()
                case .nothing:
                    await withTaskCancellationHandler {
                        await waker.wait(for: nil)
                    } onCancel: { [run] in
                        run.stop()
                    }
                }
            }
        }

        private func ended() async throws -> Frame<Payload>? {
            if let failure = await run.finished().failures.first { throw failure.error }
            return nil
        }
    }
}
