/// A checked graph that is ready to run: every component is created, and every edge is typed.
///
/// Nodes are in topological order: an edge leads from an earlier node to a later one.
public struct Plan: Sendable {
    /// The component of a node.
    public enum Body: Sendable {
        case source(any Source, SourceRules)
        case stage(any Stage)
        case asyncStage(any AsyncStage)
        case sink(any Sink)
    }

    /// One component of the graph.
    public struct Node: Sendable {
        /// The node's `id`, unique in the graph.
        public var id: String

        /// The component's name in the registry.
        public var component: String

        /// The component itself.
        public var body: Body

        /// The port type of the input; `nil` for a source.
        public var input: PortType?

        /// The port type of the output; `nil` for a sink.
        public var output: PortType?

        /// The incoming edges, in the order of `from`. Frames of several edges are merged by timestamp.
        public var edges: [Edge]

        /// What happens to a frame that cannot be processed.
        public var onError: ErrorPolicy

        /// The number of workers that share the streams of this stage and of the stages that it calls directly; `nil` for no
        /// workers. A stage with workers begins a new task. Results do not depend on the number.
        public var workers: Int?

        /// The position in the configuration.
        public var span: SourceSpan?

        /// Creates a node.
        public init(
            id: String, component: String, body: Body, input: PortType? = nil, output: PortType? = nil,
            edges: [Edge] = [], onError: ErrorPolicy = .fail
        ) {
            self.id = id
            self.component = component
            self.body = body
            self.input = input
            self.output = output
            self.edges = edges
            self.onError = onError
        }
    }

    /// The output of a node that an edge leaves from.
    public enum Port: Sendable, Hashable {
        /// The regular output.
        case output

        /// The frames that the node could not process (`from: <id>.errors`).
        case errors
    }

    /// A connection, stored at its receiving node.
    public struct Edge: Sendable {
        /// The index of the sending node.
        public var from: Int

        /// The output that the edge leaves from.
        public var port: Port

        /// The capacity, and what happens when the edge is full.
        public var policy: EdgePolicy

        /// Whether the configuration specifies a policy. If so, the edge is a queue even where a direct call would be enough.
        public var isExplicit: Bool

        /// Creates an edge.
        public init(from: Int, port: Port = .output, policy: EdgePolicy = EdgePolicy(), isExplicit: Bool = false) {
            self.from = from
            self.port = port
            self.policy = policy
            self.isExplicit = isExplicit
        }
    }

    /// The pipeline's name.
    public var name: String

    /// Whether the pipeline runs in batch or live mode, which decides how it treats time and loss.
    public var mode: Mode

    /// The nodes, each after all nodes that it receives frames from.
    public var nodes: [Node]

    /// The maximum time that a run may take to drain after it was told to stop, in milliseconds.
    public var shutdownTimeoutMs: Int

    /// The maximum number of streams for which a segment keeps stage instances.
    public var maxStreams: Int

    /// The time without frames after which a stream ends, in milliseconds; `nil` for never. The time is measured by the timestamps
    /// of the frames that the stream's source emits meanwhile, so it does not pass while the source emits nothing.
    public var streamIdleMs: Double?

    /// The allowed lateness in milliseconds: how far a live stream's watermark stays behind the stream's time.
    public var latenessMs = 50.0

    /// What happens to a late frame: a frame at or before the watermark of its live stream.
    public var onLate = LatePolicy.drop

    /// Creates a plan.
    public init(
        name: String = "pipeline", mode: Mode = .batch, nodes: [Node], shutdownTimeoutMs: Int = 5000,
        maxStreams: Int = 10_000, streamIdleMs: Double? = nil
    ) {
        self.name = name
        self.mode = mode
        self.nodes = nodes
        self.shutdownTimeoutMs = shutdownTimeoutMs
        self.maxStreams = maxStreams
        self.streamIdleMs = streamIdleMs
    }
}

extension Plan.Node {
    /// The source; `nil` if the node is not one.
    package var source: (any Source)? { if case .source(let source, _) = body { source } else { nil } }

    /// The stage; `nil` if the node is not one, or is an asynchronous stage.
    package var stage: (any Stage)? { if case .stage(let stage) = body { stage } else { nil } }

    /// How the node aligns its edges; `nil` if it does not take sets of frames.
    package var alignment: Alignment? { (stage as? any AlignedStage)?.alignment }
}

extension Plan {
    /// Returns the index of the source or stage with an `id`.
    ///
    /// - Throws: A configuration error if there is none, or if it emits another payload type.
    func node<P: Payload>(_ id: String, making payload: P.Type) throws -> Int {
        guard let index = nodes.firstIndex(where: { $0.id == id }), let output = nodes[index].output else {
            throw PipelineError(
                .configuration, "run.no_such_node", "there is no source or stage \"\(id)\"",
                help: "sources and stages: " + nodes.filter { $0.output != nil }.map(\.id).joined(separator: ", "))
        }
        guard output.isSamePayload(as: PortType(P.self)) else {
            throw PipelineError(
                .configuration, "run.wrong_payload", "\(id) makes \(output.kind), not \(P.kind)")
        }
        return index
    }

    /// Returns an unused `id`: the given one, or the given one with a number from 2 on.
    package func freeID(like id: String) -> String {
        let taken = Set(nodes.map(\.id))
        guard taken.contains(id) else { return id }
        var number = 2
        while taken.contains("\(id)-\(number)") { number += 1 }
        return "\(id)-\(number)"
    }
}
