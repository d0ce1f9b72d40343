import Pipeline
import PipelineComponents

/// Overrides of the form `ID.OPTION=VALUE`, as used by `--set`.
///
/// The value is a plain scalar, unless it begins like a YAML list, mapping, or quoted string. The option may be inside other
/// options: `gate.landmarks.threshold=0.3`. A name without a dot is a top-level key. The `id` may also belong to a stage inside
/// another stage. If several stages have this `id`, a longer name such as `each.gate` selects one.
struct Overrides {
    private let findings: Findings
    private let limits: YAMLLimits
    private let text: SourceText

    /// Returns the text that findings about overrides refer to, with one override per line.
    static func text(of overrides: [String]) -> SourceText {
        SourceText(file: SourceSpan.overrides, text: overrides.joined(separator: "\n"))
    }

    /// Returns the tree with all overrides applied in order.
    static func apply(
        _ overrides: [String], to root: ConfigNode, limits: YAMLLimits, findings: Findings
    ) -> ConfigNode {
        let text = text(of: overrides)
        let reader = Overrides(findings: findings, limits: limits, text: text)
        var root = root
        var offset = 0
        for setting in overrides {
            reader.apply(setting, at: offset, to: &root)
            offset += setting.unicodeScalars.count + 1
        }
        return root
    }

    private func apply(_ setting: String, at offset: Int, to root: inout ConfigNode) {
        let scalars = setting.unicodeScalars
        guard let equals = scalars.firstIndex(of: "="), equals != scalars.startIndex else {
            findings.error(
                "set.syntax", "expected ID.OPTION=VALUE", at: text.span(from: offset, to: offset + scalars.count),
                help: "as in --set resample.points=32")
            return
        }
        let target = String(scalars[..<equals])
        let valueOffset = offset + target.unicodeScalars.count + 1
        guard
            let value = value(String(scalars[scalars.index(after: equals)...]), at: valueOffset)
        else { return }
        var steps: [(name: String, span: SourceSpan)] = []
        var place = offset
        for step in target.split(separator: ".", omittingEmptySubsequences: false) {
            let length = step.unicodeScalars.count
            steps.append((String(step), text.span(from: place, to: place + length)))
            place += length + 1
        }
        guard !steps.contains(where: { $0.name.isEmpty }) else {
            findings.error(
                "set.syntax", "expected ID.OPTION=VALUE, but a name is empty",
                at: text.span(from: offset, to: valueOffset - 1), help: "as in --set resample.points=32")
            return
        }
        guard steps.count > 1 else { return assign(value, to: steps[...], in: &root) }
        assign(value, to: steps, in: &root)
    }

    private func value(_ written: String, at offset: Int) -> ConfigNode? {
        let length = written.unicodeScalars.count
        let span = text.span(from: offset, to: offset + length)
        guard let first = written.unicodeScalars.first, ["[", "{", "\"", "'"].contains(first) else {
            return ConfigNode(.scalar(.init(text: written, isPlain: true)), span: span)
        }
        let own = Findings()
        // The value becomes part of the tree, so it may use only half of the depth that the tree may have.
        let limits = YAMLLimits(bytes: limits.bytes, depth: limits.depth / 2, nodes: limits.nodes)
        let bytes = Array(written.utf8)
        guard
            case let (string?, lines) = ConfigurationText.decode(
                bytes, file: SourceSpan.overrides, limits: limits, findings: own),
            let node = YAMLComposer.compose(string, lines, limits: limits, findings: own), !own.hasErrors
        else {
            let why = own.diagnostics.first?.message ?? "it is empty"
            findings.error("set.value", "this is not a YAML value: \(why)", at: span)
            return nil
        }
        return moved(node, to: span)
    }

    // Every part of the value gets the position of the whole value, which is precise enough because overrides are short.
    private func moved(_ node: ConfigNode, to span: SourceSpan) -> ConfigNode {
        switch node.value {
        case .scalar: return ConfigNode(node.value, span: span)
        case .sequence(let nodes): return ConfigNode(.sequence(nodes.map { moved($0, to: span) }), span: span)
        case .mapping(let entries):
            let moved = entries.map {
                ConfigNode.Entry(key: $0.key, keySpan: span, value: self.moved($0.value, to: span))
            }
            return ConfigNode(.mapping(moved), span: span)
        }
    }

    // MARK: - Finding the component

    private typealias Step = (name: String, span: SourceSpan)

    /// The path to a component: the index of the list's key at the top level, then the index of the component in that list. For a
    /// stage inside other components, the path continues with one index per chain, the outermost chain first.
    private typealias Place = [Int]

    private func assign(_ value: ConfigNode, to steps: [Step], in root: inout ConfigNode) {
        var lists: [(name: String, place: Place, node: ConfigNode)] = []
        var (others, sinks): (Set<String>, Int?) = ([], nil)
        for (index, entry) in (root.mapping ?? []).enumerated()
        where ["sources", "stages", "sinks"].contains(entry.key) {
            lists.append(("", [index], entry.value))
            if entry.key == "sinks" {
                sinks = index
            } else {
                others.formUnion((entry.value.sequence ?? []).compactMap { Self.component($0)?.id })
            }
        }
        // Search level by level, so that a component at the top level takes precedence over one inside another component.
        var ids: [String] = []
        while !lists.isEmpty {
            var found: [(name: String, place: Place)] = []
            var inner: [(name: String, place: Place, node: ConfigNode)] = []
            for list in lists {
                for (index, item) in (list.node.sequence ?? []).enumerated() {
                    guard let (written, type, _, options) = Self.component(item) else { continue }
                    let isSink = list.place.count == 1 && list.place.first == sinks && options["id"] == nil
                    let id = isSink ? DescriptionParser.sinkID(type, besides: others) : written
                    let (name, place) = (list.name + id, list.place + [index])
                    ids.append(id)
                    if id == steps[0].name { found.append((name, place)) }
                    if let stages = options["stages"] { inner.append((name + ".", place, stages)) }
                }
            }
            if let first = found.first, found.count == 1 || lists.allSatisfy({ $0.name.isEmpty }) {
                assign(value, to: steps[1...], at: first.place[...], in: &root)
                return
            }
            guard found.isEmpty else {
                let names = found.map(\.name)
                findings.error(
                    "set.ambiguous", "several components are called \"\(steps[0].name)\"", at: steps[0].span,
                    help: "write one of \(shortList(names))")
                return
            }
            lists = inner
        }
        let name = steps[0].name
        let near = nearestName(to: name, among: ids)
        let isKey = ["live", "serve"].contains(name)
        findings.error(
            "set.unknown_id", "nothing is called \"\(name)\"", at: steps[0].span,
            help: isKey
                ? "set the whole key of the pipeline: --set '\(name)={ \(steps[1].name): \(value.json) }'"
                : suggestion(for: name, among: ids, list: "known"),
            fix: isKey ? nil : near.map { .init(title: "write \($0)", span: steps[0].span, replacement: $0) })
    }

    /// Sets a value in the component at a path.
    private func assign(
        _ value: ConfigNode, to steps: ArraySlice<Step>, at place: ArraySlice<Int>, in root: inout ConfigNode
    ) {
        guard case .mapping(var entries) = root.value, let list = place.first, list < entries.count else { return }
        assign(value, to: steps, at: place.dropFirst(), inList: &entries[list].value)
        root.value = .mapping(entries)
    }

    private func assign(
        _ value: ConfigNode, to steps: ArraySlice<Step>, at place: ArraySlice<Int>, inList list: inout ConfigNode
    ) {
        guard case .sequence(var items) = list.value, let index = place.first, index < items.count,
            let (_, name, nameSpan, written) = Self.component(items[index])
        else { return }
        var options = written
        if place.count > 1 {
            assign(value, to: steps, at: place.dropFirst(), inStagesOf: &options)
        } else if let inner = steps.first, steps.count > 1, options[inner.name] == nil,
            let index = options["stages"]?.sequence?.firstIndex(where: { Self.component($0)?.id == inner.name })
        {
            assign(value, to: steps.dropFirst(), at: [index], inStagesOf: &options)
        } else {
            assign(value, to: steps, in: &options)
        }
        let entry = ConfigNode.Entry(key: name, keySpan: nameSpan, value: options)
        items[index] = ConfigNode(.mapping([entry]), span: items[index].span)
        list.value = .sequence(items)
    }

    private func assign(
        _ value: ConfigNode, to steps: ArraySlice<Step>, at place: ArraySlice<Int>, inStagesOf options: inout ConfigNode
    ) {
        guard case .mapping(var entries) = options.value, let stages = entries.firstIndex(where: { $0.key == "stages" })
        else { return }
        assign(value, to: steps, at: place, inList: &entries[stages].value)
        options.value = .mapping(entries)
    }

    private static func component(
        _ item: ConfigNode
    ) -> (id: String, name: String, nameSpan: SourceSpan, options: ConfigNode)? {
        if let scalar = item.scalar, !item.isNull {
            return (scalar.text, scalar.text, item.span, ConfigNode(.mapping([]), span: item.span))
        }
        guard let entries = item.mapping, let first = entries.first, entries.count == 1 else { return nil }
        guard first.value.mapping != nil || first.value.isNull else { return nil }
        let options = first.value.isNull ? ConfigNode(.mapping([]), span: first.keySpan) : first.value
        return (options["id"]?.scalar?.text ?? first.key, first.key, first.keySpan, options)
    }

    /// Sets a value at a path of keys. Creates missing mappings, replaces a scalar where a mapping is needed, and reports a list
    /// there.
    private func assign(_ value: ConfigNode, to steps: ArraySlice<Step>, in node: inout ConfigNode) {
        guard let step = steps.first else {
            node = value
            return
        }
        var entries = node.mapping ?? []
        if let index = entries.firstIndex(where: { $0.key == step.name }) {
            if steps.count > 1, entries[index].value.mapping == nil {
                guard entries[index].value.sequence == nil else {
                    findings.error(
                        "set.syntax", "\"\(step.name)\" is a list, so nothing in it has a name", at: step.span,
                        help: step.name == "stages"
                            ? "name a stage by its id, as in --set resample.points=32"
                            : "give the whole list, as in \(step.name)=[a, b]")
                    return
                }
                entries[index].value.span = step.span
            }
            assign(value, to: steps.dropFirst(), in: &entries[index].value)
            entries[index].keySpan = step.span
        } else {
            var child = ConfigNode(.mapping([]), span: step.span)
            assign(value, to: steps.dropFirst(), in: &child)
            entries.append(.init(key: step.name, keySpan: step.span, value: child))
        }
        node.value = .mapping(entries)
    }
}
