/// A stage of a segment, shared by all streams: the prototype that is copied for each stream, or the one instance of a stateless
/// stage, and the state that its nodes need only during a call.
// Only the task of the segment accesses it once the run has started.
final class StageSlot: StageCall {
    let stage: any Stage
    /// The instance that all streams share, if the stage is stateless.
    let shared: UnsafeMutableRawPointer?

    /// The point at which the output of the previous stage can be watched; `nil` if it cannot.
    var watched: WatchPoint?

    /// The payload being processed, kept if failures are routed.
    var input: (any Payload)?
    /// For the node being timed: the start of the call, and the time that the calling node had already spent in nodes downstream.
    var timing: (began: Int64, timeAbove: Int64)?

    init(_ stage: any Stage, _ account: NodeAccount, context: SegmentContext) {
        self.stage = stage
        shared = stage.isStateless ? stage.allocated() : nil
        var account = account
        account.context = context
        super.init(
            account, context: context, earlier: max(0, stage.stampsEarlierByUs), renamesStreams: stage.renamesStreams)
    }

    deinit {
        guard let shared else { return }
        type(of: stage).deinitialize(shared)
        shared.deallocate()
    }

    /// Whether the payload of a frame is kept while the stage processes it, so that a routed failure contains it.
    var keepsInput: Bool { account.policy == .route && !account.isNested }

    /// The type that receives the frames of the stage's nodes.
    var receiver: any Receiver.Type {
        let isAttended = watched != nil || causes != nil || keepsInput
        return isAttended ? type(of: stage).attendedReceiver : type(of: stage).plainReceiver
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
