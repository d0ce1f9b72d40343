import Pipeline
import PipelineComponents

/// Looks up, checks and creates single components of a configuration, at the top level or in a chain inside another component.
struct ComponentChecker {
    let registry: Registry
    let findings: Findings
    let baseDirectory: String
    /// The files and addresses that the components refer to, collected while options are read.
    let files: FileUses?
    /// The name of the component that contains the checked components; empty at the top level.
    private let owner: String
    private let converters: ConverterSearch

    /// Creates a checker.
    ///
    /// - Parameter context: The context of the list that contains the components.
    init(_ registry: Registry, in context: DecodingContext) {
        self.registry = registry
        findings = context.findings
        baseDirectory = context.baseDirectory
        files = context.files
        owner = context.owner
        converters = ConverterSearch(registry)
    }

    /// Returns the context for reading the options of a component.
    func context(of component: ComponentDescription) -> DecodingContext {
        DecodingContext(
            findings: findings, path: component.path, baseDirectory: baseDirectory, known: registry.known,
            stageLists: stageLists, files: files, owner: owner.isEmpty ? component.id : "\(owner).\(component.id)")
    }

    /// The reader for lists of stages in options.
    private var stageLists: StageList.Reader {
        { [registry] in StageListReader(registry).list($0, $1) }
    }

    // MARK: - Names and options

    /// Returns the registry entry for a component's name. Returns `nil` with a finding if the name is unknown.
    func entry(of component: ComponentDescription) -> Registry.Entry? {
        guard !component.isBroken else { return nil }
        if let entry = registry.entry(component.name, component.role) { return entry }
        let role = component.role.rawValue
        let names = registry.names(component.role)
        if let other = Plan.Role.allCases.first(where: { registry.entry(component.name, $0) != nil }) {
            findings.error(
                "graph.wrong_list", "\"\(component.name)\" is a \(other), not a \(role)", at: component.nameSpan,
                path: component.path, help: "move it to the list of \(other)s")
            return nil
        }
        let near = nearestName(to: component.name, among: names)
        findings.error(
            "graph.unknown_component", "no \(role) is called \"\(component.name)\"", at: component.nameSpan,
            path: component.path,
            help: suggestion(for: component.name, among: names, list: "\(role)s"),
            fix: near.map { .init(title: "rename it to \($0)", span: component.nameSpan, replacement: $0) })
        return nil
    }

    /// Reports misspelled common keys, and returns the options without them. The component's own decoding knows only its own
    /// options, so it could not suggest `from` for `form`.
    ///
    /// - Parameter common: The keys that the component has in addition to its own options, such as `id` and `from`.
    func withoutMisspelledKeys(
        _ component: ComponentDescription, _ entry: Registry.Entry, common: [String]
    ) -> ConfigNode {
        // Describing the options takes longer than decoding them, and is only needed if a key resembles a common key.
        lazy var options = entry.options
        lazy var own = options.map(\.name)
        var kept: [ConfigNode.Entry] = []
        for option in component.options.mapping ?? [] {
            guard !findings.hasTooManyForDetail, nearestName(to: option.key, among: common) != nil,
                !own.contains(option.key), !options.contains(where: \.isAnyName),
                let near = nearestName(to: option.key, among: own + common),
                common.contains(near)
            else {
                kept.append(option)
                continue
            }
            findings.error(
                "option.unknown", "unknown option \"\(option.key)\"", at: option.keySpan,
                path: "\(component.path).\(option.key)", help: "did you mean \"\(near)\"?",
                fix: .init(title: "rename it to \(near)", span: option.keySpan, replacement: near))
        }
        return ConfigNode(.mapping(kept), span: component.options.span)
    }

    // MARK: - Types

    /// The nodes directly upstream of a component, for findings.
    struct Producers {
        /// The `id`s of the nodes.
        var names: [String]

        /// The position of the `from` reference in the configuration; `nil` for an implicit connection.
        var span: SourceSpan?
    }

    /// Returns whether a component accepts an input type. Reports a mismatch.
    func accepts(
        _ input: PortType, _ component: ComponentDescription, _ producers: Producers, _ entry: Registry.Entry,
        _ options: any ComponentOptions
    ) -> Bool {
        let ports: [PortType]
        switch entry.accepts(options) {
        case .any: return true
        case .one(let list): ports = list
        case .aligned(let list):
            ports = list
            guard hasSeveralEdges(component, producers) else { return false }
        }
        let sameKind = ports.filter { $0.isSamePayload(as: input) }
        if sameKind.contains(where: { input.conflicts(with: $0).isEmpty }) { return true }
        let names = producers.names.map { "\"\($0)\"" }.joined(separator: " and ")
        let verb = producers.names.count == 1 ? "makes" : "make"
        let span = producers.span ?? component.nameSpan
        if let port = sameKind.first {
            let conflicts = input.conflicts(with: port)
            let wanted = conflicts.map { "\($0.name): \($0.wanted)" }.joined(separator: ", ")
            let found = conflicts.map { "\($0.name): \($0.found)" }.joined(separator: ", ")
            findings.error(
                "graph.attribute_mismatch",
                "\"\(component.id)\" takes \(port.kind) (\(wanted)), and \(names) \(verb) \(input.kind) (\(found))",
                at: span, path: component.path,
                help: converters.proposal(from: input, conflicts: conflicts).map { "put \($0) between them" })
            return false
        }
        let takes = ports.map(\.kind.rawValue).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        findings.error(
            "graph.type_mismatch",
            "\"\(component.id)\" takes \(takes.joined(separator: " or ")), and \(names) \(verb) \(input.kind)",
            at: span, path: component.path, help: help(from: input, to: ports) ?? nesting(component, input))
        return false
    }

    /// Returns a help text that proposes a stage, such as `each`, that accepts the input and can run the component on each part of
    /// the input; `nil` if there is no such stage.
    private func nesting(_ component: ComponentDescription, _ input: PortType) -> String? {
        guard component.role == .stage else { return nil }
        let named = ConfigNode.Entry(key: component.name, keySpan: component.nameSpan, value: component.options)
        let item = ConfigNode(.mapping([named]), span: component.nameSpan)
        for entry in registry.entries {
            guard case .stage(let make) = entry.make,
                let option = entry.options.first(where: { $0.schema == .stages })?.name
            else { continue }
            let list = ConfigNode(.sequence([item]), span: component.nameSpan)
            let node = ConfigNode(
                .mapping([.init(key: option, keySpan: component.nameSpan, value: list)]), span: component.nameSpan)
            let scratch = DecodingContext(
                findings: Findings(), path: "", baseDirectory: baseDirectory, known: registry.known,
                stageLists: stageLists)
            let options = entry.decode(node, scratch)
            guard case .one(let ports) = entry.accepts(options), ports.contains(where: { $0.isSamePayload(as: input) })
            else { continue }
            let context = BuildContext(id: entry.manifest.name, node: node, decoding: scratch)
            _ = try? make(options, input, context)
            // If the component does not emit a type that the list may end with, further stages are needed after it.
            let errors = scratch.findings.diagnostics.filter { $0.severity == .error }
            guard errors.allSatisfy({ $0.code == "chain.output" }) else { continue }
            let stages = errors.isEmpty ? component.name : "\(component.name), …"
            return "to run it on each part of \(input.kind), write \(entry.manifest.name): "
                + "{ \(option): [ \(stages) ] }"
        }
        return nil
    }

    /// Returns a help text that proposes stages that convert the input to one of the required types, and where to put them; `nil`
    /// if there are none.
    func help(from input: PortType, to ports: [PortType], put place: String = "between them") -> String? {
        let stages = converters.stages(from: input, to: ports)
        guard !stages.isEmpty else { return nil }
        let made = ports.filter { !converters.stages(from: input, to: [$0]).isEmpty }.map(\.kind.rawValue)
        let kinds = made.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return "put \(stages.joined(separator: " or ")) \(place) to turn \(input.kind) into "
            + kinds.joined(separator: " or ")
    }

    private func hasSeveralEdges(_ component: ComponentDescription, _ producers: Producers) -> Bool {
        guard producers.names.count < 2 else { return true }
        findings.error(
            "graph.one_edge", "\"\(component.id)\" joins several edges, but has one",
            at: producers.span ?? component.nameSpan, path: component.path,
            help: "name two or more in its from, as in from: [left, right]")
        return false
    }

    // MARK: - Creation

    /// Creates a component for an input type, and returns it with its output type, which is `nil` for a sink.
    ///
    /// - Throws: The component's error if it refuses its options or the input. A defect if the created component does not take
    ///   the type of the input.
    func make(
        _ entry: Registry.Entry, _ options: any ComponentOptions, _ input: PortType?,
        _ component: ComponentDescription, _ context: BuildContext
    ) throws -> (Plan.Body, PortType?) {
        switch (entry.make, input) {
        case (.source(let make), _):
            let source = try make(options, context)
            let rules = SourceRules(
                onDisorder: component.onDisorder ?? (context.mode == .live ? .drop : .error),
                maxJump: Int64(component.maxJumpS * 1_000_000))
            return (.source(source, rules), source.output)
        case (.stage(let make), let input?):
            let stage = try make(options, input, context)
            try Self.checkInput(of: stage, input)
            return (.stage(stage), stage.output(for: input))
        case (.asyncStage(let make), let input?):
            let stage = try make(options, input, context)
            try Self.checkInput(of: stage, input)
            return (.asyncStage(stage), stage.output(for: input))
        case (.sink(let make), let input?):
            let sink = try make(options, input, context)
            try Self.checkInput(of: sink, input)
            return (.sink(sink), nil)
        case (_, nil):
            throw PipelineError(.defect, "graph.no_input", "\(component.id) was made without an input")
        }
    }

    private static func checkInput<S: Stage>(of stage: S, _ input: PortType) throws {
        guard ObjectIdentifier(S.Input.self) != ObjectIdentifier(input.payload) else { return }
        if let aligned = stage as? any AlignedStage, element(of: aligned) == ObjectIdentifier(input.payload) { return }
        throw PipelineError(
            .defect, "component.input", "it was made for \(input.kind) and takes \(S.Input.kind): a defect of the stage"
        )
    }

    private static func element<S: AlignedStage>(of stage: S) -> ObjectIdentifier { ObjectIdentifier(S.Element.self) }

    private static func checkInput<S: AsyncStage>(of stage: S, _ input: PortType) throws {
        guard ObjectIdentifier(S.Input.self) != ObjectIdentifier(input.payload) else { return }
        throw PipelineError(
            .defect, "component.input", "it was made for \(input.kind) and takes \(S.Input.kind): a defect of the stage"
        )
    }

    private static func checkInput<S: Sink>(of sink: S, _ input: PortType) throws {
        guard ObjectIdentifier(S.Input.self) != ObjectIdentifier(input.payload) else { return }
        throw PipelineError(
            .defect, "component.input", "it was made for \(input.kind) and takes \(S.Input.kind): a defect of the sink")
    }

    /// Reports an error that a component threw during creation. If the error names an option, the finding is at that option.
    func report(_ error: any Error, _ component: ComponentDescription) {
        guard let error = error as? PipelineError else {
            findings.error("component.error", "\(error)", at: component.nameSpan, path: component.path)
            return
        }
        let (span, path) = place(of: error.option, component)
        var diagnostic = Diagnostic(
            .error, error.code, (error.location.map { "\($0): " } ?? "") + error.message, span: span, path: path,
            help: error.helpInConfiguration)
        diagnostic.isEnvironmental = error.category == .environment
        findings.add(diagnostic)
    }

    /// Returns the position and the path of an option or, if the option was not given, of the component. The position of an
    /// overridden option is in the overrides on the command line.
    private func place(of option: String?, _ component: ComponentDescription) -> (SourceSpan, String) {
        var (node, path) = (component.options, component.path)
        for step in (option ?? "").split(separator: ".") {
            guard let next = node[String(step)] else { return (component.nameSpan, component.path) }
            (node, path) = (next, "\(path).\(step)")
        }
        return option == nil ? (component.nameSpan, path) : (node.span, path)
    }
}

extension PipelineError {
    /// The help for the error of a component in a configuration. Without other help, that of a missing file says to which folder
    /// its path is relative.
    package var helpInConfiguration: String? {
        guard help == nil, code == "file.not_found" else { return help }
        return "paths are relative to the configuration's file, those of --set to the current folder"
    }
}
