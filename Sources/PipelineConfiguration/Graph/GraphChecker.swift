import Pipeline
import PipelineComponents

/// Checks the tree of a configuration against a registry, and creates the plan that it describes.
///
/// A single pass collects all findings: structure, names, options, types, policies, and errors that components report during
/// creation. Consequences of an earlier finding are not reported again.
struct GraphChecker {
    private let registry: Registry
    private let findings: Findings
    private let baseDirectory: String
    private let description: PipelineDescription
    private let resolver: GraphResolver
    private let checker: ComponentChecker

    /// The result of visiting a component.
    private struct Built {
        var node: Plan.Node?
        var output: PortType?
        /// What it was made of: its name and options, and those of the stages above it where it depends on them.
        var text = ""
    }

    private var built: [Built]
    /// The index in the plan of each component that has one.
    private var place: [Int: Int] = [:]

    private init(_ root: ConfigNode, _ registry: Registry, _ baseDirectory: String, _ findings: Findings) {
        self.registry = registry
        self.findings = findings
        self.baseDirectory = baseDirectory
        description = DescriptionParser.parse(root, findings: findings)
        resolver = GraphResolver(description, findings: findings)
        checker = ComponentChecker(registry, findings, baseDirectory: baseDirectory)
        built = Array(repeating: Built(), count: description.components.count)
    }

    /// The result of checking a tree.
    struct Checked {
        /// The plan; `nil` if there is an error.
        var plan: Plan?

        /// The tests that the configuration contains.
        var tests: [PipelineTest] = []

        /// The files that the tree refers to, and the file of the tree itself.
        var files: [FileUse] = []
        /// The network addresses that the tree refers to.
        var addresses: [AddressUse] = []
        /// The settings of the server for watching a run, if any.
        var serve: ServeOptions?
        /// What each component was made of, by its `id`.
        var components: [String: String] = [:]
    }

    /// Checks a tree and returns its plan and its tests.
    ///
    /// - Parameters:
    ///   - root: The tree, with variables replaced.
    ///   - registry: The components that the tree can use.
    ///   - baseDirectory: The folder that relative paths in the tree refer to.
    ///   - file: The file that the tree was read from, if any.
    static func check(
        _ root: ConfigNode, registry: Registry, baseDirectory: String, file: String?, findings: Findings
    ) -> Checked {
        var checker = GraphChecker(root, registry, baseDirectory, findings)
        if let file {
            checker.checker.files.add(FileUse(purpose: .configuration, owner: "", span: nil, paths: { [file] }))
        }
        let plan = checker.plan(root)
        return Checked(
            plan: plan, tests: checker.tests(), files: checker.checker.files.all,
            addresses: checker.checker.files.addresses, serve: checker.description.options.serve,
            components: checker.components)
    }

    /// Returns the tests, as far as they can be read with the known parts of the graph.
    private func tests() -> [PipelineTest] {
        let components = description.components.enumerated().filter { !$1.isBroken }
        let nodes = components.map { index, component in
            var (source, parts): ((any Source)?, [String]) = (nil, [])
            switch built[index].node?.body {
            case .source(let made, _): source = made
            case .stage(let stage):
                parts = (stage as? any NestingStage)?.chain.nodes.map { "\(component.id).\($0.id)" } ?? []
            default: break
            }
            return TestParser.Node(
                id: component.id, role: component.role, source: source, input: built[index].node?.input,
                output: built[index].output, routesErrors: component.onError == .route,
                from: resolver.edges[index].map { name(of: $0) }, parts: parts)
        }
        return TestParser(nodes, registry: registry, findings: findings).tests(description.options.tests)
    }

    private var components: [String: String] {
        Dictionary(
            built.compactMap { built in built.node.map { ($0.id, built.text) } },
            uniquingKeysWith: { first, _ in first })
    }

    private mutating func plan(_ root: ConfigNode) -> Plan? {
        checkLists(root)
        for index in resolver.order { build(index) }
        // The types of components on a cycle are unknown, but their options can still be checked.
        for index in description.components.indices where !resolver.order.contains(index) { decodeOnly(index) }
        reportUnused()
        checker.files.all.reportConflicts(to: findings)
        guard !findings.hasErrors else { return nil }
        let options = description.options
        var plan = Plan(
            name: options.name, mode: options.mode, nodes: resolver.order.compactMap { built[$0].node },
            shutdownTimeoutMs: options.shutdownTimeoutMs, maxStreams: options.maxStreams,
            streamIdleMs: options.streamIdleMs)
        plan.latenessMs = options.latenessMs
        plan.onLate = options.onLate
        if options.mode == .live { keepSinksApart(&plan) }
        LivenessLint(plan, findings: findings).check()
        AlignmentLint(plan, findings: findings).check()
        return plan
    }

    private func checkLists(_ root: ConfigNode) {
        guard root.mapping != nil, description.indices(of: .source).isEmpty else { return }
        guard root["sources"]?.isNull ?? true || root["sources"]?.sequence?.isEmpty ?? false else { return }
        // A misspelled `sources` key has already been reported.
        let known = TopLevelOptions.options.map(\.name)
        let unknown = (root.mapping ?? []).map(\.key).filter { !known.contains($0) }
        guard !unknown.prefix(50).contains(where: { nearestName(to: $0, among: known) == "sources" }) else { return }
        let place = root.mapping?.first { $0.key == "sources" }?.keySpan
        findings.error(
            "graph.no_sources", "no sources: nothing would ever flow",
            at: place ?? SourceSpan(file: root.span.file, start: root.span.start, end: root.span.start),
            path: "sources",
            help: "add a list of sources: one or more of \(shortList(registry.names(.source)))")
    }

    // MARK: - One component

    private mutating func build(_ index: Int) {
        let component = description.components[index]
        guard let entry = checker.entry(of: component) else { return }
        let errorsBefore = findings.errorCount
        let context = checker.context(of: component)
        let node = checker.withoutMisspelledKeys(component, entry, common: commonKeys(of: component))
        let options = entry.decode(node, context)
        checkRoute(component)
        let isDecoded = findings.errorCount == errorsBefore
        let input = component.role == .source ? nil : self.input(of: index)
        if component.role != .source {
            guard let input, isDecoded, checker.accepts(input, component, makers(of: index), entry, options) else {
                return
            }
        }
        guard isDecoded else {
            built[index].output = outputInSpite(of: errorsBefore, index, entry, options, node)
            return
        }
        let build = BuildContext(
            id: component.id, mode: description.options.mode, node: node, decoding: context,
            upstream: pureRun(above: index, input: input))
        do {
            let (body, output) = try checker.make(entry, options, input, component, build)
            built[index].output = output
            built[index].text = "\(entry.manifest.name) \(component.options.json)"
            if build.dependsOnUpstream {
                for edge in resolver.edges[index] { built[index].text += built[edge.from].text }
            }
            if case .asyncStage = body { checkWorkers(component) }
            guard findings.errorCount == errorsBefore else { return }
            place[index] = place.count
            var node = Plan.Node(
                id: component.id, component: entry.manifest.name, body: body, input: input, output: output,
                edges: edges(of: index), onError: component.onError ?? defaultErrorPolicy, span: component.nameSpan)
            node.workers = component.workers
            built[index].node = node
        } catch {
            checker.report(error, component)
        }
    }

    /// Returns the output type of a source with invalid options, so that downstream components can be checked. It is unknown if the
    /// error may concern the option `kind`, which determines the type.
    private func outputInSpite(
        of errorsBefore: Int, _ index: Int, _ entry: Registry.Entry, _ options: any ComponentOptions, _ node: ConfigNode
    ) -> PortType? {
        guard case .source(let make) = entry.make else { return nil }
        let component = description.components[index]
        let errors = findings.diagnostics.filter { $0.severity == .error }.dropFirst(errorsBefore)
        let mayConcernKind = errors.contains { error in
            error.code == "option.unknown" && node["kind"] == nil || error.path == "\(component.path).kind"
        }
        guard !mayConcernKind else { return nil }
        // Other errors of the source would only repeat earlier findings.
        let aside = DecodingContext(findings: Findings(), path: component.path, baseDirectory: baseDirectory)
        let context = BuildContext(id: component.id, mode: description.options.mode, node: node, decoding: aside)
        return try? make(options, context).output
    }

    private func decodeOnly(_ index: Int) {
        let component = description.components[index]
        guard let entry = checker.entry(of: component) else { return }
        let node = checker.withoutMisspelledKeys(component, entry, common: commonKeys(of: component))
        _ = entry.decode(node, checker.context(of: component))
        checkRoute(component)
    }

    private func commonKeys(of component: ComponentDescription) -> [String] {
        let common = ["id", "on_error"]
        return switch component.role {
        case .source: common + ["on_disorder", "max_jump_s"]
        case .stage: common + ["from", "workers"]
        case .sink: common + ["from"]
        }
    }

    private func makers(of index: Int) -> ComponentChecker.Makers {
        let edges = resolver.edges[index]
        return .init(names: edges.map { name(of: $0) }, span: edges.lazy.compactMap(\.reference.span).first)
    }

    private func checkRoute(_ component: ComponentDescription) {
        guard component.role == .sink, component.onError == .route else { return }
        findings.error(
            "graph.route_sink", "a sink has no output, so errors cannot be routed from it",
            at: component.onErrorSpan ?? component.nameSpan, path: "\(component.path).on_error",
            help: "use on_error: fail or on_error: skip")
    }

    private func checkWorkers(_ component: ComponentDescription) {
        guard let span = component.workersSpan else { return }
        findings.error(
            "graph.workers", "\"\(component.id)\" waits for something outside, so there is no work to share", at: span,
            path: "\(component.path).workers",
            help: "leave workers out; \"\(component.name)\" has options of its own for how much it asks at a time")
    }

    private var defaultErrorPolicy: ErrorPolicy { description.options.mode == .live ? .skip : .fail }

    // MARK: - Types

    /// Returns the input type of a component; `nil` if it is unknown or inconsistent.
    private func input(of index: Int) -> PortType? {
        let edges = resolver.edges[index]
        for edge in edges {
            checkDropping(edge, into: index)
            checkLiveKeys(edge)
        }
        guard !resolver.isIncomplete[index] else { return nil }
        let types = edges.compactMap { type(of: $0) }
        guard types.count == edges.count, var merged = types.first else { return nil }
        guard types.allSatisfy({ $0.isSamePayload(as: merged) }) else {
            let list = zip(edges, types).map { "\(name(of: $0)) makes \($1.kind)" }
            let component = description.components[index]
            findings.error(
                "graph.merged_types", "edges of one join must carry one type: " + list.joined(separator: ", "),
                at: edges.lazy.compactMap(\.reference.span).first ?? component.nameSpan, path: component.path)
            return nil
        }
        // The merged input has only those attributes that are the same on every edge.
        merged.attributes = merged.attributes.filter { name, value in types.allSatisfy { $0.attributes[name] == value }
        }
        return merged
    }

    private func type(of edge: GraphResolver.Edge) -> PortType? {
        edge.reference.port == .errors ? PortType(FailedFrame.self) : built[edge.from].output
    }

    private func name(of edge: GraphResolver.Edge) -> String {
        description.components[edge.from].id + (edge.reference.port == .errors ? ".errors" : "")
    }

    private func checkDropping(_ edge: GraphResolver.Edge, into index: Int) {
        guard let type = type(of: edge), type.payload.continuity == .continues else { return }
        let written = edge.reference.written
        let policy = self.policy(of: edge, into: index)
        // A live edge for strokes drops whole strokes by default. Only an explicitly configured policy is an error.
        let isWritten = written.onFull != nil || written.inFlight != nil
        guard isWritten, policy.drops else { return }
        findings.error(
            "graph.drop_continues", "\(type.kind) frames continue one another, so none can be dropped",
            at: edge.reference.span, path: edge.reference.path,
            label: "on_full: \(policy.onFull.rawValue)", help: "use on_full: wait or on_full: fail")
    }

    /// Reports keys of an edge that exist only in live mode, and edges that cannot hold any frame.
    private func checkLiveKeys(_ edge: GraphResolver.Edge) {
        let written = edge.reference.written
        func span(_ key: String) -> SourceSpan? {
            edge.reference.keys.first { $0.name == key }?.span ?? edge.reference.span
        }
        for key in ["in_flight", "timeout_ms", "idle_timeout_ms"] where description.options.mode == .batch {
            guard edge.reference.keys.contains(where: { $0.name == key }) else { continue }
            findings.error(
                "graph.live_only", "\(key) exists in live mode only, and this pipeline's mode is batch",
                at: span(key), path: "\(edge.reference.path).\(key)", help: "write mode: live, or leave it out")
        }
        guard written.capacity == 0, written.inFlight == nil, description.options.mode == .batch || !leavesSource(edge)
        else { return }
        findings.error(
            "graph.no_capacity", "an edge with capacity 0 passes no frame", at: span("capacity"),
            path: "\(edge.reference.path).capacity", help: "give it a capacity, or in_flight in live mode")
    }

    private func leavesSource(_ edge: GraphResolver.Edge) -> Bool {
        description.components[edge.from].role == .source
    }

    /// Returns the policy of an edge: the configured values, and otherwise the defaults of the mode.
    private func policy(of edge: GraphResolver.Edge, into index: Int) -> EdgePolicy {
        var base = EdgePolicy()
        if isLive(edge) {
            base = description.options.live.defaults.policy(
                toSink: description.components[index].role == .sink,
                type(of: edge)?.payload.continuity ?? .standsAlone)
        }
        return edge.reference.written.policy(over: base)
    }

    /// Returns whether an edge leaves a source of a live pipeline.
    private func isLive(_ edge: GraphResolver.Edge) -> Bool {
        description.options.mode == .live && leavesSource(edge)
    }

    /// Makes the edge to a sink drop if the sink could otherwise block another sink and the configuration does not specify a
    /// policy.
    private func keepSinksApart(_ plan: inout Plan) {
        let components = Dictionary(uniqueKeysWithValues: place.map { ($1, $0) })
        plan.keepSinksApart { node, place, dropping in
            guard let written = components[node].map({ resolver.edges[$0][place].reference.written }),
                written.onFull == nil, written.inFlight == nil
            else { return nil }
            return written.policy(over: dropping)
        }
    }

    // MARK: - Edges and neighbors

    private func edges(of index: Int) -> [Plan.Edge] {
        resolver.edges[index].compactMap { edge in
            place[edge.from].map {
                Plan.Edge(
                    from: $0, port: edge.reference.port, policy: policy(of: edge, into: index),
                    isExplicit: edge.reference.isExplicit || isLive(edge))
            }
        }
    }

    private func pureRun(above index: Int, input: PortType?) -> PureRun {
        var stages: [any Stage] = []
        var arriving = input
        var current = index
        while resolver.edges[current].count == 1, let edge = resolver.edges[current].first,
            edge.reference.port == .output, case .stage(let stage)? = built[edge.from].node?.body,
            let above = registry.entry(description.components[edge.from].name, .stage), above.manifest.isPure
        {
            stages.insert(stage, at: 0)
            arriving = built[edge.from].node?.input
            current = edge.from
        }
        let above = resolver.edges[current].first.map { name(of: $0) }
        return PureRun(stages: stages, input: arriving, above: above)
    }

    private func reportUnused() {
        guard !resolver.hasCycle else { return }
        var taken: Set<Int> = []
        var takenErrors: Set<Int> = []
        for edge in resolver.edges.joined() {
            if edge.reference.port == .errors { takenErrors.insert(edge.from) } else { taken.insert(edge.from) }
        }
        for (index, component) in description.components.enumerated() where !component.isBroken {
            guard component.role != .sink else { continue }
            if !taken.contains(index), !mayBeTaken(index) {
                findings.warning(
                    "graph.unused", "nothing takes what \"\(component.id)\" makes", at: component.idSpan,
                    path: component.path,
                    help: description.indices(of: .sink).isEmpty
                        ? "add a list of sinks" : "name it in the from of what should take it")
            }
            if component.onError == .route, !takenErrors.contains(index), !mayBeTaken(index) {
                findings.warning(
                    "graph.unused_errors", "nothing takes the errors of \"\(component.id)\"", at: component.idSpan,
                    path: component.path, help: "name \(component.id).errors in the from of a sink")
            }
        }
    }

    /// Returns whether a later component refers to an unknown name, which may have been meant for this component.
    private func mayBeTaken(_ index: Int) -> Bool {
        description.components.indices.contains { $0 > index && resolver.isIncomplete[$0] }
    }
}
