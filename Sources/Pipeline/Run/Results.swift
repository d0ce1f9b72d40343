import Synchronization

/// What a node of a run makes, as an asynchronous sequence of frames. Iterating it starts the run; a reader that is slow
/// holds the run back, so that nothing is lost.
///
/// Several results of one run can be read one after the other, or by several tasks at a time. What comes of one that nobody
/// has begun to read is kept in memory, all of it, so that it does not hold up the others.
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

    /// Starts the run and reads its results. Only one iterator may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(makeReader(), run) }

    /// Starts the run, and gives what reads its results.
    func makeReader() -> ResultReader<Payload> {
        run.start()
        return ResultReader(edge: connection.edge.withLock { $0 }, waker: waker, run: run)
    }

    /// Reads results, a batch at a time behind the scenes.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: ResultReader<Payload>
        private let run: Run

        init(_ reader: ResultReader<Payload>, _ run: Run) {
            self.reader = reader
            self.run = run
        }

        /// The next frame, or `nil` at the end of the run.
        ///
        /// - Throws: The run's root cause, when it failed.
        public mutating func next() async throws -> Frame<Payload>? {
            while true {
                switch reader.look() {
                case .frame(let frame): return frame
                // Whoever asks for the next has finished the one before.
                case .credit(let credit, _): credit.end()
                case .bound, .end: continue
                case .nothing: await reader.wait()
                case .finished:
                    if let failure = await run.finished().failures.first { throw failure.error }
                    return nil
                }
            }
        }
    }
}
