/// A stage of a segment, shared by all streams: the prototype that is copied for each stream, or the one instance of a stateless
/// stage, and the state that its nodes need only during a call.
// Only the task of the segment accesses it once the run has started.
final class StageSlot: StageCall {
    let stage: any Stage
    let policy: ErrorPolicy
    let errors: ErrorEnd?
    /// The instance that all streams share, if the stage is stateless.
    let shared: UnsafeMutableRawPointer?
    /// Whether the stage is part of a nested chain. The stage that runs the chain then handles its failures.
    let isNested: Bool

    /// The point at which the output of the previous stage can be watched; `nil` if it cannot.
    var watched: WatchPoint?

    /// The payload being processed, kept if failures are routed.
    var input: (any Payload)?
    /// For the node being timed: the start of the call, and the time that the calling node had already spent in nodes downstream.
    var timing: (began: Int64, timeAbove: Int64)?

    init(
        stage: any Stage, metrics: NodeMetrics, policy: ErrorPolicy, errors: ErrorEnd? = nil,
        isNested: Bool = false, context: SegmentContext
    ) {
        self.stage = stage
        self.policy = policy
        self.errors = errors
        self.isNested = isNested
        shared = stage.isStateless ? stage.allocated() : nil
        super.init(metrics: metrics, context: context, earlier: max(0, stage.stampsEarlierByUs))
    }

    deinit {
        guard let shared else { return }
        type(of: stage).deinitialize(shared)
        shared.deallocate()
    }

    /// Whether the payload of a frame is kept while the stage processes it, so that a routed failure contains it.
    var keepsInput: Bool { policy == .route && !isNested }

    /// The type that receives the frames of the stage's nodes.
    var receiver: any Receiver.Type {
        let isAttended = watched != nil || causes != nil || keepsInput
        return isAttended ? type(of: stage).attendedReceiver : type(of: stage).plainReceiver
    }

    /// Reports a failure. If the policy is `fail`, the segment then processes no more frames.
    ///
    /// - Parameter isOfFrame: Whether a frame failed, as opposed to a wake-up or the end of a stream.
    func tell(_ failed: Frame<FailedFrame>, isOfFrame: Bool) {
        let isKept = context.keepsReports
        if isKept, policy == .route { errors?.receive(failed) }
        context.tell(
            .failure(
                StageReport.Failure(
                    frame: failed, isOfFrame: isOfFrame, isNested: isNested, policy: policy, metrics: metrics,
                    errors: isKept ? nil : errors)))
        if policy == .fail { context.hasFailed = true }
    }
}

extension Stage {
    fileprivate static var plainReceiver: any Receiver.Type { Self.self }
    fileprivate static var attendedReceiver: any Receiver.Type { AttendedStage<Self>.self }

    /// Returns new memory with a copy of the stage.
    fileprivate func allocated() -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(Self.size, 1), alignment: Self.alignment)
        initialize(at: memory)
        return memory
    }
}

extension PipelineError {
    /// Creates the error for two connected nodes whose types do not match. This is a defect of the checker.
    ///
    /// - Parameter node: The `id` of either node.
    static func mistypedEdge(_ node: String) -> PipelineError {
        PipelineError(.defect, "graph.mistyped_edge", "\(node) was connected to a node of another payload type")
    }
}
