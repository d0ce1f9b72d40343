/// A stage of a segment before it has been copied for a stream: the prototype, where its nodes report, and what they need only
/// for as long as a call takes.
// Everything in it is touched by the segment's own task only, once it runs.
final class StageSlot {
    let stage: any Stage
    let metrics: NodeMetrics
    let policy: ErrorPolicy
    let errors: ErrorEnd?
    /// Whether it stands in a chain inside another stage, which answers for what it cannot process.
    let isNested: Bool
    let context: SegmentContext
    /// By how many microseconds output may be stamped earlier than what is processed.
    let earlier: Int64

    /// Where what the stage before it puts out can be seen, where somebody may look.
    var watched: WatchPoint?

    /// Why the stage let the frame at hand go.
    var dropReason: DropReason?
    /// The stamp outside the range allowed that the stage gave.
    var refused = Timestamp.beforeAll
    /// The payload at hand, where it goes on with the error when it cannot be processed.
    var input: (any Payload)?
    /// Of the node that is being timed: when its call began, and what the node before it had spent below.
    var timing: (began: Int64, timeAbove: Int64)?

    init(
        stage: any Stage, metrics: NodeMetrics, policy: ErrorPolicy, errors: ErrorEnd? = nil,
        isNested: Bool = false, context: SegmentContext
    ) {
        self.stage = stage
        self.metrics = metrics
        self.policy = policy
        self.errors = errors
        self.isNested = isNested
        self.context = context
        earlier = max(0, stage.stampsEarlierByUs)
    }

    /// What takes the frames of its nodes.
    var receiver: any Receiver.Type {
        let receiver = Self.receiver(of: stage, keepsInput: policy == .route && !isNested)
        return watched == nil ? receiver : Self.watched(receiver)
    }

    private static func watched<R: Receiver>(_ receiver: R.Type) -> any Receiver.Type { WatchedInput<R>.self }

    private static func receiver<S: Stage>(of stage: S, keepsInput: Bool) -> any Receiver.Type {
        keepsInput ? KeepingInput<S>.self : S.self
    }
}

/// Where a node's frames go that could not be processed.
struct ErrorEnd {
    private let link: AnyLink
    private let held: AnyObject

    init(_ outlet: EdgeOutlet) { self.init(outlet.link, held: outlet) }

    /// - Parameter held: What stands behind the link.
    init(_ link: AnyLink, held: AnyObject) { (self.link, self.held) = (link, held) }

    init(_ object: some ReceivingObject<FailedFrame>) {
        link = AnyLink(object)
        held = object
    }

    func receive(_ frame: Frame<FailedFrame>) { link.carrying(FailedFrame.self).pass(frame) }
}

extension PipelineError {
    /// Two nodes were joined whose types do not fit: a defect of the checker.
    static func mistypedEdge(_ node: String) -> PipelineError {
        PipelineError(.defect, "graph.mistyped_edge", "\(node) was joined to a node that does not take what it makes")
    }
}
