import Synchronization

/// Runs the chain of a ``NestingStage`` in one segment of a run. Holds the chain's stages, their counters, and their first
/// failure.
// Only the task of the segment accesses it once the run has started. A reload or commit point may do so while the run is frozen.
public final class ChainHost: @unchecked Sendable {
    let slots: [StageSlot]
    let context: SegmentContext
    /// Receives the failures of stages that failed to process a part of a frame.
    let failures = ChainFailures()
    let chainMetrics: ChainMetrics

    /// - Parameter chainMetrics: The counters of the chain, shared by all instances.
    init(_ chain: NestedChain, _ chainMetrics: ChainMetrics, context: SegmentContext) {
        self.context = context
        self.chainMetrics = chainMetrics
        let failures = failures
        slots = zip(chain.nodes, chainMetrics.metrics).map { stage, metrics in
            StageSlot(
                stage.stage,
                NodeAccount(
                    metrics: metrics, policy: stage.onError == .skip ? .skip : .route, monitor: context.monitor,
                    errors: ErrorEnd(failures), isNested: true), context: context)
        }
    }
}

/// The counters of one nested chain, shared by all instances.
final class ChainMetrics: Sendable {
    /// The counters of each stage. Each `id` is the node's `id`, a dot, and the stage's `id`.
    let metrics: [NodeMetrics]

    /// The number of parts of frames that the chain received.
    let given = Counter()

    /// The number of results that were taken from the chain.
    let taken = Counter()

    private let components: [String]
    /// For each stage, whether its failures are skipped, so that the frame does not fail in the stage that runs the chain.
    private let areSkipped: [Bool]

    /// The counters of workers, if there are any.
    private let workers = Lock<[ChainMetrics]>([])

    init(_ chain: NestedChain, of node: Plan.Node) {
        metrics = chain.nodes.map { NodeMetrics(id: "\(node.id).\($0.id)") }
        components = chain.nodes.map(\.component)
        areSkipped = chain.nodes.map { $0.onError == .skip }
    }

    private init(of whole: ChainMetrics, number: Int) {
        metrics = whole.metrics.map { $0.worker(number) }
        (components, areSkipped) = (whole.components, whole.areSkipped)
    }

    /// Returns the counters of one of several workers. After a reload, the worker with the same number continues to use them.
    func worker(_ number: Int) -> ChainMetrics {
        workers.withLock { workers in
            while workers.count <= number { workers.append(ChainMetrics(of: self, number: workers.count)) }
            return workers[number]
        }
    }

    /// Returns the ledger entries of the stages.
    func nodes(in parent: String) -> [Ledger.Node] {
        metrics.indices.map { index in
            var node = Ledger.Node(metrics[index], component: components[index], role: .stage)
            node.parent = parent
            node.failsParent = !areSkipped[index]
            return node
        }
    }

    /// Returns the ledger entry of the chain.
    func chain(in parent: String) -> Ledger.Chain {
        let parts = [self] + workers.withLock { $0 }
        return Ledger.Chain(
            node: parent, stages: metrics.map(\.id), given: parts.reduce(0) { $0 + $1.given.value },
            taken: parts.reduce(0) { $0 + $1.taken.value })
    }
}

/// Keeps the first failure of any stage of a chain until ``check()`` is called.
final class ChainFailures: ReceivingObject {
    typealias Received = FailedFrame

    private var first: (node: String, error: PipelineError)?

    func receive(_ payload: borrowing FailedFrame, _ header: UnsafePointer<FrameHeader>) {
        if first == nil { first = (payload.node, payload.error) }
    }

    /// Throws the failure that was kept, with the name of the stage, and removes it.
    func check() throws(PipelineError) {
        guard let (node, failure) = first else { return }
        first = nil
        var error = failure
        error.message = "\(node): \(error.message)"
        throw error
    }
}
