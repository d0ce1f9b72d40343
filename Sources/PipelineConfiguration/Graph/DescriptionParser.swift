import Pipeline
import PipelineComponents

/// Parses the structure of a configuration: the top level, the lists of sources, stages and sinks, and the keys that every
/// component has.
///
/// A component's own options are separated from these keys but not decoded; the component decodes them later.
struct DescriptionParser {
    private let findings: Findings

    private init(_ findings: Findings) { self.findings = findings }

    /// Parses a tree. Reports all errors, and returns a description of the parts that could be read.
    static func parse(_ root: ConfigNode, findings: Findings) -> PipelineDescription {
        DescriptionParser(findings).pipeline(root)
    }

    private func pipeline(_ root: ConfigNode) -> PipelineDescription {
        let context = DecodingContext(findings: findings, path: "", baseDirectory: ".")
        guard root.mapping != nil else {
            findings.error(
                "config.top_level", "a pipeline is a mapping with sources, stages and sinks; this is \(root.described)",
                at: root.span)
            return PipelineDescription(options: TopLevelOptions(), components: [])
        }
        let options: TopLevelOptions = .decode(root, context)
        checkVersion(root)
        checkModes(root, options)
        var components: [ComponentDescription] = []
        for (role, list) in [
            (Plan.Role.source, options.sources), (.stage, options.stages), (.sink, options.sinks),
        ] {
            guard let list else { continue }
            components += self.components(list, role, path: "\(role.rawValue)s")
        }
        nameSinks(&components)
        if components.count > Self.componentLimit {
            findings.error(
                "config.too_many_components",
                "\(components.count) components, and \(Self.componentLimit) are the limit", at: root.span)
            components.removeAll()
        }
        return PipelineDescription(options: options, components: components)
    }

    /// Gives a new `id` to each sink whose name is already the `id` of a source or stage, unless the sink has an explicit `id`. A
    /// source `file` and a sink `file` get the `id`s `file` and `file_sink`.
    private func nameSinks(_ components: inout [ComponentDescription]) {
        let others = Set(components.filter { $0.role != .sink }.map(\.id))
        for index in components.indices where components[index].role == .sink && !components[index].hasExplicitID {
            components[index].id = Self.sinkID(components[index].name, besides: others)
        }
    }

    /// Returns the `id` of a sink without an explicit `id`.
    ///
    /// - Parameter others: The `id`s of the sources and stages.
    static func sinkID(_ name: String, besides others: Set<String>) -> String {
        others.contains(name) ? "\(name)_sink" : name
    }

    // Far more components than a pipeline needs, but few enough that comparing all pairs of them takes negligible time.
    private static let componentLimit = 1000

    private func checkVersion(_ root: ConfigNode) {
        if let node = root["version"] {
            guard
                let version = Int.decode(node, DecodingContext(findings: findings, path: "version", baseDirectory: "."))
            else { return }
            guard version != 1 else { return }
            findings.error(
                "config.version", "version \(version) of the format is not known", at: node.span, path: "version",
                label: "known: version 1")
            return
        }
        guard !TopLevelOptions.isMisspelled("version", in: root) else { return }
        let start = SourceSpan(file: root.span.file, start: root.span.start, end: root.span.start)
        // A mapping in braces begins before its first key.
        let first = root.mapping?.first?.keySpan
        let isBlock = first?.file == start.file && first?.start == start.start
        let indentation = String(repeating: " ", count: max(0, start.start.column - 1))
        findings.warning(
            "config.version", "no version is given, so version 1 is assumed", at: start, path: "version",
            help: isBlock ? "begin the file with version: 1" : "add version: 1",
            fix: isBlock
                ? .init(title: "add version: 1", span: start, replacement: "version: 1\n\(indentation)") : nil)
    }

    private func checkModes(_ root: ConfigNode, _ options: TopLevelOptions) {
        for entry in root.mapping ?? [] {
            switch entry.key {
            case "lateness_ms", "on_late", "live":
                guard options.mode != .live else { continue }
                findings.warning(
                    "config.no_effect", "\(entry.key) has no effect in batch mode", at: entry.keySpan,
                    path: entry.key,
                    help: entry.key == "live" ? "only a pipeline with mode: live drops frames while busy" : nil)
            default: break
            }
        }
    }

    // MARK: - Components

    /// Parses a chain: a list of stages inside a component.
    static func chain(_ list: ConfigNode, path: String, findings: Findings) -> [ComponentDescription] {
        DescriptionParser(findings).components(list, .stage, path: path)
    }

    private func components(_ list: ConfigNode, _ role: Plan.Role, path: String) -> [ComponentDescription] {
        if list.isNull { return [] }
        guard let items = list.sequence else {
            findings.error(
                "config.list", "\(role.rawValue)s must be a list, and this is \(list.described)", at: list.span,
                path: path,
                help: "write each \(role.rawValue) on a line of its own, with \"- \" before it")
            return []
        }
        return items.enumerated().map { index, item in
            component(item, role, path: "\(path)[\(index)]") ?? broken(item, role, path: "\(path)[\(index)]")
        }
    }

    /// Returns a placeholder for an item that could not be read, so that the items after it are connected correctly.
    private func broken(_ item: ConfigNode, _ role: Plan.Role, path: String) -> ComponentDescription {
        ComponentDescription(
            role: role, name: "", nameSpan: item.span, id: "", idSpan: item.span, hasExplicitID: false, from: nil,
            onError: nil, onDisorder: nil, maxJumpS: 0, options: ConfigNode(.mapping([]), span: item.span),
            value: item, path: path, isBroken: true)
    }

    private func component(_ item: ConfigNode, _ role: Plan.Role, path: String) -> ComponentDescription? {
        // In YAML, a plain `null` means that there is no value. In a list of components, it can only mean the sink of that name.
        if let scalar = item.scalar, !item.isNull || scalar.text == "null" {
            let options = ConfigNode(.mapping([]), span: item.span)
            return describe(scalar.text, item.span, options, role, path: "\(path).\(scalar.text)")
        }
        guard let entries = item.mapping, let first = entries.first else {
            findings.error(
                "config.component",
                "a \(role.rawValue) is a name, or a name with its options; this is \(item.described)",
                at: item.span, path: path)
            return nil
        }
        guard entries.count == 1 else {
            // The usual mistake is that the options are not indented further than the name.
            let help =
                first.value.isNull
                ? "indent the options of \(first.key) further than its name"
                : "begin each \(role.rawValue) with \"- \" on a line of its own"
            findings.error(
                "config.component",
                "one list item names \(entries.count) things: "
                    + entries.prefix(4).map(\.key).joined(separator: ", ") + (entries.count > 4 ? ", …" : ""),
                at: entries[1].keySpan, path: path, help: help)
            return nil
        }
        let isMapping = first.value.mapping != nil
        guard isMapping || first.value.isNull else {
            findings.error(
                "config.component",
                "the options of \(first.key) must be a mapping, and this is \(first.value.described)",
                at: first.value.span, path: "\(path).\(first.key)")
            return nil
        }
        let options = isMapping ? first.value : ConfigNode(.mapping([]), span: first.keySpan)
        var description = describe(first.key, first.keySpan, options, role, path: "\(path).\(first.key)")
        description.value = first.value
        return description
    }

    private func describe(
        _ name: String, _ nameSpan: SourceSpan, _ node: ConfigNode, _ role: Plan.Role, path: String
    ) -> ComponentDescription {
        let context = DecodingContext(findings: findings, path: path, baseDirectory: ".")
        let (common, rest) = split(node, by: ["id", "from", "on_error"])
        let (timing, other) = role == .source ? split(rest, by: ["on_disorder", "max_jump_s"]) : (nil, rest)
        let (sharing, own) = role == .stage ? split(other, by: ["workers"]) : (nil, other)
        let keys: ComponentKeys = .decode(common, context)
        let sourceKeys: SourceKeys = timing.map { .decode($0, context) } ?? SourceKeys()
        var description = ComponentDescription(
            role: role, name: name, nameSpan: nameSpan, id: name, idSpan: nameSpan, hasExplicitID: false,
            from: keys.from.map { references($0, path: "\(path).from") },
            fromSpan: common.mapping?.first { $0.key == "from" }?.keySpan, onError: keys.onError,
            onErrorSpan: common["on_error"]?.span, onDisorder: sourceKeys.onDisorder, maxJumpS: sourceKeys.maxJumpS,
            options: own, value: node, path: path)
        if let sharing {
            let keys: StageKeys = .decode(sharing, context)
            (description.workers, description.workersSpan) = (keys.workers, sharing.mapping?.first?.keySpan)
        }
        if let id = keys.id, let place = common["id"]?.span {
            if Self.isValid(id: id) {
                (description.id, description.idSpan, description.hasExplicitID) = (id, place, true)
            } else {
                findings.error(
                    "graph.bad_id", "\"\(id)\" cannot be an id", at: place, path: "\(path).id",
                    help: "an id consists of letters, digits, _ and -")
            }
        }
        if let node = common["id"], !description.hasExplicitID {
            description.hasUnknownID = !node.isNull || findings.isUnreadable(node.span)
        }
        if role == .source, keys.from != nil, let span = description.fromSpan {
            findings.error(
                "graph.source_from", "a source takes nothing from other components", at: span,
                path: "\(path).from")
        }
        return description
    }

    private static func isValid(id: String) -> Bool {
        !id.isEmpty
            && id.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-"
            }
    }

    private func split(_ node: ConfigNode, by keys: [String]) -> (taken: ConfigNode, rest: ConfigNode) {
        let entries = node.mapping ?? []
        return (
            ConfigNode(.mapping(entries.filter { keys.contains($0.key) }), span: node.span),
            ConfigNode(.mapping(entries.filter { !keys.contains($0.key) }), span: node.span)
        )
    }

    // MARK: - Edges

    private func references(_ node: ConfigNode, path: String) -> [ComponentDescription.Reference] {
        if let nodes = node.sequence {
            if nodes.isEmpty {
                findings.error("graph.empty_from", "from names nothing", at: node.span, path: path)
            }
            return nodes.enumerated().compactMap { reference($1, path: "\(path)[\($0)]") }
        }
        return reference(node, path: path).map { [$0] } ?? []
    }

    private func reference(_ node: ConfigNode, path: String) -> ComponentDescription.Reference? {
        if let scalar = node.scalar, !node.isNull {
            return Self.reference(scalar.text, node.span, path: path)
        }
        guard node.mapping != nil else {
            findings.error(
                "option.type", "expected an id or an edge, found \(node.described)", at: node.span, path: path)
            return nil
        }
        let context = DecodingContext(findings: findings, path: path, baseDirectory: ".")
        let options: EdgeOptions = .decode(node, context)
        guard !options.id.isEmpty else { return nil }
        var reference = Self.reference(options.id, node["id"]?.span ?? node.span, path: path)
        reference.written = options
        reference.keys = (node.mapping ?? []).map { ($0.key, $0.keySpan) }
        reference.isExplicit = (node.mapping?.count ?? 0) > 1
        return reference
    }

    private static func reference(_ text: String, _ span: SourceSpan, path: String) -> ComponentDescription.Reference {
        let suffix = ".errors"
        return text.hasSuffix(suffix)
            ? .init(id: String(text.dropLast(suffix.count)), port: .errors, span: span, path: path)
            : .init(id: text, port: .output, span: span, path: path)
    }
}
