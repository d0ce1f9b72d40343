/// The parts of an assembly by the `id`s of their nodes, so that the assembly of a changed plan can take them over.
struct AssemblyParts {
    /// The identity of an edge between two nodes. `number` distinguishes several edges from the same port.
    struct EdgeKey: Hashable {
        let from: String
        let port: Plan.Port
        let to: String
        let number: Int
    }

    /// An edge, and the number of frames that its producer had emitted before the edge was created.
    struct EdgeEntry {
        let edge: Edge
        let policy: EdgePolicy
        var emittedBefore: Int64 = 0
    }

    /// The input of a task, with everything that its join depends on.
    struct InputEntry {
        let input: TaskInput
        let edges: [EdgeKey]
        let lanes: [LaneTraits]
        let alignment: Alignment?
    }

    /// The stages of a task.
    struct SegmentEntry {
        /// The nodes, first to last.
        let nodes: [String]
        /// The bodies that run the stages: one, or one for each worker.
        let bodies: [SegmentBody]
        /// The task that the workers share, if there are workers.
        var shared: SharedSegmentTask?
    }

    /// The numbers of the nodes. A number stays the same while the run lasts, except that a changed source gets a new number.
    var numbers: [String: Int] = [:]
    var metrics: [String: NodeMetrics] = [:]
    /// The counters of nested chains, by the node that runs the chain.
    var chains: [String: ChainMetrics] = [:]
    /// The counters of the aligned inputs.
    var alignments: [String: AlignmentMetrics] = [:]
    /// The wakers of the tasks, by the first node of each task.
    var wakers: [String: Waker] = [:]
    var edges: [EdgeKey: EdgeEntry] = [:]
    var inputs: [String: InputEntry] = [:]
    var ownBounds: [String: OwnWatermarks] = [:]
    /// The records of stages that rename streams.
    var names: [String: RenamedStreams] = [:]
    /// The records of the frames from which stages made their output.
    var causes: [String: OutputCauses] = [:]
    /// The outlets, by the name of the output as a configuration writes it.
    var outlets: [String: EdgeOutlet] = [:]
    /// The times of each source's streams, in a live run.
    var liveTimes: [String: LiveTime] = [:]
    var progress: [String: Progress] = [:]
    var sources: [String: any ReloadableSource] = [:]
    var sinks: [String: AnyObject] = [:]
    /// The tasks of asynchronous stages and sinks.
    var tasks: [String: any RunTask] = [:]
    var segments: [String: SegmentEntry] = [:]

    /// Returns the segment and the position of a stage.
    func place(of node: String) -> (segment: SegmentEntry, index: Int)? {
        for segment in segments.values {
            if let index = segment.nodes.firstIndex(of: node) { return (segment, index) }
        }
        return nil
    }
}

/// The parts of a run that a reload keeps.
struct Continuation {
    /// The assembly that ran before.
    let assembly: Assembly
    /// The nodes whose configuration did not change.
    let kept: Set<String>

    var parts: AssemblyParts { assembly.parts }
}
