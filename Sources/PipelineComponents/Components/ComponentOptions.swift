import Pipeline

/// The options of a component: a struct in which each stored property is declared with ``Option``.
///
/// A stored property without ``Option`` can hold options of another type. In a configuration, they are written next to the
/// component's own options, so several components can share options that are declared once. An ``OptionGroup``, in contrast, is
/// the value of a single option and is written as a nested mapping.
public protocol ComponentOptions: Sendable {
    /// Creates options with their default values.
    init()

    /// Reports invalid combinations of options. Called after all options were decoded without an error.
    func check(_ node: ConfigNode, _ context: DecodingContext)
}

/// Options that several components have in common. The reference describes them once, under the heading `title`.
public protocol SharedOptions: ComponentOptions {
    /// The heading, for example `Socket options`.
    static var title: String { get }
}

/// A group of options that is the value of an option: `gate: { landmarks: { threshold: 0.3 } }`.
public protocol OptionGroup: ComponentOptions, OptionValue {}

/// The options of a component without options.
public struct NoOptions: ComponentOptions {
    public init() {}
}

extension ComponentOptions {
    /// Creates options with some values changed from their defaults: `Resample.Options { $0.points = 32 }`.
    public init(_ change: (inout Self) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }

    /// Checks nothing and reports no findings.
    public func check(_ node: ConfigNode, _ context: DecodingContext) {}

    /// All options, in the order of declaration.
    public static var options: [OptionDescription] {
        DeclaredOptions(Self()).options.map { $0.option.description(name: $0.name, section: $0.section) }
    }

    /// The options whose values differ from their defaults, with the values as YAML, in the order of declaration.
    package var changedOptions: [(name: String, yaml: String)] {
        zip(DeclaredOptions(self).options, DeclaredOptions(Self()).options).compactMap { now, usual in
            guard !now.option.isAnyName, let yaml = now.option.yaml, yaml != usual.option.yaml else { return nil }
            return (now.name, yaml)
        }
    }

    /// Decodes options from a mapping and reports every finding. For an unknown key, the finding suggests the closest known name.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self {
        let root = Self()
        let declared = DeclaredOptions(root)
        let errorsBefore = context.findings.diagnostics.count
        if node.isNull {
            // All options keep their defaults.
        } else if let entries = node.mapping {
            declared.decode(entries, of: node, context)
        } else {
            context.mismatch(node, wanted: "a mapping of options", help: suggestedMapping(for: node))
            return root
        }
        for (name, option, _) in declared.options where option.isRequired && node[name] == nil {
            context.findings.error(
                "option.missing", "\"\(name)\" is required", at: node.span, path: context.path,
                help: "add \(name): \(option.description(name: name, section: nil).example ?? "…")")
        }
        let found = context.findings.diagnostics[errorsBefore...]
        if !found.contains(where: { $0.severity == .error }) {
            for part in declared.parts { part.check(node, context) }
        }
        return root
    }

    /// Returns a suggestion for a single word in place of a mapping: the first option for which the word is a valid value.
    private static func suggestedMapping(for node: ConfigNode) -> String? {
        guard let word = node.scalar?.text else { return nil }
        for option in options {
            guard case .choice(let words) = option.schema, words.contains(word) else { continue }
            return "write { \(option.name): \(word) }"
        }
        return nil
    }
}

extension OptionGroup {
    public static var schema: ValueSchema { .group(options) }

    /// The values that differ from their defaults; `nil` if there are none.
    public var yaml: String? {
        let changed = changedOptions
        return changed.isEmpty ? nil : "{ " + changed.map { "\($0.name): \($0.yaml)" }.joined(separator: ", ") + " }"
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self? {
        let before = context.findings.diagnostics.count
        let value: Self = decode(node, context)
        return context.findings.diagnostics[before...].contains { $0.severity == .error } ? nil : value
    }
}
