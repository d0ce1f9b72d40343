import Synchronization

/// What runs the chain of a ``NestingStage`` in one segment of a run: its stages, and where they report.
// Everything in it is touched by the segment's own task only, once it runs.
public final class ChainHost: @unchecked Sendable {
    let slots: [StageSlot]
    let context: SegmentContext
    /// Where stages report that a part of a frame cannot be processed.
    let failures = ChainFailures()
    let account: ChainAccount

    /// - Parameter account: What is counted of the chain, all copies together.
    init(_ chain: NestedChain, _ account: ChainAccount, context: SegmentContext) {
        self.context = context
        self.account = account
        let failures = failures
        slots = zip(chain.nodes, account.metrics).map { stage, metrics in
            StageSlot(
                stage: stage.stage, metrics: metrics, policy: stage.onError == .skip ? .skip : .route,
                errors: ErrorEnd(failures), isNested: true, context: context)
        }
    }
}

/// What is counted of one nested chain, all copies of it together.
final class ChainAccount: Sendable {
    /// What each stage counts, under the node's id and its own.
    let metrics: [NodeMetrics]

    /// Parts of frames given to the chain.
    let given = Counter()

    /// What it put out.
    let taken = Counter()

    private let components: [String]
    private let areSkipped: [Bool]

    /// What workers count, if there are such.
    private let workers = Lock<[ChainAccount]>([])

    init(_ chain: NestedChain, of node: Plan.Node) {
        metrics = chain.nodes.map { NodeMetrics(id: "\(node.id).\($0.id)") }
        components = chain.nodes.map(\.component)
        areSkipped = chain.nodes.map { $0.onError == .skip }
    }

    private init(of whole: ChainAccount) {
        metrics = whole.metrics.map { $0.makeWorker() }
        (components, areSkipped) = (whole.components, whole.areSkipped)
    }

    /// What one more worker counts.
    func makeWorker() -> ChainAccount {
        let worker = ChainAccount(of: self)
        workers.withLock { $0.append(worker) }
        return worker
    }

    /// The accounts of the stages, for the ledger.
    func nodes(in parent: String) -> [Ledger.Node] {
        metrics.indices.map { index in
            var node = Ledger.Node(metrics[index], component: components[index], role: .stage)
            node.parent = parent
            node.failsParent = !areSkipped[index]
            return node
        }
    }

    /// The chain, for the ledger.
    func chain(in parent: String) -> Ledger.Chain {
        let parts = [self] + workers.withLock { $0 }
        return Ledger.Chain(
            node: parent, stages: metrics.map(\.id), given: parts.reduce(0) { $0 + $1.given.value },
            taken: parts.reduce(0) { $0 + $1.taken.value })
    }
}

/// Keeps what a stage of a chain could not process, until whoever runs the chain asks.
final class ChainFailures: ReceivingObject {
    typealias Received = FailedFrame

    private var first: (node: String, error: PipelineError)?

    func receive(_ payload: __owned FailedFrame, _ header: UnsafePointer<FrameHeader>) {
        if first == nil { first = (payload.node, payload.error) }
    }

    /// Throws what was kept, naming the stage, and forgets it.
    func check() throws(PipelineError) {
        guard let (node, failure) = first else { return }
        first = nil
        var error = failure
        error.message = "\(node): \(error.message)"
        throw error
    }
}
