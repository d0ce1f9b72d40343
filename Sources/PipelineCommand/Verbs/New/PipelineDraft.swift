import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// A configuration to start from, with the given components and all their options.
///
/// An option that the component's own example sets gets the same value. Every other option is written as a comment with its
/// default, which the user can uncomment.
struct PipelineDraft {
    private let registry: Registry
    private let entries: [Registry.Entry]
    /// The value of the source's option `kind`; `nil` for the value in the source's example.
    private var kind: String?

    /// Creates a draft of components, named in the order in which frames pass them.
    ///
    /// - Throws: A usage error for an unknown name, or for a component in a position where its role is not allowed.
    init(_ names: [String], _ registry: Registry) throws(UsageError) {
        self.registry = registry
        guard names.count > 1 else {
            throw UsageError(
                "a pipeline needs at least a source and a sink",
                help: "name the components in order: pipectl new --pipeline zmq smooth stdout")
        }
        var entries: [Registry.Entry] = []
        for (place, name) in names.enumerated() {
            let role: Plan.Role = place == 0 ? .source : place == names.count - 1 ? .sink : .stage
            guard let entry = registry.entry(name, role) else { throw Self.unknown(name, role, registry) }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func unknown(_ name: String, _ role: Plan.Role, _ registry: Registry) -> UsageError {
        let names = registry.entries.filter { $0.role == role }.map(\.manifest.name)
        let others = registry.entries.filter { $0.manifest.name == name }.map { "\($0.role)" }
        return UsageError(
            "no \(role) is named \"\(name)\"",
            help: nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" },
            others.isEmpty ? nil : "\"\(name)\" is a \(others.joined(separator: " and a "))",
            "the first name is the source, the last one the sink; \"pipectl stages\" lists them all")
    }

    /// Returns the draft as text. The source has the `kind` of its example if the draft is valid with that kind; otherwise the
    /// first kind with which the draft is valid. If there is none, the draft is invalid and has the kind of the example.
    func text() -> String {
        let kinds = [nil] + registry.kinds.map { Optional($0.name) }
        let drafts = kinds.map { kind in
            var draft = self
            draft.kind = kind
            return draft.written
        }
        return drafts.first { findings(of: $0).isEmpty } ?? drafts[0]
    }

    /// Returns the errors of a draft, except errors about files, because examples may name files that do not exist.
    func findings(of text: String) -> [Diagnostic] {
        PipelineLoader(registry: registry).load(text: text, name: "draft").diagnostics.filter {
            $0.severity == .error && !$0.code.hasPrefix("file.")
        }
    }

    // MARK: Writing

    private var written: String {
        var text = "version: 1\n"
        for role in Plan.Role.allCases {
            let chosen = entries.filter { $0.role == role }
            guard !chosen.isEmpty else { continue }
            text += "\n\(role)s:\n" + chosen.map(item).joined()
        }
        return text
    }

    private func item(_ entry: Registry.Entry) -> String {
        let given = example(of: entry)
        let names = Set(entry.options.map(\.name))
        let lines = entry.options.flatMap { option -> [String] in
            if option.isAnyName {
                let own = given.filter { !names.contains($0.key) }
                return ["      # \(option.summary)"] + own.map { "      \($0.key): \($0.value.text)" }
            }
            var value = given.first { $0.key == option.name }?.value.text
            if option.name == "kind", entry.role == .source, let kind { value = kind }
            // The examples of a source and a sink may name the same file, which the sink would overwrite.
            if entry.role == .sink, option.schema == .path, let path = value, isRead(path) { value = "new-" + path }
            if option.isRequired, value == nil { value = option.example ?? option.defaultYAML ?? "\"\"" }
            return self.lines(option, value)
        }
        // With the colon, the options can be uncommented one by one.
        let name = entry.manifest.name
        let head = "  # \(entry.manifest.summary).\n  - \(name)\(lines.isEmpty ? "" : ":")\n"
        return head + lines.map { $0 + "\n" }.joined()
    }

    /// Returns whether a source of the draft reads the file that its example names.
    private func isRead(_ path: String) -> Bool {
        entries.contains { entry in
            entry.role == .source
                && example(of: entry).contains {
                    $0.key == "path" && $0.value.text == path && $0.value.scalar?.isPlain == true
                }
        }
    }

    /// Returns the lines of an option: its meaning and type as a comment, then its value, or its default as a comment.
    private func lines(_ option: OptionDescription, _ value: String?) -> [String] {
        let indent = "      "
        let about = "\(indent)# \(option.summary) (\(option.type))"
        if let value { return [about, "\(indent)\(option.name): \(value)"] }
        if case .group(let options) = option.schema {
            return [about, "\(indent)# \(option.name):"]
                + options.map { "\(indent)#   \($0.name): \($0.defaultYAML ?? "")".trimmingEnd() }
        }
        return [about, "\(indent)# \(option.name): \(option.defaultYAML ?? "")".trimmingEnd()]
    }

    /// Returns the options that the component's own example sets.
    private func example(of entry: Registry.Entry) -> [ConfigNode.Entry] {
        let list = ConfigNode.parse(yaml: entry.manifest.example)?["\(entry.role)s"]?.sequence ?? []
        let values = list.compactMap { $0[entry.manifest.name]?.mapping }
        return values.first ?? []
    }
}

extension ConfigNode {
    /// The node as YAML on one line.
    fileprivate var text: String {
        switch value {
        case .sequence(let nodes): "[" + nodes.map(\.text).joined(separator: ", ") + "]"
        case .mapping(let entries):
            "{ " + entries.map { "\($0.key.yaml ?? $0.key): \($0.value.text)" }.joined(separator: ", ") + " }"
        case .scalar(let scalar): scalar.isPlain ? scalar.text : scalar.text.yaml ?? ""
        }
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        var text = self
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
