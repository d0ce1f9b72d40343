import Synchronization

/// The output of a node of a run, as an asynchronous sequence of frames. Iterating it starts the run. A slow reader slows the run
/// down, so that no frame is lost.
///
/// Several results of one run can be read one after the other, or concurrently by several tasks. Until a reader starts, all frames
/// of its result are kept in memory, so that they do not delay the other results.
public struct Results<Payload: Pipeline.Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Payload>

    /// The edge that the results are read from. Without a reader, it is abandoned when nobody can read the results any more.
    private final class Connection: Sendable {
        private struct State {
            var edge: Edge?
            var hasReader = false
        }

        private let run: Run
        private let state = Lock(State())

        init(_ run: Run) { self.run = run }

        deinit {
            guard let edge = state.withLock({ $0.hasReader ? nil : $0.edge }) else { return }
            edge.abandon(.readerGone)
            run.consumerEnded()
        }

        func connect(_ edge: Edge) { state.withLock { $0.edge = edge } }

        /// Returns the edge, only once.
        func takeEdge() -> Edge? {
            state.withLock { state in
                defer { state.hasReader = true }
                return state.hasReader ? nil : state.edge
            }
        }
    }

    private let run: Run
    let waker: Waker
    private let connection: Connection

    init(run: Run, waker: Waker) {
        self.run = run
        self.waker = waker
        connection = Connection(run)
    }

    func connect(_ edge: Edge) { connection.connect(edge) }

    /// Starts the run and returns an iterator over the results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(reader(), run) }

    /// Starts the run and returns a reader of its results, which takes them from now on.
    func makeReader() -> ResultReader<Payload> {
        let reader = reader()
        reader.begin()
        return reader
    }

    private func reader() -> ResultReader<Payload> {
        run.startToBeRead()
        return ResultReader(edge: connection.takeEdge(), waker: waker, run: run)
    }

    /// An iterator over results.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` after the end.
        private var reader: ResultReader<Payload>?
        private let run: Run

        init(_ reader: ResultReader<Payload>, _ run: Run) {
            self.reader = reader
            self.run = run
        }

        /// Returns the next frame, or `nil` at the end of the run. Returns `nil` soon after the calling task was canceled, too; this
        /// reader then has stopped, and the run continues for its other readers and sinks.
        ///
        /// - Throws: The root cause if the run failed. It is thrown only once.
        public mutating func next() async throws -> Frame<Payload>? {
            while let reader {
                if reader.hasNoItems, Task.isCancelled { break }
                switch reader.look() {
                case .frame(let frame): return frame
                // A caller that requests the next frame has finished with the previous one.
                case .mark(.credit(let credit, _)): credit.end()
                case .mark: continue
                case .nothing: await reader.wait { $0.signal() }
                case .finished:
                    guard run.hasEnded || !reader.isConnected else {
                        await reader.wait { $0.signal() }
                        continue
                    }
                    self.reader = nil
                    if let failure = await run.finished().failures.first { throw failure.error }
                }
            }
            reader = nil
            return nil
        }
    }
}
