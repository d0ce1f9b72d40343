import Pipeline

/// An ``Option`` whose type is erased, for decoding and documentation.
protocol DeclaredOption {
    /// The explicit key in YAML; `nil` if the key follows from the property's name.
    var givenName: String? { get }

    /// The value as YAML; `nil` if there is nothing to show.
    var yaml: String? { get }

    /// Whether a configuration must set the option.
    var isRequired: Bool { get }

    /// Whether the name is a placeholder for names that the user chooses.
    var isAnyName: Bool { get }

    /// Returns a description of the option. The option must still have its initial value, because the description shows it as the
    /// default.
    func description(name: String, section: String?) -> OptionDescription

    /// Decodes the value, or reports the problem with it. Writes to the storage of the option, so no copy of the option may share
    /// that storage.
    func decode(_ node: ConfigNode, _ context: DecodingContext)
}

extension Option: DeclaredOption {
    var givenName: String? { box.declaration.name }
    var yaml: String? { box.value.yaml }
    var isRequired: Bool { box.declaration.isRequired }
    var isAnyName: Bool { box.declaration.isAnyName }

    func description(name: String, section: String?) -> OptionDescription {
        let declaration = box.declaration
        return OptionDescription(
            name: name, summary: declaration.summary, schema: declaration.schema, isRequired: isRequired,
            acceptsNull: !isRequired && !isAnyName && Self.acceptsNull, defaultYAML: isRequired ? nil : yaml,
            example: declaration.example, isAnyName: isAnyName, section: section)
    }

    private static var acceptsNull: Bool {
        let start = SourcePosition(line: 1, column: 1)
        let null = ConfigNode(
            .scalar(.init(text: "", isPlain: true)), span: SourceSpan(file: "", start: start, end: start))
        return Value.decode(null, DecodingContext(findings: Findings(), path: "", baseDirectory: ".")) != nil
    }

    func decode(_ node: ConfigNode, _ context: DecodingContext) {
        guard let value = Value.decode(node, context) else { return }
        let declaration = box.declaration
        guard declaration.contains?(value) ?? true else {
            context.findings.error(
                "option.range", "\(value.yaml ?? "") is out of range", at: node.span, path: context.path,
                label: "allowed: \(declaration.schema.allowed)")
            return
        }
        box.value = value
    }
}
