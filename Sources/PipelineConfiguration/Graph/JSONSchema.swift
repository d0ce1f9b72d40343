import Pipeline
import PipelineComponents

/// The JSON Schema (draft 2020-12) of configuration files, for editors.
///
/// It is generated from the manifests and options of a registry: names, types, ranges, defaults and summaries. Wherever the schema
/// allows a number, a boolean or a choice, it also allows a variable (`${NAME}`).
public struct JSONSchema: Sendable {
    private let registry: Registry

    /// Creates the schema of configurations that use the components of `registry`.
    public init(_ registry: Registry) { self.registry = registry }

    /// The complete schema.
    public var document: JSONValue {
        var properties: [Member] = []
        for option in TopLevelOptions.options {
            if let role = Plan.Role.allCases.first(where: { "\($0.rawValue)s" == option.name }) {
                properties.append(
                    (
                        option.name,
                        .object([
                            // An empty list of sources is an error.
                            ("type", role == .source ? "array" : .array(["array", "null"])),
                            ("description", .string(option.summary)),
                            ("items", role == .stage ? Self.stage : items(of: role)),
                        ])
                    ))
            } else if option.name == "version" {
                properties.append(
                    (option.name, .object([("description", .string(option.summary)), ("const", .integer(1))])))
            } else if option.name == "tests" {
                properties.append(
                    (
                        option.name,
                        .object([
                            ("type", .array(["array", "null"])), ("description", .string(option.summary)),
                            ("items", group(TestOptions.options)),
                        ])
                    ))
            } else {
                properties.append((option.name, schema(of: option)))
            }
        }
        return .object([
            ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "Pipeline"), ("type", "object"),
            ("properties", .object(properties)), ("required", .array(["sources"])),
            ("additionalProperties", .boolean(false)), ("$defs", .object(definitions)),
        ])
    }

    private typealias Member = (key: String, value: JSONValue)

    // MARK: - Components

    private func items(of role: Plan.Role) -> JSONValue {
        let entries = registry.entries.filter { $0.role == role }
        // `anyOf` must not be empty. Without components, use the schema that matches nothing.
        guard !entries.isEmpty else { return .boolean(false) }
        let bare = entries.filter { entry in !entry.options.contains(where: \.isRequired) }
        var shapes: [JSONValue] = []
        if !bare.isEmpty {
            let names = bare.flatMap { [$0.manifest.name] + $0.manifest.aliases }
            // Without quotes, YAML reads the name `null` as the value null.
            let null: [JSONValue] = names.contains("null") ? [.null] : []
            shapes.append(.object([("enum", .array(names.map { .string($0) } + null))]))
        }
        for entry in entries {
            for name in [entry.manifest.name] + entry.manifest.aliases {
                let options = JSONValue.object([("$ref", .string("#/$defs/\(Self.key(of: entry))"))])
                shapes.append(
                    .object([
                        ("type", "object"), ("properties", .object([(name, options)])),
                        ("required", .array([.string(name)])), ("additionalProperties", .boolean(false)),
                    ]))
            }
        }
        return .object([("anyOf", .array(shapes))])
    }

    /// The schema of an item in a list of stages, at the top level or in a chain.
    private static let stage = JSONValue.object([("$ref", "#/$defs/stage")])

    private var definitions: [Member] {
        var definitions: [Member] = [
            (
                "variable",
                .object([("type", "string"), ("pattern", "\\$\\{"), ("description", "An environment variable.")])
            ),
            ("from", from), ("stage", items(of: .stage)),
        ]
        for entry in registry.entries { definitions.append((Self.key(of: entry), definition(of: entry))) }
        return definitions
    }

    private func definition(of entry: Registry.Entry) -> JSONValue {
        var properties = entry.options.filter { !$0.isAnyName }.map { ($0.name, schema(of: $0)) as Member }
        for option in ComponentKeys.options {
            if option.name == "from" {
                guard entry.role != .source else { continue }
                properties.append(("from", .object([("$ref", "#/$defs/from")])))
            } else {
                properties.append((option.name, schema(of: option)))
            }
        }
        if entry.role == .stage {
            properties += StageKeys.options.map { ($0.name, schema(of: $0)) as Member }
        }
        if entry.role == .source {
            properties += SourceKeys.options.map { ($0.name, schema(of: $0)) as Member }
        }
        let required = entry.options.filter(\.isRequired).map { JSONValue.string($0.name) }
        var members: [Member] = [
            ("description", .string(entry.manifest.summary)),
            ("type", required.isEmpty ? .array(["object", "null"]) : "object"), ("properties", .object(properties)),
        ]
        if !required.isEmpty { members.append(("required", .array(required))) }
        let anyName = entry.options.first(where: \.isAnyName).map { schema(of: $0) }
        members.append(("additionalProperties", anyName ?? .boolean(false)))
        return .object(members)
    }

    private var from: JSONValue {
        let (id, edge) = (schema(of: .string), group(EdgeOptions.options))
        let end = JSONValue.object([("anyOf", .array([id, edge]))])
        let list = JSONValue.object([("type", "array"), ("items", end), ("minItems", .integer(1))])
        return .object([
            ("description", "Where frames come from: an id, an edge, or a list of them."),
            ("anyOf", .array([id, edge, list, .object([("type", "null")])])),
        ])
    }

    private static func key(of entry: Registry.Entry) -> String { "\(entry.role.rawValue).\(entry.manifest.name)" }

    // MARK: - Options

    private func schema(of option: OptionDescription) -> JSONValue {
        guard case .object(var members) = schema(of: option.schema) else { return .object([]) }
        if option.acceptsNull { members = Self.orNull(members) }
        let unit = option.unit.map { " Unit: \($0)." } ?? ""
        members.insert(("description", .string(option.summary + unit)), at: 0)
        if let value = option.defaultYAML.flatMap({ Self.value($0, option.schema) }) {
            members.append(("default", value))
        }
        if let value = option.example.flatMap({ Self.value($0, option.schema) }) {
            members.append(("examples", .array([value])))
        }
        return .object(members)
    }

    private func schema(of shape: ValueSchema) -> JSONValue {
        switch shape {
        case .boolean: return orVariable([("type", "boolean")])
        case .integer(let min, let max):
            var members: [Member] = [("type", "integer")]
            if let min { members.append(("minimum", .integer(min))) }
            if let max { members.append(("maximum", .integer(max))) }
            return orVariable(members)
        case .number(let min, let max):
            var members: [Member] = [("type", "number")]
            if let min { members.append(("minimum", .number(min))) }
            if let max { members.append(("maximum", .number(max))) }
            return orVariable(members)
        // Where a string is expected, the configuration reader accepts a plain number or boolean as a string.
        case .string, .path: return .object([("type", .array(["string", "number", "boolean"]))])
        case .choice(let names): return orVariable([("enum", .array(names.map { .string($0) }))])
        case .payload: return .object([("type", "string")])
        case .list(let element):
            let one = schema(of: element)
            return .object([("anyOf", .array([.object([("type", "array"), ("items", one)]), one]))])
        case .map(let value):
            let one = schema(of: value)
            // A mapping inside a mapping may be left empty, as a letter of a legend.
            if case .map = value, case .object(let members) = one {
                return .object([("type", "object"), ("additionalProperties", .object(Self.orNull(members)))])
            }
            return .object([("type", "object"), ("additionalProperties", one)])
        case .group(let options): return group(options)
        case .stages: return .object([("type", "array"), ("items", Self.stage), ("minItems", .integer(1))])
        case .anyOf(let shapes):
            return shapes.isEmpty ? .object([]) : .object([("anyOf", .array(shapes.map { schema(of: $0) }))])
        }
    }

    /// Returns the members of a schema that also accepts null.
    private static func orNull(_ members: [Member]) -> [Member] {
        members.map { key, value in
            switch (key, value) {
            case ("type", .string): (key, .array([value, "null"]))
            case ("type", .array(let types)): (key, .array(types + ["null"]))
            case ("anyOf", .array(let shapes)): (key, .array(shapes + [.object([("type", "null")])]))
            default: (key, value)
            }
        }
    }

    private func orVariable(_ members: [Member]) -> JSONValue {
        .object([("anyOf", .array([.object(members), .object([("$ref", "#/$defs/variable")])]))])
    }

    private func group(_ options: [OptionDescription]) -> JSONValue {
        let required = options.filter(\.isRequired).map { JSONValue.string($0.name) }
        var members: [Member] = [
            ("type", "object"), ("properties", .object(options.map { ($0.name, schema(of: $0)) })),
        ]
        if !required.isEmpty { members.append(("required", .array(required))) }
        members.append(("additionalProperties", .boolean(false)))
        return .object(members)
    }

    /// Converts a default or an example of an option from YAML to JSON; `nil` if it is not valid YAML.
    private static func value(_ yaml: String, _ shape: ValueSchema) -> JSONValue? {
        let findings = Findings()
        let text = SourceText(file: "", text: yaml)
        guard let node = YAMLComposer.compose(yaml, text, findings: findings), !findings.hasErrors else { return nil }
        return value(node, shape)
    }

    private static func value(_ node: ConfigNode, _ shape: ValueSchema) -> JSONValue {
        switch node.value {
        case .mapping(let entries):
            return .object(entries.map { ($0.key, value($0.value, .anyOf([]))) })
        case .sequence(let nodes):
            if case .list(let element) = shape { return .array(nodes.map { value($0, element) }) }
            return .array(nodes.map { value($0, .anyOf([])) })
        case .scalar(let scalar):
            switch shape {
            case .string, .path, .choice: return .string(scalar.text)
            default: break
            }
            if node.isNull { return .null }
            guard scalar.isPlain else { return .string(scalar.text) }
            if let integer = scalar.integer { return .integer(integer) }
            if let number = scalar.number, number.isFinite { return .number(number) }
            if let boolean = scalar.boolean { return .boolean(boolean) }
            return .string(scalar.text)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}
