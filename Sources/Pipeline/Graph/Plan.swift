/// A checked graph, ready to run: every component made, every edge typed.
///
/// Nodes stand in topological order: an edge leads from an earlier node to a later one.
public struct Plan: Sendable {
    /// What stands behind a node.
    public enum Body: Sendable {
        case source(any Source, SourceRules)
        case stage(any Stage)
        case asyncStage(any AsyncStage)
        case sink(any Sink)
    }

    /// One component of the graph.
    public struct Node: Sendable {
        /// Its `id`, unique in the graph.
        public var id: String

        /// The component's name in the registry.
        public var component: String

        /// What stands behind it.
        public var body: Body

        /// What it takes; `nil` for a source.
        public var input: PortType?

        /// What it makes; `nil` for a sink.
        public var output: PortType?

        /// Where its frames come from, in the order of `from`. Several are merged by timestamp.
        public var edges: [Edge]

        /// What becomes of a frame that cannot be processed.
        public var onError: ErrorPolicy

        /// How many workers share the streams of a stage, and of those that it calls directly. A stage that has this begins a task of
        /// its own. Results do not depend on the number.
        public var workers: Int?

        /// Where it stands in the configuration.
        public var span: SourceSpan?

        /// Makes a node.
        public init(
            id: String, component: String, body: Body, input: PortType? = nil, output: PortType? = nil,
            edges: [Edge] = [], onError: ErrorPolicy = .fail, span: SourceSpan? = nil
        ) {
            self.id = id
            self.component = component
            self.body = body
            self.input = input
            self.output = output
            self.edges = edges
            self.onError = onError
            self.span = span
        }
    }

    /// Which of a node's outputs an edge leaves from.
    public enum Port: Sendable, Hashable {
        /// What it makes.
        case output

        /// The frames it could not process (`from: <id>.errors`).
        case errors
    }

    /// A connection, as seen from its receiving end.
    public struct Edge: Sendable {
        /// The index of the node it leaves from.
        public var from: Int

        /// Which output it leaves from.
        public var port: Port

        /// How it behaves when full.
        public var policy: EdgePolicy

        /// Whether the configuration gave a policy, so that the edge must exist even where nodes could be fused.
        public var isExplicit: Bool

        /// Makes an edge.
        public init(from: Int, port: Port = .output, policy: EdgePolicy = EdgePolicy(), isExplicit: Bool = false) {
            self.from = from
            self.port = port
            self.policy = policy
            self.isExplicit = isExplicit
        }
    }

    /// The pipeline's name.
    public var name: String

    /// How time and loss are treated.
    public var mode: Mode

    /// The nodes, each behind all that it takes from.
    public var nodes: [Node]

    /// How long a run may take to drain after it was told to stop, in milliseconds.
    public var shutdownTimeoutMs: Int

    /// How many streams a segment keeps copies of.
    public var maxStreams: Int

    /// After how much time without a frame a stream ends, by what its own source has brought, in milliseconds; `nil` for never.
    public var streamIdleMs: Double?

    /// How long the time of a live stream waits for frames that are under way, in milliseconds.
    public var latenessMs = 50.0

    /// What becomes of a frame that comes at or before a time that its live stream has passed.
    public var onLate = LatePolicy.drop

    /// Makes a plan.
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

extension Plan {
    /// The source or stage of an `id`.
    ///
    /// - Throws: A configuration error when there is none, or it makes another payload.
    func node<P: Payload>(_ id: String, making payload: P.Type) throws -> Int {
        guard let index = nodes.firstIndex(where: { $0.id == id }), let output = nodes[index].output else {
            throw PipelineError(
                .configuration, "run.no_such_node", "there is no source or stage \"\(id)\"",
                help: "there are " + nodes.filter { $0.output != nil }.map(\.id).joined(separator: ", "))
        }
        guard output.isSamePayload(as: PortType(P.self)) else {
            throw PipelineError(
                .configuration, "run.wrong_payload", "\(id) makes \(output.kind), not \(P.kind)")
        }
        return index
    }

    /// An `id` that no node has: the one given, or it with a number from 2 on.
    package func freeID(like id: String) -> String {
        let taken = Set(nodes.map(\.id))
        guard taken.contains(id) else { return id }
        var number = 2
        while taken.contains("\(id)-\(number)") { number += 1 }
        return "\(id)-\(number)"
    }
}
