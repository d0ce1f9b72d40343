/// What a node of a graph makes: a handle to build on, and an asynchronous sequence of its frames.
///
/// ```swift
/// let vectors = strokes.through(Resample(points: 64)).through(Normalize()).through(Vectorize())
/// for try await frame in vectors { … }
/// print(try await vectors.report().ledger)
/// ```
///
/// Reading it runs the graph. A reader that is slow holds the graph back, so that nothing is lost; where several results
/// are to be read, ask for each with ``results()`` before you begin. When all readers have left and there is no sink, the
/// run ends.
public struct Flow<Output: Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Output>

    /// The graph that it belongs to.
    public let graph: Graph

    let node: Int

    // MARK: Building

    /// Adds a stage behind it.
    ///
    /// - Parameters:
    ///   - stage: Every stream gets an instance of its own.
    ///   - id: Its name in the ledger; by default that of the stage, numbered from the second of a name on.
    ///   - onError: What becomes of a frame that cannot be processed; by default it fails the run, or is skipped in a live one.
    ///   - edge: A queue of this policy in front of it; by default there is one only where the graph needs it.
    ///   - workers: How many workers share its streams, 1 to 256, and those of the stages behind it up to the next queue. Results do
    ///     not depend on the number. By default there are none, and the stage may run in one task with those before it.
    public func through<S: Stage>(
        _ stage: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil, workers: Int? = nil
    ) -> Flow<S.Output> where S.Input == Output {
        let component = Graph.name(of: S.self)
        let flow = graph.stage(
            stage, behind: [self], id: id ?? component, component: component, onError: onError, edge: edge)
        if let workers { graph.share(flow.node, among: workers) }
        return flow
    }

    /// Adds an asynchronous stage behind it, with a queue on either side.
    public func through<S: AsyncStage>(
        _ stage: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil
    ) -> Flow<S.Output> where S.Input == Output {
        graph.stage(stage, behind: self, id: id ?? Graph.name(of: S.self), onError: onError, edge: edge)
    }

    /// Adds the stages of a chain behind it.
    public func through<Last: Payload>(_ chain: StageChain<Output, Last>) -> Flow<Last> { chain.append(to: self) }

    /// Adds a sink behind it.
    public func into<S: Sink>(
        _ sink: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil
    ) where S.Input == Output {
        graph.sink(sink, behind: self, id: id ?? Graph.name(of: S.self), onError: onError, edge: edge)
    }

    /// The frames that the node could not process. To ask for them makes the node route its errors here.
    public func errors() -> Flow<FailedFrame> { graph.errors(of: node) }

    // MARK: Reading

    /// The frames, to be read beside other results of the same graph.
    ///
    /// - Throws: A configuration error when the graph is wrong, or runs already.
    public func results() throws -> Results<Output> {
        try graph.run().results(ofNode: node)
    }

    /// The report of the run with its ledger, once it has ended. What is read of it must be read to the end.
    public func report() async throws -> RunReport { try await graph.report() }

    public func makeAsyncIterator() -> Iterator {
        Iterator(Result { try results() }, graph)
    }

    /// Reads results.
    public struct Iterator: AsyncIteratorProtocol {
        private var reading: Result<Results<Output>.Iterator, any Error>
        private var hasEnded = false
        private let presence: Presence

        fileprivate init(_ results: Result<Results<Output>, any Error>, _ graph: Graph) {
            presence = Presence(graph)
            reading = results.map { $0.makeAsyncIterator() }
        }

        /// The next frame, or `nil` at the end of the run.
        ///
        /// - Throws: Once, what is wrong with the graph; or the root cause when the run failed, after all that came
        ///   before it.
        public mutating func next() async throws -> Frame<Output>? {
            if hasEnded { return nil }
            hasEnded = true
            var iterator = try reading.get()
            let frame = try await iterator.next()
            reading = .success(iterator)
            hasEnded = frame == nil
            return frame
        }
    }

    /// Tells the graph that somebody reads, for as long as it lives.
    private final class Presence: Sendable {
        private let graph: Graph

        init(_ graph: Graph) {
            self.graph = graph
            graph.readerBegan()
        }

        deinit { graph.readerEnded() }
    }
}
