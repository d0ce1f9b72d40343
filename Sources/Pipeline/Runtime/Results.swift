import Synchronization

/// What a node of a run makes, as an asynchronous sequence of frames. Iterating it starts the run; a reader that is slow
/// holds the run back, so that nothing is lost.
public struct Results<Payload: Pipeline.Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Payload>

    private final class Connection: Sendable {
        let edge = Mutex<Edge<Payload>?>(nil)
    }

    private let run: Run
    let waker: Waker
    private let connection = Connection()

    init(run: Run, waker: Waker) {
        self.run = run
        self.waker = waker
    }

    func connect(_ edge: Edge<Payload>?) { connection.edge.withLock { $0 = edge } }

    /// Starts the run and reads its results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator {
        run.start()
        return Iterator(edge: connection.edge.withLock { $0 }, waker: waker, run: run)
    }

    /// Reads results, a batch at a time behind the scenes.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Guard: Sendable {
            let edge: Edge<Payload>?
            init(edge: Edge<Payload>?) { self.edge = edge }
            deinit { edge?.abandon() }
        }

        private let end: Guard
        private let waker: Waker
        private let run: Run
        private var batch: [EdgeItem<Payload>] = []
        private var cursor = 0

        init(edge: Edge<Payload>?, waker: Waker, run: Run) {
            end = Guard(edge: edge)
            self.waker = waker
            self.run = run
        }

        /// The next frame, or `nil` at the end of the run.
        ///
        /// - Throws: The run's root cause, when it failed.
        public mutating func next() async throws -> Frame<Payload>? {
            while true {
                while cursor < batch.count {
                    defer { cursor += 1 }
                    switch batch[cursor] {
                    case .frame(let frame): return frame
                    // Whoever asks for the next has finished the one before.
                    case .bound(let stream, let time): end.edge?.reports.finished(stream, time)
                    case .receipt(let stream, let time): end.edge?.reports.finished(stream, time)
                    case .end(let stream): end.edge?.reports.ended(stream)
                    }
                }
                batch.removeAll(keepingCapacity: true)
                cursor = 0
                guard let edge = end.edge else { return try await ended() }
                switch edge.take(into: &batch) {
                case .items: continue
                case .finished: return try await ended()
                case .nothing where run.hasEnded:
                    // It never began, because something could not be opened; or what came last came just now.
                    if case .items = edge.take(into: &batch) { continue }
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
