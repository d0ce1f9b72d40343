import Pipeline
import PipelineComponents

/// Parses a YAML text into a tree in which every node has its position. The size of the tree is limited.
///
/// The parser is stricter than YAML: it reports duplicate keys, tags outside the core schema, aliases without an anchor, merge
/// keys, keys that are not names, and multiple documents. It continues after an error where possible, so that one pass reports all
/// findings. An alias shares the node of its anchor, so nothing is copied, but it counts against the limits with its expanded
/// size. O(n) in the length of the text.
struct YAMLComposer {
    /// Thrown when parsing cannot continue. A finding has already been reported.
    private struct Stop: Error {}

    /// A node with its expanded size.
    private struct Composed {
        var node: ConfigNode
        /// The number of nodes including this one, with aliases counted as expanded.
        var count: Int
        /// The number of nested levels of lists and mappings; 0 for a scalar.
        var height: Int
    }

    private let text: SourceText
    private let limits: YAMLLimits
    private let findings: Findings
    private let reader: YAMLEventReader
    private var anchors: [String: Composed] = [:]
    private var openAnchors: Set<String> = []
    private var count = 0

    private init(_ text: SourceText, _ string: String, _ limits: YAMLLimits, _ findings: Findings) {
        self.text = text
        self.limits = limits
        self.findings = findings
        reader = YAMLEventReader(string)
    }

    /// Returns the tree of a text, or `nil` with a finding if the text cannot be parsed.
    ///
    /// - Parameters:
    ///   - string: Valid text without a byte order mark, within the size limit.
    ///   - text: The same text with its lines.
    static func compose(
        _ string: String, _ text: SourceText, limits: YAMLLimits = YAMLLimits(), findings: Findings
    ) -> ConfigNode? {
        var composer = YAMLComposer(text, string, limits, findings)
        do {
            return try composer.stream()
        } catch let problem as YAMLProblem {
            findings.add(problem.diagnostic(in: text))
            return nil
        } catch {
            return nil
        }
    }

    private mutating func stream() throws -> ConfigNode? {
        var root: ConfigNode?
        while true {
            let event = try reader.next()
            switch event.kind {
            case .streamStart, .documentEnd: continue
            case .documentStart:
                if root != nil {
                    findings.error(
                        "yaml.documents", "a configuration is one document, and a second one begins here",
                        at: text.span(from: event.start, to: min(event.end, event.start + 3)),
                        help: "put each pipeline into a file of its own")
                    return nil
                }
                root = try compose(try reader.next(), depth: 0).node
            case .streamEnd:
                if root == nil { reportEmpty() }
                return root
            default: return root
            }
        }
    }

    private func reportEmpty() {
        findings.error(
            "yaml.empty", "the configuration is empty", at: text.span(from: 0, to: 0),
            help: "a pipeline needs at least sources and sinks")
    }

    private mutating func compose(_ event: YAMLEvent, depth: Int) throws -> Composed {
        switch event.kind {
        case .alias(let name):
            return try alias(name, event, depth: depth)
        case .scalar(let string, let isPlain, let properties):
            try add(1, at: event)
            let node = scalar(string, isPlain: isPlain, properties, event)
            return define(properties.anchor, Composed(node: node, count: 1, height: 0))
        case .sequenceStart(let isFlow, let properties):
            try descend(to: depth + 1, at: event)
            checkTag(properties.tag, is: "seq", "a list", event)
            return try open(properties.anchor) { composer in
                try composer.sequence(from: event, isFlow: isFlow, depth: depth + 1)
            }
        case .mappingStart(let isFlow, let properties):
            try descend(to: depth + 1, at: event)
            checkTag(properties.tag, is: "map", "a mapping", event)
            return try open(properties.anchor) { composer in
                try composer.mapping(from: event, isFlow: isFlow, depth: depth + 1)
            }
        default:
            // This cannot happen: libyaml checks the grammar, which allows only the events above at the position of a node.
            throw Stop()
        }
    }

    // MARK: - Collections

    private mutating func sequence(from start: YAMLEvent, isFlow: Bool, depth: Int) throws -> Composed {
        var nodes: [ConfigNode] = []
        var count = 1
        var height = 0
        while true {
            let event = try reader.next()
            if case .sequenceEnd = event.kind {
                let span = span(of: start, to: event, isFlow: isFlow, last: nodes.last?.span)
                return Composed(node: ConfigNode(.sequence(nodes), span: span), count: count, height: height + 1)
            }
            let element = try compose(event, depth: depth)
            nodes.append(element.node)
            count += element.count
            height = max(height, element.height)
        }
    }

    private mutating func mapping(from start: YAMLEvent, isFlow: Bool, depth: Int) throws -> Composed {
        var entries: [ConfigNode.Entry] = []
        var places: [String: SourceSpan] = [:]
        var last: SourceSpan?
        var count = 1
        var height = 0
        while true {
            let event = try reader.next()
            if case .mappingEnd = event.kind {
                let span = span(of: start, to: event, isFlow: isFlow, last: last)
                return Composed(node: ConfigNode(.mapping(entries), span: span), count: count, height: height + 1)
            }
            let key = try compose(event, depth: depth)
            let value = try compose(try reader.next(), depth: depth)
            count += key.count + value.count
            height = max(height, key.height, value.height)
            last = value.node.span.end > key.node.span.end ? value.node.span : key.node.span
            guard let name = name(of: key.node) else { continue }
            if let first = places[name] {
                findings.error(
                    "yaml.duplicate_key", "\"\(name)\" is given twice", at: key.node.span,
                    label: "first given on line \(first.start.line)")
                continue
            }
            places[name] = key.node.span
            entries.append(ConfigNode.Entry(key: name, keySpan: key.node.span, value: value.node))
        }
    }

    /// Returns the text of a key, or `nil` with a finding if the key is not allowed.
    private func name(of key: ConfigNode) -> String? {
        guard let scalar = key.scalar else {
            findings.error("yaml.key", "a key must be a name, and this is \(key.described)", at: key.span)
            return nil
        }
        if scalar.isPlain, scalar.text == "<<" {
            findings.error(
                "yaml.merge_key", "merge keys (<<) are not part of YAML 1.2 and not supported", at: key.span,
                help: "write the keys out, or give an alias as the whole value")
            return nil
        }
        guard !scalar.text.isEmpty else {
            findings.error("yaml.key", "a key must be a name, and this one is empty", at: key.span)
            return nil
        }
        return scalar.text
    }

    // libyaml ends a block collection where the next token begins. Findings need the end of the collection's last element instead.
    private func span(of start: YAMLEvent, to end: YAMLEvent, isFlow: Bool, last: SourceSpan?) -> SourceSpan {
        if !isFlow, let last, last.file == text.file {
            let begin = text.position(at: start.start)
            return SourceSpan(file: text.file, start: begin, end: max(begin, last.end))
        }
        return text.span(from: start.start, to: isFlow ? end.end : start.end)
    }

    // MARK: - Scalars and tags

    private func scalar(
        _ string: String, isPlain: Bool, _ properties: YAMLEvent.Properties, _ event: YAMLEvent
    ) -> ConfigNode {
        var isPlain = isPlain
        switch properties.tag {
        case nil: break
        case "!": isPlain = false
        case let tag?:
            switch Self.core(tag) {
            case "str": isPlain = false
            case "int", "float", "bool", "null": isPlain = true
            case "seq", "map":
                findings.error(
                    "yaml.tag", "tag \(Self.short(tag)) does not fit a scalar",
                    at: text.span(from: event.start, to: event.end))
            default: reportUnknown(tag, event)
            }
        }
        let value = withoutProperties(event, properties)
        return ConfigNode(
            .scalar(.init(text: string, isPlain: isPlain)), span: text.span(from: value.start, to: value.end))
    }

    /// Returns the event of a scalar without its properties. It begins after the anchor, the tag, and comments between them and the
    /// value.
    private func withoutProperties(_ event: YAMLEvent, _ properties: YAMLEvent.Properties) -> YAMLEvent {
        guard properties.anchor != nil || properties.tag != nil else { return event }
        var event = event
        let end = min(event.end, text.scalars.count)
        while event.start < end {
            let rest = text.scalars[event.start..<end]
            switch text.scalars[event.start] {
            case "&", "!": event.start = rest.firstIndex { $0.properties.isWhitespace } ?? end
            case "#": event.start = rest.firstIndex { $0 == "\n" || $0 == "\r" } ?? end
            case let next where next.properties.isWhitespace: event.start += 1
            default: return event
            }
        }
        return event
    }

    private func checkTag(_ tag: String?, is wanted: String, _ what: String, _ event: YAMLEvent) {
        guard let tag, tag != "!", Self.core(tag) != wanted else { return }
        if let core = Self.core(tag), ["str", "int", "float", "bool", "null", "seq", "map"].contains(core) {
            findings.error(
                "yaml.tag", "tag \(Self.short(tag)) does not fit \(what)",
                at: text.span(from: event.start, to: event.end))
        } else {
            reportUnknown(tag, event)
        }
    }

    private func reportUnknown(_ tag: String, _ event: YAMLEvent) {
        findings.error(
            "yaml.tag", "unknown tag \(Self.short(tag))", at: text.span(from: event.start, to: event.end),
            help: "known: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map")
    }

    private static let corePrefix = "tag:yaml.org,2002:"

    private static func core(_ tag: String) -> String? {
        tag.hasPrefix(corePrefix) ? String(tag.dropFirst(corePrefix.count)) : nil
    }

    private static func short(_ tag: String) -> String { core(tag).map { "!!\($0)" } ?? tag }

    // MARK: - Anchors and limits

    private mutating func open(
        _ anchor: String?, _ body: (inout YAMLComposer) throws -> Composed
    ) throws -> Composed {
        guard let anchor else { return try body(&self) }
        openAnchors.insert(anchor)
        let composed = try body(&self)
        openAnchors.remove(anchor)
        return define(anchor, composed)
    }

    private mutating func define(_ anchor: String?, _ composed: Composed) -> Composed {
        if let anchor { anchors[anchor] = composed }
        return composed
    }

    private mutating func alias(_ name: String, _ event: YAMLEvent, depth: Int) throws -> Composed {
        let span = text.span(from: event.start, to: event.end)
        guard !openAnchors.contains(name) else {
            findings.error("yaml.alias", "*\(name) is used inside its own value", at: span)
            return unreadable(span)
        }
        guard let target = anchors[name] else {
            let near = anchors.count > 200 ? nil : nearestName(to: name, among: anchors.keys.sorted())
            findings.error(
                "yaml.alias", "no anchor named \"\(name)\" above", at: span,
                help: near.map { "did you mean *\($0)?" } ?? "write &\(name) before the value that it should repeat",
                fix: near.map { .init(title: "write *\($0)", span: span, replacement: "*\($0)") })
            return unreadable(span)
        }
        try add(target.count, at: event)
        if depth + target.height > limits.depth { try descend(to: depth + target.height, at: event) }
        return target
    }

    private func unreadable(_ span: SourceSpan) -> Composed {
        findings.markUnreadable(span)
        return Composed(node: ConfigNode(.scalar(.init(text: "", isPlain: true)), span: span), count: 1, height: 0)
    }

    private mutating func add(_ more: Int, at event: YAMLEvent) throws {
        count += more
        guard count > limits.nodes else { return }
        findings.error(
            "yaml.too_many_nodes", "more than \(limits.nodes) nodes", at: text.span(from: event.start, to: event.end),
            label: "the limit is passed here", help: "an alias counts with its whole value")
        throw Stop()
    }

    private mutating func descend(to depth: Int, at event: YAMLEvent) throws {
        try add(1, at: event)
        guard depth > limits.depth else { return }
        findings.error(
            "yaml.too_deep", "nested more than \(limits.depth) levels deep",
            at: text.span(from: event.start, to: event.end))
        throw Stop()
    }
}
