import Pipeline

/// The options of a component: a struct whose stored properties are each declared with ``Option``.
///
/// A stored property that holds other options, without an ``Option`` before it, puts these beside its own: what several components
/// have in common is declared once. An ``OptionGroup`` as the value of an option is a mapping of its own.
public protocol ComponentOptions: Sendable {
    /// Makes options of which each is as by default.
    init()

    /// Reports what no single option shows: combinations that make no sense. Called once all options are decoded
    /// without an error.
    func check(_ node: ConfigNode, _ context: DecodingContext)
}

/// Options that several components have in common. The reference describes them once, under their title.
public protocol SharedOptions: ComponentOptions {
    /// The heading: `Socket options`.
    static var title: String { get }
}

/// A group of options is an option's value itself: `gate: { landmarks: { threshold: 0.3 } }`.
public protocol OptionGroup: ComponentOptions, OptionValue {}

/// A component without options.
public struct NoOptions: ComponentOptions {
    public init() {}
}

extension ComponentOptions {
    /// Makes options of which some are not as by default: `Resample.Options { $0.points = 32 }`.
    public init(_ change: (inout Self) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }

    /// Finds nothing.
    public func check(_ node: ConfigNode, _ context: DecodingContext) {}

    /// Every option, in the order declared.
    public static var options: [OptionDescription] {
        DeclaredOptions(Self()).options.map { $0.option.description(name: $0.name, section: $0.section) }
    }

    /// The options that are not what they are by default, with their values as YAML, in the order declared.
    package var changedOptions: [(name: String, yaml: String)] {
        zip(DeclaredOptions(self).options, DeclaredOptions(Self()).options).compactMap { now, usual in
            guard !now.option.isAnyName, let yaml = now.option.yaml, yaml != usual.option.yaml else { return nil }
            return (now.name, yaml)
        }
    }

    /// Reads options from a mapping, reporting every finding; unknown keys get a did-you-mean.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self {
        let root = Self()
        let declared = DeclaredOptions(root)
        let errorsBefore = context.findings.diagnostics.count
        if node.isNull {
            // A component without options.
        } else if let entries = node.mapping {
            declared.decode(entries, of: node, context)
        } else {
            context.mismatch(node, wanted: "a mapping of options", help: suggestedMapping(for: node))
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

    /// What a lone word was meant to be: the value of the first option that can have it.
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

    /// What is not as by default; nothing, when all is.
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
