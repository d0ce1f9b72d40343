/// The part of a plan that a recognizer runs: only the nodes from its input to its output.
struct RecognizerPlan<Input: Payload, Output: Payload>: Sendable {
    /// The plan with a single source, whose frames are passed in by calls.
    private let plan: Plan

    /// The `id` of the source.
    let input: String

    /// The `id` of the last stage.
    let output: String

    /// The names of the edges that leave the input.
    let inputEdges: Set<String>

    var mode: Mode { plan.mode }
    var maxStreams: Int { plan.maxStreams }

    /// Extracts a recognizer's part from a plan.
    ///
    /// - Parameters:
    ///   - input: The source that the program replaces; `nil` for the only source.
    ///   - output: The stage whose frames are the results; `nil` for the last stage.
    /// - Throws: A configuration error that states the requirement and how it is violated.
    init(_ plan: Plan, input: String?, output: String?, mode: RunningMode) throws(PipelineError) {
        try plan.check()
        let last = try Self.output(of: plan, named: output)
        let first = try Self.input(of: plan, named: input, before: last)
        var kept = [Bool](repeating: false, count: plan.nodes.count)
        kept[last] = true
        for index in plan.nodes.indices.reversed() where kept[index] {
            for edge in plan.nodes[index].edges { kept[edge.from] = true }
        }
        let others = plan.nodes.indices.filter { kept[$0] && plan.nodes[$0].edges.isEmpty && $0 != first }
        guard kept[first], others.isEmpty else {
            throw PipelineError(
                .configuration, "recognizer.sources",
                "the output of \(plan.nodes[last].id) must come from \(plan.nodes[first].id) alone"
                    + (others.isEmpty
                        ? "" : ", and comes from \(others.map { plan.nodes[$0].id }.joined(separator: ", ")) too"),
                help: "a recognizer has one input; run the pipeline with Run to feed several sources")
        }
        guard plan.mode == mode.planMode else { throw .wrongPlanMode(plan.mode, required: mode) }
        self.plan = Self.cut(plan, kept, input: first)
        self.input = plan.nodes[first].id
        self.output = plan.nodes[last].id
        let name = self.input
        inputEdges = Set(
            self.plan.nodes.flatMap { node in
                node.edges.filter { $0.from == 0 && $0.port == .output }.map { _ in "\(name) → \(node.id)" }
            })
        try checkEdges()
        try checkCalls(mode)
    }

    /// Returns the plan with the frames coming from a port.
    func plan(fedBy port: CallPort<Input>) -> Plan {
        var plan = plan
        plan.nodes[0].body = .source(
            CallSource(port, output: plan.nodes[0].output ?? PortType(Input.self)),
            // The order of timestamps is checked when a frame is passed in, and jumps of any size are allowed.
            SourceRules(onDisorder: .error, maxJump: .max))
        return plan
    }

    // MARK: Input and output

    private static func output(of plan: Plan, named id: String?) throws(PipelineError) -> Int {
        let stages = plan.nodes.indices.filter { plan.nodes[$0].body.role == .stage }
        var candidates = stages
        if let id {
            candidates = stages.filter { plan.nodes[$0].id == id }
        } else {
            candidates.removeAll { stage in
                stages.contains { plan.nodes[$0].edges.contains { $0.from == stage && $0.port == .output } }
            }
        }
        guard let index = candidates.first, candidates.count == 1 else {
            let names = (id == nil && !candidates.isEmpty ? candidates : stages).map { plan.nodes[$0].id }
            let problem =
                id.map { "there is no stage \"\($0)\"" }
                ?? (stages.isEmpty ? "the pipeline has no stage" : "the pipeline has several last stages")
            throw PipelineError(
                .configuration, "recognizer.output", problem,
                help: names.isEmpty
                    ? "a recognizer needs at least one" : "name the output: " + names.joined(separator: ", "))
        }
        try check(plan.nodes[index].output, PortType(Output.self), plan.nodes[index].id, "makes")
        return index
    }

    private static func input(
        of plan: Plan, named id: String?, before last: Int
    ) throws(PipelineError) -> Int {
        let sources = plan.nodes.indices.filter { plan.nodes[$0].edges.isEmpty }
        let candidates = id.map { id in sources.filter { plan.nodes[$0].id == id } } ?? sources
        guard let index = candidates.first, candidates.count == 1 else {
            throw PipelineError(
                .configuration, "recognizer.input",
                id.map { "there is no source \"\($0)\"" } ?? "the pipeline has \(sources.count) sources",
                help: "name the input: " + sources.map { plan.nodes[$0].id }.joined(separator: ", "))
        }
        try check(plan.nodes[index].output, PortType(Input.self), plan.nodes[index].id, "brings")
        return index
    }

    private static func check(
        _ found: PortType?, _ wanted: PortType, _ id: String, _ verb: String
    ) throws(PipelineError) {
        guard let found, !found.isSamePayload(as: wanted) else { return }
        throw PipelineError(
            .configuration, "recognizer.wrong_payload", "\(id) \(verb) \(found.kind), not \(wanted.kind)",
            help: "name another component, or make a recognizer of \(found.kind)")
    }

    // MARK: Kept nodes and checks

    private static func cut(_ plan: Plan, _ kept: [Bool], input: Int) -> Plan {
        let order = [input] + plan.nodes.indices.filter { kept[$0] && $0 != input }
        var places: [Int: Int] = [:]
        for (place, index) in order.enumerated() { places[index] = place }
        var cut = plan
        cut.nodes = order.map { index in
            var node = plan.nodes[index]
            node.edges = node.edges.map { edge in
                var edge = edge
                edge.from = places[edge.from] ?? 0
                return edge
            }
            return node
        }
        for index in cut.nodes.indices {
            let isRouted = cut.nodes.contains { $0.edges.contains { $0.from == index && $0.port == .errors } }
            // A frame's error goes to its caller, and the recognizer continues.
            if cut.nodes[index].onError == .fail || !isRouted { cut.nodes[index].onError = .skip }
        }
        // A late frame is reported to its caller too.
        cut.onLate = .drop
        return cut
    }

    /// Throws if a stage is asynchronous, because a call that returns its results cannot wait for something outside the run.
    private func checkCalls(_ mode: RunningMode) throws(PipelineError) {
        guard mode != .live else { return }
        for node in plan.nodes {
            guard case .asyncStage = node.body else { continue }
            throw PipelineError(
                .configuration, "recognizer.asynchronous",
                "the running mode \(mode) needs stages that answer at once, and \(node.id) is asynchronous",
                help: "use the running mode live, or run the pipeline with Run and read its results")
        }
    }

    private func checkEdges() throws(PipelineError) {
        for node in plan.nodes {
            if node.stage?.renamesStreams ?? false {
                throw PipelineError(
                    .configuration, "recognizer.renames_streams",
                    "\(node.id) moves frames to other streams, but results belong to the stream of the call",
                    help: "leave it out, and name the streams in the calls")
            }
            for edge in node.edges {
                let isInput = edge.from == 0 && edge.port == .output
                guard isInput && mode == .live ? !edge.policy.drops : edge.policy.onFull != .wait else { continue }
                throw PipelineError(
                    .configuration, "recognizer.edge",
                    "the edge \(plan.nodes[edge.from].id) → \(node.id) must "
                        + (isInput && mode == .live
                            ? "drop, so that no caller waits, and its on_full is \(edge.policy.onFull)"
                            : "wait, so that an accepted frame is not lost, and its on_full is \(edge.policy.onFull)"),
                    help: isInput && mode == .live
                        ? "use on_full: drop_oldest or drop_newest"
                        : "use on_full: wait; a live recognizer drops frames only right after its input")
            }
        }
    }
}

extension PipelineError {
    fileprivate static func wrongPlanMode(_ mode: Mode, required: RunningMode) -> PipelineError {
        PipelineError(
            .configuration, "recognizer.plan_mode",
            "the running mode \(required) needs a pipeline of mode \(required.planMode), and this one's is \(mode)",
            help: "write mode: \(required.planMode), or load it with the override mode=\(required.planMode)")
    }
}
