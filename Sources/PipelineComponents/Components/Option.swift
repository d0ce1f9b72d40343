import Pipeline

/// One option of a component: declared once, bound to a stored property of the options type.
///
/// From it come decoding, validation, `pipectl stages`, the JSON Schema, completion and the reference. The default is the
/// property's own initial value and written nowhere else.
public struct Option<Root: ComponentOptions>: Sendable {
    /// Everything about the option that does not depend on `Root`.
    public let description: OptionDescription

    package let assign: @Sendable (ConfigNode.Entry, inout Root, DecodingContext) -> Void

    /// The value as YAML, where it is not the default.
    package let changed: @Sendable (Root) -> String?

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: The key in YAML, with its unit: `hold_ms`.
    ///   - property: Where the value goes.
    ///   - summary: One sentence.
    ///   - isRequired: Whether a configuration must give it.
    ///   - example: A value for the documentation, as YAML, when the default does not do.
    public init<Value: OptionValue>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, _ summary: String,
        isRequired: Bool = false, example: String? = nil
    ) {
        self.init(
            name, property, schema: Value.schema, summary, isRequired: isRequired, example: example,
            check: { _, _, _ in true })
    }

    /// Declares that every key which is no other option is a value under a name of the user's.
    ///
    /// - Parameters:
    ///   - placeholder: What stands for such a name in the documentation.
    ///   - property: Where the values go, in the order written.
    ///   - summary: One sentence.
    ///   - example: A value for the documentation, as YAML.
    public init<Value: OptionValue>(
        anyName placeholder: String, _ property: any WritableKeyPath<Root, NamedOptions<Value>> & Sendable,
        _ summary: String, example: String? = nil
    ) {
        description = OptionDescription(
            name: placeholder, summary: summary, schema: Value.schema, example: example, isAnyName: true)
        assign = { entry, root, context in
            guard let value = Value.decode(entry.value, context) else { return }
            root[keyPath: property].entries.append((entry.key, value))
        }
        changed = { _ in nil }
    }

    /// Declares a whole number with its range.
    public init(
        _ name: String, _ property: any WritableKeyPath<Root, Int> & Sendable, in range: ClosedRange<Int>,
        _ summary: String, isRequired: Bool = false, example: String? = nil
    ) {
        let (low, high) = (
            range.lowerBound == .min ? nil : range.lowerBound, range.upperBound == .max ? nil : range.upperBound
        )
        self.init(
            name, property, schema: .integer(min: low, max: high), summary, isRequired: isRequired, example: example,
            check: { value, node, context in
                Self.check(
                    range.contains(value), "\(value)", low.map(String.init), high.map(String.init), node, context)
            })
    }

    /// Declares a number with its range.
    public init(
        _ name: String, _ property: any WritableKeyPath<Root, Double> & Sendable, in range: ClosedRange<Double>,
        _ summary: String, isRequired: Bool = false, example: String? = nil
    ) {
        let (low, high) = (
            range.lowerBound == -.infinity ? nil : range.lowerBound,
            range.upperBound == .infinity ? nil : range.upperBound
        )
        self.init(
            name, property, schema: .number(min: low, max: high), summary, isRequired: isRequired, example: example,
            check: { value, node, context in
                Self.check(
                    range.contains(value), shortDecimal(value), low.map(shortDecimal), high.map(shortDecimal), node,
                    context)
            })
    }

    /// Declares a whole number that may be absent, with its range.
    public init(
        _ name: String, _ property: any WritableKeyPath<Root, Int?> & Sendable, in range: ClosedRange<Int>,
        _ summary: String, example: String? = nil
    ) {
        let (low, high) = (
            range.lowerBound == .min ? nil : range.lowerBound, range.upperBound == .max ? nil : range.upperBound
        )
        self.init(
            name, property, schema: .integer(min: low, max: high), summary, isRequired: false, example: example,
            check: { value, node, context in
                guard let value else { return true }
                return Self.check(
                    range.contains(value), "\(value)", low.map(String.init), high.map(String.init), node, context)
            })
    }

    /// Declares a number that may be absent, with its range.
    public init(
        _ name: String, _ property: any WritableKeyPath<Root, Double?> & Sendable, in range: ClosedRange<Double>,
        _ summary: String, example: String? = nil
    ) {
        let (low, high) = (
            range.lowerBound == -.infinity ? nil : range.lowerBound,
            range.upperBound == .infinity ? nil : range.upperBound
        )
        self.init(
            name, property, schema: .number(min: low, max: high), summary, isRequired: false, example: example,
            check: { value, node, context in
                guard let value else { return true }
                return Self.check(
                    range.contains(value), shortDecimal(value), low.map(shortDecimal), high.map(shortDecimal), node,
                    context)
            })
    }

    /// Declares an option whose owner reads it, with the shape it has.
    package init(
        _ name: String, _ property: any WritableKeyPath<Root, ConfigNode?> & Sendable, shape: ValueSchema,
        _ summary: String, isRequired: Bool = false, example: String? = nil
    ) {
        self.init(
            name, property, schema: shape, summary, isRequired: isRequired, example: example, check: { _, _, _ in true }
        )
    }

    private init<Value: OptionValue>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, schema: ValueSchema, _ summary: String,
        isRequired: Bool, example: String?, check: @escaping @Sendable (Value, ConfigNode, DecodingContext) -> Bool
    ) {
        description = OptionDescription(
            name: name, summary: summary, schema: schema, isRequired: isRequired,
            defaultYAML: isRequired ? nil : Root()[keyPath: property].yaml, example: example)
        assign = { entry, root, context in
            guard let value = Value.decode(entry.value, context), check(value, entry.value, context) else { return }
            root[keyPath: property] = value
        }
        let usual = Root()[keyPath: property].yaml
        changed = { root in
            let yaml = root[keyPath: property].yaml
            return yaml == usual ? nil : yaml
        }
    }

    private static func check(
        _ isInside: Bool, _ value: String, _ low: String?, _ high: String?, _ node: ConfigNode,
        _ context: DecodingContext
    ) -> Bool {
        if isInside { return true }
        let range =
            switch (low, high) {
            case (let low?, let high?): "\(low) to \(high)"
            case (let low?, nil): "at least \(low)"
            case (nil, let high?): "at most \(high)"
            case (nil, nil): "any"
            }
        context.findings.error(
            "option.range", "\(value) is out of range", at: node.span, path: context.path, label: "allowed: \(range)")
        return false
    }
}

/// Values under names of the user's, in the order written.
public struct NamedOptions<Value: OptionValue>: Sendable {
    /// The names and the values.
    public var entries: [(name: String, value: Value)]

    /// Puts values under names.
    public init(_ entries: [(name: String, value: Value)] = []) { self.entries = entries }
}

/// What is known of an option without its type.
public struct OptionDescription: Sendable, Equatable {
    /// The key in YAML.
    public let name: String

    /// One sentence.
    public let summary: String

    /// What values it takes.
    public let schema: ValueSchema

    /// Whether a configuration must give it.
    public let isRequired: Bool

    /// The default as YAML; `nil` when there is none.
    public let defaultYAML: String?

    /// A value for the documentation.
    public let example: String?

    /// Whether the name only stands for names of the user's.
    public let isAnyName: Bool

    /// Describes an option.
    public init(
        name: String, summary: String, schema: ValueSchema, isRequired: Bool = false, defaultYAML: String? = nil,
        example: String? = nil, isAnyName: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.schema = schema
        self.isRequired = isRequired
        self.defaultYAML = defaultYAML
        self.example = example
        self.isAnyName = isAnyName
    }
}

/// The options of a component: a plain struct whose initial values are the defaults.
public protocol ComponentOptions: Sendable {
    /// All defaults.
    init()

    /// Every option, in the order the documentation shows them.
    @OptionList<Self>
    static var options: [Option<Self>] { get }

    /// Reports what no single option shows: combinations that make no sense. Called once all options are decoded
    /// without an error.
    func check(_ node: ConfigNode, _ context: DecodingContext)
}

extension ComponentOptions {
    /// Finds nothing.
    public func check(_ node: ConfigNode, _ context: DecodingContext) {}

    /// The options that are not what they are by default, with their values as YAML, in the order of the documentation.
    package var changedOptions: [(name: String, yaml: String)] {
        Self.options.compactMap { option in option.changed(self).map { (option.description.name, $0) } }
    }

    /// Reads options from a mapping, reporting every finding; unknown keys get a did-you-mean.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self {
        var root = Self()
        let errorsBefore = context.findings.diagnostics.count
        let options = Self.options
        if node.isNull {
            // A component without options.
        } else if let entries = node.mapping {
            for entry in entries {
                let named = options.first { $0.description.name == entry.key && !$0.description.isAnyName }
                guard let option = named ?? options.first(where: \.description.isAnyName) else {
                    reportUnknown(entry, among: options.map(\.description.name), context)
                    continue
                }
                option.assign(entry, &root, context.descending(entry.key))
            }
        } else {
            context.mismatch(node, wanted: "a mapping of options", help: suggestedMapping(for: node, options))
        }
        for option in options where option.description.isRequired && node[option.description.name] == nil {
            context.findings.error(
                "option.missing", "\"\(option.description.name)\" is required", at: node.span, path: context.path,
                help: "add \(option.description.name): \(option.description.example ?? "…")")
        }
        let found = context.findings.diagnostics[errorsBefore...]
        if !found.contains(where: { $0.severity == .error }) { root.check(node, context) }
        return root
    }

    /// What a lone word was meant to be: the value of the first option that can have it.
    private static func suggestedMapping(for node: ConfigNode, _ options: [Option<Self>]) -> String? {
        guard let word = node.scalar?.text else { return nil }
        for option in options {
            guard case .choice(let words) = option.description.schema, words.contains(word) else { continue }
            return "write { \(option.description.name): \(word) }"
        }
        return nil
    }

    private static func reportUnknown(_ entry: ConfigNode.Entry, among names: [String], _ context: DecodingContext) {
        let near = context.findings.isCrowded ? nil : nearestName(to: entry.key, among: names)
        context.findings.error(
            "option.unknown", "unknown option \"\(entry.key)\"", at: entry.keySpan,
            path: context.descending(entry.key).path,
            help: context.findings.isCrowded
                ? nil : suggestion(for: entry.key, among: names, list: "valid here") ?? "it takes no options",
            fix: near.map { .init(title: "rename it to \($0)", span: entry.keySpan, replacement: $0) })
    }
}

/// A component without options.
public struct NoOptions: ComponentOptions {
    public init() {}
    public static var options: [Option<NoOptions>] { [] }
}

/// Collects options into a list.
@resultBuilder
public enum OptionList<Root: ComponentOptions> {
    /// Puts one option into the list.
    public static func buildExpression(_ option: Option<Root>) -> [Option<Root>] { [option] }

    /// Puts several options into the list.
    public static func buildExpression(_ options: [Option<Root>]) -> [Option<Root>] { options }

    /// Joins the parts.
    public static func buildBlock(_ parts: [Option<Root>]...) -> [Option<Root>] { parts.flatMap { $0 } }
}

/// A group of options is an option's value itself: `gate: { landmarks: { threshold: 0.3 } }`. Conform the nested options
/// type to it.
public protocol OptionGroup: ComponentOptions, OptionValue {}

extension OptionGroup {
    public static var schema: ValueSchema { .group(options.map(\.description)) }

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
