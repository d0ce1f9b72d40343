import Pipeline

/// The options of a value, found by reflection on its stored properties. Reflection is used only while a configuration is read,
/// never while frames are processed.
struct DeclaredOptions {
    /// The options with their names in YAML, in the order of declaration.
    private(set) var options: [(name: String, option: any DeclaredOption, section: String?)] = []

    /// The values that declare the options: values nested in others come first, the whole value comes last.
    private(set) var parts: [any ComponentOptions] = []

    /// Finds the options of a value.
    init(_ root: any ComponentOptions) { add(root) }

    private mutating func add(_ part: any ComponentOptions) {
        let section = (type(of: part) as? any SharedOptions.Type)?.title
        for property in Mirror(reflecting: part).children {
            if let option = property.value as? any DeclaredOption {
                options.append((option.givenName ?? Self.name(of: property.label ?? ""), option, section))
            } else if let inner = property.value as? any ComponentOptions {
                add(inner)
            }
        }
        parts.append(part)
    }

    /// Returns the YAML key of a wrapped property: `hold_ms` for `_holdMs`.
    private static func name(of label: String) -> String {
        var name = ""
        for letter in label.drop(while: { $0 == "_" }) {
            if letter.isUppercase { name += "_" }
            name += letter.lowercased()
        }
        return name
    }

    /// Decodes the entries of a mapping.
    func decode(_ entries: [ConfigNode.Entry], of node: ConfigNode, _ context: DecodingContext) {
        let anyName = options.first { $0.option.isAnyName }?.option
        var others: [ConfigNode.Entry] = []
        for entry in entries {
            if let known = options.first(where: { $0.name == entry.key && !$0.option.isAnyName }) {
                known.option.decode(entry.value, context.descending(entry.key))
            } else if anyName != nil {
                others.append(entry)
            } else {
                reportUnknown(entry, context)
            }
        }
        if !others.isEmpty { anyName?.decode(ConfigNode(.mapping(others), span: node.span), context) }
    }

    private func reportUnknown(_ entry: ConfigNode.Entry, _ context: DecodingContext) {
        let names = options.map(\.name)
        let near = context.findings.hasTooManyForDetail ? nil : nearestName(to: entry.key, among: names)
        context.findings.error(
            "option.unknown", "unknown option \"\(entry.key)\"", at: entry.keySpan,
            path: context.descending(entry.key).path,
            help: context.findings.hasTooManyForDetail
                ? nil : suggestion(for: entry.key, among: names, list: "valid here") ?? "it takes no options",
            fix: near.map { .init(title: "rename it to \($0)", span: entry.keySpan, replacement: $0) })
    }
}
