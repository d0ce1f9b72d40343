import Pipeline
import PipelineComponents

extension ConfigNode {
    /// The node as JSON text. Plain scalars that are numbers, booleans or null keep their type; all other scalars become strings.
    var json: String {
        switch value {
        case .sequence(let nodes): return "[" + nodes.map(\.json).joined(separator: ",") + "]"
        case .mapping(let entries):
            return "{" + entries.map { JSONValue.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
        case .scalar(let scalar):
            if isNull { return "null" }
            if let number { return number }
            if let boolean = scalar.boolean { return boolean ? "true" : "false" }
            return JSONValue.quoted(scalar.text)
        }
    }

    /// The number in JSON, if the node is a plain scalar that is a finite number; otherwise `nil`.
    private var number: String? {
        if let integer = scalar?.integer { return String(integer) }
        guard let number = scalar?.number, number.isFinite else { return nil }
        return shortDecimal(number)
    }

    /// Parses a YAML text, which may also be JSON. Returns `nil` if the text is invalid.
    package static func parse(yaml text: String) -> ConfigNode? {
        let findings = Findings()
        let limits = YAMLLimits(bytes: text.utf8.count, depth: 64, nodes: text.utf8.count)
        let node = YAMLComposer.compose(text, SourceText(file: "", text: text), limits: limits, findings: findings)
        return findings.hasErrors ? nil : node
    }
}
