/// The parts of an assembly by the `id`s of their nodes, so that the assembly of a changed plan can continue with them.
struct AssemblyParts {
    /// An edge between two nodes. `number` counts the edges of the same port between them.
    struct EdgeKey: Hashable {
        let from: String
        let port: Plan.Port
        let to: String
        let number: Int
    }

    /// An edge, and how many frames its node had emitted before.
    struct EdgeEntry {
        let edge: Edge
        let policy: EdgePolicy
        var emittedBefore: Int64 = 0
    }

    /// The join of a task, with everything that it depends on.
    struct InputEntry {
        let input: TaskInput
        let edges: [EdgeKey]
        let lanes: [LanePlace]
        let alignment: Alignment?
    }

    /// The stages of a task.
    struct SegmentEntry {
        /// The nodes, first to last.
        let nodes: [String]
        /// The instances of its stages: one, or one for each worker.
        let bodies: [SegmentBody]
        /// The workers' part, if there are workers.
        var shared: SharedSegmentTask?
    }

    /// An output of a node.
    struct OutletKey: Hashable {
        let node: String
        let port: Plan.Port
    }

    /// Numbers of the nodes that stay the same while the run lasts. A source that was changed gets a new one.
    var numbers: [String: Int] = [:]
    var metrics: [String: NodeMetrics] = [:]
    var chains: [String: ChainAccount] = [:]
    var alignments: [String: AlignmentMetrics] = [:]
    /// The wakers of the tasks, by the first node of each.
    var wakers: [String: Waker] = [:]
    var edges: [EdgeKey: EdgeEntry] = [:]
    var inputs: [String: InputEntry] = [:]
    var ownBounds: [String: OwnBounds] = [:]
    /// The names of the streams that stages have renamed.
    var names: [String: StreamNames] = [:]
    var outlets: [OutletKey: EdgeOutlet] = [:]
    var liveTimes: [String: LiveTime] = [:]
    var progress: [String: Progress] = [:]
    var sources: [String: any HeldSource] = [:]
    var sinks: [String: AnyObject] = [:]
    /// The tasks of asynchronous stages and sinks.
    var tasks: [String: any RunTask] = [:]
    var segments: [String: SegmentEntry] = [:]

    /// The task and the position of a stage.
    func place(of node: String) -> (segment: SegmentEntry, index: Int)? {
        for segment in segments.values {
            if let index = segment.nodes.firstIndex(of: node) { return (segment, index) }
        }
        return nil
    }
}

/// What a reload keeps of a run.
struct Continuation {
    /// The assembly that ran before.
    let assembly: Assembly
    /// The nodes whose configuration did not change.
    let kept: Set<String>

    var parts: AssemblyParts { assembly.parts }
}
