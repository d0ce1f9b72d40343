import Pipeline
import PipelineComponents

/// Sets values in the text of a configuration. The rest of the text, such as comments, order and whitespace, stays unchanged.
public struct ConfigurationEditor {
    /// A change that replaces the text in a range of offsets, which count Unicode scalars.
    private struct Change {
        var range: Range<Int>
        var text: String
    }

    private let scalars: [Unicode.Scalar]
    /// The offsets at which the lines begin.
    private let lines: [Int]
    private var changes: [Change] = []

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        lines = scalars.enumerated().reduce(into: [0]) { if $1.element == "\n" { $0.append($1.offset + 1) } }
    }

    /// Returns the text with overrides applied.
    ///
    /// - Parameters:
    ///   - overrides: The overrides, in the form of `--set`: `ID.OPTION=VALUE`.
    ///   - text: The configuration.
    /// - Throws: A configuration error if the text or an override is invalid, or if changing the value would also change other
    ///   values, for example because the text uses an alias.
    public static func setting(_ overrides: [String], in text: String) throws(PipelineError) -> String {
        let findings = Findings()
        guard let old = tree(text, findings) else { throw refused(findings) }
        let wanted = Overrides.apply(overrides, to: old, limits: YAMLLimits(), findings: findings)
        guard !findings.hasErrors else { throw refused(findings) }
        var editor = ConfigurationEditor(text)
        editor.compare(old, wanted)
        let edited = editor.edited
        // Check that the edited text has the same meaning as the tree with the overrides applied.
        guard let found = tree(edited, Findings()), isSame(found, wanted) else {
            throw PipelineError(
                .configuration, "edit.impossible",
                "the configuration is written so that these values cannot be set without changing others",
                help: "set them by hand: \(overrides.joined(separator: ", "))")
        }
        return edited
    }

    private static func refused(_ findings: Findings) -> PipelineError {
        PipelineError(
            .configuration, "edit.refused", findings.diagnostics.first?.message ?? "the configuration cannot be read")
    }

    private static func tree(_ text: String, _ findings: Findings) -> ConfigNode? {
        let limits = YAMLLimits()
        let (string, source) = ConfigurationText.decode(
            Array(text.utf8), file: "configuration", limits: limits, findings: findings)
        guard let string, let root = YAMLComposer.compose(string, source, limits: limits, findings: findings),
            !findings.hasErrors
        else { return nil }
        return root
    }

    private static func isSame(_ a: ConfigNode, _ b: ConfigNode) -> Bool {
        switch (a.value, b.value) {
        case (.scalar(let a), .scalar(let b)): a.text == b.text
        case (.sequence(let a), .sequence(let b)): a.count == b.count && zip(a, b).allSatisfy(isSame)
        case (.mapping(let a), .mapping(let b)):
            a.count == b.count
                && a.allSatisfy { entry in
                    b.first { $0.key == entry.key }.map { isSame(entry.value, $0.value) } ?? false
                }
        default: a.isNull && (b.mapping?.isEmpty ?? false)
        }
    }

    // MARK: - Finding changes

    private mutating func compare(_ old: ConfigNode, _ new: ConfigNode) {
        switch (old.value, new.value) {
        case (.sequence(let old), .sequence(let new)):
            for (old, new) in zip(old, new) { compare(old, new) }
        case (.mapping(let entries), .mapping(let wanted)):
            var added: [ConfigNode.Entry] = []
            for entry in wanted {
                if let before = entries.first(where: { $0.key == entry.key }) {
                    compareValue(before, entry)
                } else {
                    added.append(entry)
                }
            }
            insert(added, into: old, entries)
        case (.scalar, .mapping(let wanted)):
            // The item is a component's name without options: insert them after the name.
            guard let component = wanted.first, let options = component.value.mapping, !options.isEmpty else { return }
            changes.append(
                Change(range: offset(old.span.end)..<offset(old.span.end), text: ": " + Self.flow(component.value)))
        default: break
        }
    }

    private mutating func compareValue(_ before: ConfigNode.Entry, _ entry: ConfigNode.Entry) {
        if entry.value.span.isOverride {
            let range = offset(before.value.span.start)..<offset(before.value.span.end)
            // The place of a value that is left out is right after the colon.
            changes.append(Change(range: range, text: (range.isEmpty ? " " : "") + Self.flow(entry.value)))
        } else if before.value.isNull, let options = entry.value.mapping, !options.isEmpty {
            // The item is a name with a colon and no options, `match:`: insert them after the colon.
            let end = offset(before.keySpan.end) + 1
            changes.append(Change(range: end..<end, text: " " + Self.flow(entry.value)))
        } else {
            compare(before.value, entry.value)
        }
    }

    /// Inserts entries before the first entry of a mapping, in flow or block style like the mapping itself.
    private mutating func insert(_ added: [ConfigNode.Entry], into node: ConfigNode, _ entries: [ConfigNode.Entry]) {
        guard !added.isEmpty else { return }
        let written = added.map { "\(Self.plain($0.key)): \(Self.flow($0.value))" }
        let begin = offset(node.span.start)
        guard let first = entries.first else {
            // The mapping is empty: `{}`, possibly with whitespace between the braces.
            changes.append(Change(range: (begin + 1)..<(begin + 1), text: " " + written.joined(separator: ", ") + " "))
            return
        }
        let place = offset(first.keySpan.start)
        let isFlow = begin < scalars.count && scalars[begin] == "{"
        let indentation = String(repeating: " ", count: first.keySpan.start.column - 1)
        let text = written.map { $0 + (isFlow ? ", " : "\n" + indentation) }.joined()
        changes.append(Change(range: place..<place, text: text))
    }

    private var edited: String {
        var scalars = scalars
        for change in changes.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            scalars.replaceSubrange(change.range, with: Array(change.text.unicodeScalars))
        }
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private func offset(_ position: SourcePosition) -> Int {
        let line = min(max(position.line - 1, 0), lines.count - 1)
        return min(lines[line] + position.column - 1, scalars.count)
    }

    // MARK: - Writing values

    /// Returns a value as YAML in flow style, on one line.
    private static func flow(_ node: ConfigNode) -> String {
        switch node.value {
        case .scalar(let scalar): scalar.isPlain ? plain(scalar.text) : JSONValue.quoted(scalar.text)
        case .sequence(let nodes): "[" + nodes.map(flow).joined(separator: ", ") + "]"
        case .mapping(let entries):
            "{ " + entries.map { "\(plain($0.key)): \(flow($0.value))" }.joined(separator: ", ") + " }"
        }
    }

    /// Returns the text as a YAML scalar, with quotes unless it can be a plain scalar in every context.
    private static func plain(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                        || ["_", ".", "-", "/", "+"].contains($0))
            }
        return isPlain && text.first != "-" || Double(text) != nil ? text : JSONValue.quoted(text)
    }
}
