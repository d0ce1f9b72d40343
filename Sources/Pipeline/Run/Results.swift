import Synchronization

/// The output of a node of a run, as an asynchronous sequence of frames. Iterating it starts the run. A slow reader slows the run
/// down, so that no frame is lost.
///
/// Several results of one run can be read one after the other, or concurrently by several tasks. Until a reader starts, all frames
/// of its result are kept in memory, so that they do not delay the other results.
public struct Results<Payload: Pipeline.Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Payload>

    private final class Connection: Sendable {
        let edge = Lock<Edge?>(nil)
    }

    private let run: Run
    let waker: Waker
    private let connection = Connection()

    init(run: Run, waker: Waker) {
        self.run = run
        self.waker = waker
    }

    func connect(_ edge: Edge?) { connection.edge.withLock { $0 = edge } }

    /// Starts the run and returns an iterator over the results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(makeReader(), run) }

    /// Starts the run and returns a reader of its results.
    func makeReader() -> ResultReader<Payload> {
        run.start()
        return ResultReader(edge: connection.edge.withLock { $0 }, waker: waker, run: run)
    }

    /// An iterator over results.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: ResultReader<Payload>
        private let run: Run

        init(_ reader: ResultReader<Payload>, _ run: Run) {
            self.reader = reader
            self.run = run
        }

        /// Returns the next frame, or `nil` at the end of the run.
        ///
        /// - Throws: The root cause if the run failed.
        public mutating func next() async throws -> Frame<Payload>? {
            while true {
                switch reader.look() {
                case .frame(let frame): return frame
                // A caller that requests the next frame has finished with the previous one.
                case .mark(.credit(let credit, _)): credit.end()
                case .mark: continue
                case .nothing: await reader.wait()
                case .finished:
                    if let failure = await run.finished().failures.first { throw failure.error }
                    return nil
                }
            }
        }
    }
}
