/// The output of a graph's node: a handle for adding nodes, and an asynchronous sequence of frames.
///
/// ```swift
/// let vectors = strokes.through(Resample(points: 64)).through(Normalize()).through(Vectorize())
/// for try await frame in vectors { … }
/// print(try await vectors.report().ledger)
/// ```
///
/// Reading the sequence runs the graph. A slow reader slows the graph down, and no frame is lost. To read the output of several
/// nodes, request each with ``results()`` before reading any. A graph without sinks stops when all readers have stopped.
public struct Flow<Output: Payload>: AsyncSequence, Sendable {
    public typealias Element = Frame<Output>

    /// The graph that the flow belongs to.
    public let graph: Graph

    let node: Int

    // MARK: Building

    /// Adds a stage that processes the flow's frames.
    ///
    /// - Parameters:
    ///   - stage: The stage. Every stream gets its own instance, unless the stage is stateless.
    ///   - id: The node's name in the ledger. By default, the name of the stage; further stages with the same name are numbered
    ///     from 2.
    ///   - onError: What happens to a frame that cannot be processed. By default, the run fails; in a live run, the frame is
    ///     skipped.
    ///   - edge: The policy of a queue before the stage. By default, there is a queue only where the graph needs one.
    ///   - workers: The number of workers, 1 to 256, that share the streams of this stage and of the following stages up to the
    ///     next queue. Results do not depend on the number. By default, there are no workers, and the stage may run in the same
    ///     task as the stages before it.
    public func through<S: Stage>(
        _ stage: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil, workers: Int? = nil
    ) -> Flow<S.Output> where S.Input == Output {
        let component = Graph.name(of: S.self)
        let flow = graph.stage(
            stage, behind: [self], id: id ?? component, component: component, onError: onError, edge: edge)
        if let workers { graph.share(flow.node, among: workers) }
        return flow
    }

    /// Adds an asynchronous stage that processes the flow's frames, with a queue before and after it.
    // Disfavored, so that the compiler's error about a stage of another payload is about `Stage`.
    @_disfavoredOverload
    public func through<S: AsyncStage>(
        _ stage: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil
    ) -> Flow<S.Output> where S.Input == Output {
        graph.stage(stage, behind: self, id: id ?? Graph.name(of: S.self), onError: onError, edge: edge)
    }

    /// Adds the stages of a chain, which process the flow's frames.
    public func through<Last: Payload>(_ chain: StageChain<Output, Last>) -> Flow<Last> { chain.append(to: self) }

    /// Adds a sink that receives the flow's frames.
    public func into<S: Sink>(
        _ sink: S, id: String? = nil, onError: ErrorPolicy? = nil, edge: EdgePolicy? = nil
    ) where S.Input == Output {
        graph.sink(sink, behind: self, id: id ?? Graph.name(of: S.self), onError: onError, edge: edge)
    }

    /// Returns the frames that the node could not process. Calling this method sets the node's error policy to `route`.
    public func errors() -> Flow<FailedFrame> { graph.errors(of: node) }

    // MARK: Reading

    /// Returns the frames as a sequence that can be read together with other results of the same graph.
    ///
    /// - Throws: A configuration error if the graph is invalid or already running.
    public func results() throws -> Results<Output> {
        try graph.run().results(ofNode: node)
    }

    /// Runs the graph to its end and returns the report with the ledger. If results are being read, this returns only after they
    /// have been read to the end.
    public func report() async throws -> RunReport { try await graph.report() }

    public func makeAsyncIterator() -> Iterator {
        Iterator(Result { try results() })
    }

    /// An iterator over the frames.
    public struct Iterator: AsyncIteratorProtocol {
        private var reading: Result<Results<Output>.Iterator, any Error>
        private var hasEnded = false

        fileprivate init(_ results: Result<Results<Output>, any Error>) {
            reading = results.map { $0.makeAsyncIterator() }
        }

        /// Returns the next frame, or `nil` at the end of the run.
        ///
        /// - Throws: A configuration error if the graph is invalid, or, after all earlier frames, the root cause if the run failed.
        ///   An error is thrown only once.
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
}
