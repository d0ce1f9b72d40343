import Pipeline
import PipelineComponents

/// Checks the tree of a configuration against a registry, and creates the plan that it describes.
///
/// One pass collects all findings: about structure, names, options, types and policies, and the errors that components report
/// during creation. Consequences of an earlier finding are not reported.
struct GraphChecker {
    let registry: Registry
    /// The codes with which a run can fail; empty if they are unknown.
    let errorCodes: [String]
    let findings: Findings
    let baseDirectory: String
    let description: PipelineDescription
    let resolver: GraphResolver
    let checker: ComponentChecker
    /// The files and addresses that the components refer to.
    private let files = FileUses()

    /// The result of checking and creating a component.
    struct Built {
        var node: Plan.Node?
        var output: PortType?
        /// A text that identifies the component's configuration: its name and options and, if the component depends on the pure
        /// stages upstream of it, the type of their input.
        var text = ""
        /// The pure stages upstream of the component, if it depends on them.
        var preparation: [Int] = []
    }

    /// The result for each component of the description.
    var built: [Built]
    /// The index in the plan of each component that was created, by its index in the description.
    var place: [Int: Int] = [:]

    private init(
        _ root: ConfigNode, _ registry: Registry, _ baseDirectory: String, _ errorCodes: [String], _ findings: Findings
    ) {
        self.registry = registry
        self.errorCodes = errorCodes
        self.findings = findings
        self.baseDirectory = baseDirectory
        description = DescriptionParser.parse(root, findings: findings)
        resolver = GraphResolver(description, findings: findings)
        checker = ComponentChecker(
            registry,
            in: DecodingContext(findings: findings, path: "", baseDirectory: baseDirectory, known: nil, files: files))
        built = Array(repeating: Built(), count: description.components.count)
    }

    /// The result of checking a tree.
    struct Checked {
        /// The plan; `nil` if there is an error.
        var plan: Plan?

        /// The tests that the configuration contains.
        var tests: [PipelineTest] = []

        /// The files that the tree refers to, and the file that it was read from.
        var files: [FileUse] = []
        /// The network addresses that the tree refers to.
        var addresses: [AddressUse] = []
        /// The options under `serve`; `nil` if there are none.
        var serve: ServeOptions?
        /// The texts that identify the configurations of components, by `id`. See ``LoadedPipeline/componentTexts``.
        var componentTexts: [String: String] = [:]
        /// The pure stages that components depend on. See ``LoadedPipeline/preparations``.
        var preparations: [String: [String]] = [:]
    }

    /// Checks a tree and returns its plan and its tests.
    ///
    /// - Parameters:
    ///   - root: The tree, with variables replaced.
    ///   - registry: The components that the tree can use.
    ///   - baseDirectory: The folder that relative paths in the tree refer to.
    ///   - file: The file that the tree was read from, if any.
    static func check(
        _ root: ConfigNode, registry: Registry, baseDirectory: String, file: String?, errorCodes: [String],
        findings: Findings
    ) -> Checked {
        var checker = GraphChecker(root, registry, baseDirectory, errorCodes, findings)
        if let file {
            checker.files.add(FileUse(purpose: .configuration, owner: "", span: nil, paths: { [file] }))
        }
        let plan = checker.plan(root)
        return Checked(
            plan: plan, tests: checker.tests(plan), files: checker.files.all,
            addresses: checker.files.addresses, serve: checker.description.options.serve,
            componentTexts: checker.byID { $0.text }, preparations: checker.preparations)
    }

    /// Returns the tests. Tests that refer to components with errors are left out, and all tests while an `id` is unknown.
    private func tests(_ plan: Plan?) -> [PipelineTest] {
        guard let list = description.options.tests, !list.isNull,
            !description.components.contains(where: \.hasUnknownID)
        else { return [] }
        let components = description.components.enumerated().filter { !$1.isBroken }
        let nodes = components.map { index, component in
            var (source, parts): ((any Source)?, [TestParser.Place]) = (nil, [])
            switch built[index].node?.body {
            case .source(let made, _): source = made
            case .stage(let stage):
                let chain = (stage as? any NestingStage)?.chain.nodes ?? []
                parts = chain.map {
                    .init(
                        id: "\(component.id).\($0.id)",
                        drops: dropReasons(registry.entry($0.component, .stage), joins: false))
                }
            default: break
            }
            return TestParser.Node(
                id: component.id, role: component.role, source: source, input: built[index].node?.input,
                output: built[index].output, routesErrors: component.onError == .route,
                drops: dropReasons(
                    registry.entry(component.name, component.role),
                    joins: built[index].node.map { $0.alignment != nil } ?? true),
                parts: parts, edges: droppingPlaces(before: index, in: plan))
        }
        return TestParser(nodes, registry: registry, errorCodes: errorCodes, findings: findings)
            .tests(list)
    }

    /// Returns a value for each component that was created, by the component's `id`.
    private func byID<Value>(_ value: (Built) -> Value) -> [String: Value] {
        Dictionary(
            built.compactMap { built in built.node.map { ($0.id, value(built)) } },
            uniquingKeysWith: { first, _ in first })
    }

    private var preparations: [String: [String]] {
        byID { $0.preparation.map { description.components[$0].id } }.filter { !$0.value.isEmpty }
    }

    private mutating func plan(_ root: ConfigNode) -> Plan? {
        checkLists(root)
        for index in resolver.order { build(index) }
        // The input types of components on or after a cycle are unknown, but their options can still be checked.
        for index in description.components.indices where !resolver.order.contains(index) { decodeOnly(index) }
        reportUnused()
        files.all.reportConflicts(to: findings)
        files.commits.reportConflicts(to: findings)
        guard !findings.hasErrors else { return nil }
        let options = description.options
        var plan = Plan(
            name: options.name, mode: options.mode, nodes: resolver.order.compactMap { built[$0].node },
            shutdownTimeoutMs: options.shutdownTimeoutMs, maxStreams: options.maxStreams,
            streamIdleMs: options.streamIdleMs)
        plan.latenessMs = options.latenessMs
        plan.onLate = options.onLate
        if options.mode == .live { letSinkEdgesDrop(&plan) }
        LivenessLint(plan, findings: findings).check()
        AlignmentLint(plan, findings: findings).check()
        return plan
    }

    private func checkLists(_ root: ConfigNode) {
        guard root.mapping != nil, description.indices(of: .source).isEmpty else { return }
        guard root["sources"]?.isNull ?? true || root["sources"]?.sequence?.isEmpty ?? false else { return }
        guard !TopLevelOptions.isMisspelled("sources", in: root) else { return }
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
            guard let input, isDecoded, checker.accepts(input, component, producers(of: index), entry, options) else {
                return
            }
        }
        guard isDecoded else {
            built[index].output = outputDespiteErrors(since: errorsBefore, index, entry, options, node)
            return
        }
        let preparation = pureStages(above: index)
        let upstream = pureRun(preparation, above: index, input: input)
        let build = BuildContext(
            id: component.id, mode: description.options.mode, node: node, decoding: context, upstream: upstream)
        do {
            let (body, output) = try checker.make(entry, options, input, component, build)
            built[index].output = output
            built[index].text = "\(entry.manifest.name) \(component.options.json)"
            if build.dependsOnUpstream {
                built[index].text += upstream.input.map { " \($0)" } ?? ""
                built[index].preparation = preparation
            }
            if case .asyncStage = body { checkWorkers(component) }
            guard findings.errorCount == errorsBefore else { return }
            place[index] = place.count
            var node = Plan.Node(
                id: component.id, component: entry.manifest.name, body: body, input: input, output: output,
                edges: edges(of: index), onError: component.onError ?? defaultErrorPolicy)
            node.workers = component.workers
            node.span = component.nameSpan
            built[index].node = node
        } catch {
            checker.report(error, component)
        }
    }

    /// Returns the output type of a source with invalid options, so that downstream components can still be checked. Returns `nil`
    /// if an error may be about the option `kind`, which determines the type.
    ///
    /// - Parameter errorsBefore: The number of errors before the source was decoded. Later errors are about the source.
    private func outputDespiteErrors(
        since errorsBefore: Int, _ index: Int, _ entry: Registry.Entry, _ options: any ComponentOptions,
        _ node: ConfigNode
    ) -> PortType? {
        guard case .source(let make) = entry.make else { return nil }
        let component = description.components[index]
        let errors = findings.diagnostics.filter { $0.severity == .error }.dropFirst(errorsBefore)
        let mayConcernKind = errors.contains { error in
            error.code == "option.unknown" && node["kind"] == nil || error.path == "\(component.path).kind"
        }
        guard !mayConcernKind else { return nil }
        // Discard the findings of this second attempt, which repeat earlier ones.
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

    private func producers(of index: Int) -> ComponentChecker.Producers {
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
            "graph.workers", "\"\(component.id)\" waits for another program, so workers have no work to share",
            at: span,
            path: "\(component.path).workers",
            help: "leave workers out; \"\(component.name)\" has its own options for the number of requests in flight")
    }

    private var defaultErrorPolicy: ErrorPolicy { description.options.mode == .live ? .skip : .fail }
}
