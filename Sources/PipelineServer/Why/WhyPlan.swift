import Pipeline
import PipelineComponents
import Stages

/// A plan that reproduces a result: its node and everything upstream of it, with sources that emit kept frames.
struct WhyPlan {
    /// The plan to run.
    let plan: Plan
    /// For each node of ``plan`` except the added sink, its index in the original plan.
    let places: [Int]

    /// Returns the reason why the results of a node cannot be reproduced; `nil` if they can.
    static func problem(_ whole: Plan, _ node: Int) -> String? {
        for index in ancestors(of: node, whole) {
            if case .asyncStage = whole.nodes[index].body {
                return "\(whole.nodes[index].id) waits for another program, and its requests cannot be repeated"
            }
        }
        return nil
    }

    /// Returns the sources upstream of a node.
    static func sources(of node: Int, _ whole: Plan) -> [Int] {
        ancestors(of: node, whole).filter { whole.nodes[$0].edges.isEmpty }
    }

    private static func ancestors(of node: Int, _ whole: Plan) -> [Int] {
        var wanted: Set<Int> = [node]
        // Nodes are in topological order: every edge leads from an earlier node to a later one.
        for index in whole.nodes.indices.reversed() where wanted.contains(index) {
            wanted.formUnion(whole.nodes[index].edges.map(\.from))
        }
        return wanted.sorted()
    }

    /// Creates the plan.
    ///
    /// - Parameter inputs: The frames of each source, by its index in `whole`.
    init(_ whole: Plan, to result: KeptResult, inputs: [Int: [WatchedFrame]]) {
        let places = Self.ancestors(of: result.node, whole)
        let span = whole.mode == .live ? Self.span(of: inputs, to: result.timestamp) : nil
        var nodes: [Plan.Node] = []
        for place in places {
            var made = whole.nodes[place]
            made.onError = made.onError == .route ? .route : .skip
            made.edges = made.edges.compactMap { edge in
                places.firstIndex(of: edge.from).map { Plan.Edge(from: $0, port: edge.port) }
            }
            if made.edges.isEmpty, let output = made.output {
                made.body = .source(
                    Self.source(output.payload, inputs[place] ?? [], output, span),
                    SourceRules(onDisorder: .newEpoch, maxJump: .max))
            }
            nodes.append(made)
        }
        if let output = whole.nodes[result.node].output {
            nodes.append(
                Plan.Node(
                    id: whole.freeID(like: "end"), component: Discard.manifest.name, body: .sink(Discard.make(output)),
                    input: output, edges: [Plan.Edge(from: nodes.count - 1)]))
        }
        self.places = places
        var plan = Plan(
            name: "why", mode: whole.mode, nodes: nodes, maxStreams: whole.maxStreams, streamIdleMs: whole.streamIdleMs)
        (plan.latenessMs, plan.onLate) = (whole.latenessMs, whole.onLate)
        self.plan = plan
    }

    /// Returns the time from the first arrival to the moment at which the streams had reached a timestamp, on the clock of the
    /// original run.
    ///
    /// The moment is later than the last arrival if a timeout after the last frame caused the result. The timestamps of several
    /// sources may be from different clocks, so the earliest moment of all sources counts.
    private static func span(of inputs: [Int: [WatchedFrame]], to end: Timestamp) -> ClosedRange<Int64> {
        let first = inputs.values.compactMap { $0.first?.arrival }.min() ?? 0
        let moments = inputs.values.compactMap(\.last).map { last in
            last.arrival.addingSaturated(max(0, end.microseconds(since: last.timestamp)).multipliedSaturated(by: 1000))
        }
        return first...max(first, moments.min() ?? first)
    }

    private static func source<P: Payload>(
        _ payload: P.Type, _ kept: [WatchedFrame], _ output: PortType, _ span: ClosedRange<Int64>?
    ) -> any Source {
        let frames = kept.compactMap { frame in
            (frame.payload as? P).map {
                Frame(
                    $0, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence, origin: frame.origin,
                    arrival: frame.arrival)
            }
        }
        guard let span else { return FramesSource<P>(items: frames.map { .frame($0) }, output: output) }
        return KeptArrivals<P>(frames, during: span, output: output)
    }
}
