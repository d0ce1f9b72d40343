import Pipeline

/// One node of a configuration, with its location in the file.
public struct ConfigNode: Sendable {
    /// The value of a node.
    public enum Value: Sendable {
        /// A scalar. The option that decodes it determines its type.
        case scalar(Scalar)

        /// A list.
        case sequence([ConfigNode])

        /// A mapping, in the order written. Keys are unique.
        case mapping([Entry])
    }

    /// A scalar as written.
    public struct Scalar: Hashable, Sendable {
        /// The text, without quotes and with variables replaced by their values.
        public var text: String

        /// Whether the scalar was written without quotes, so that it can be a number, a Boolean or null.
        public var isPlain: Bool

        /// Creates a scalar.
        public init(text: String, isPlain: Bool) {
            self.text = text
            self.isPlain = isPlain
        }

        /// The Boolean that the scalar is, in the spellings of YAML's core schema (YAML 1.2, section 10.3.2). `nil` if it is in
        /// quotes or not a Boolean.
        package var boolean: Bool? {
            guard isPlain else { return nil }
            return switch text {
            case "true", "True", "TRUE": true
            case "false", "False", "FALSE": false
            default: nil
            }
        }
    }

    /// A key of a mapping and its value.
    public struct Entry: Sendable {
        /// The key.
        public var key: String

        /// The location of the key.
        public var keySpan: SourceSpan

        /// The value.
        public var value: ConfigNode

        /// Creates an entry.
        public init(key: String, keySpan: SourceSpan, value: ConfigNode) {
            self.key = key
            self.keySpan = keySpan
            self.value = value
        }
    }

    /// The value of the node.
    public var value: Value

    /// The location of the node.
    public var span: SourceSpan

    /// Creates a node.
    public init(_ value: Value, span: SourceSpan) {
        self.value = value
        self.span = span
    }

    /// The scalar, if the node is one.
    public var scalar: Scalar? {
        if case .scalar(let scalar) = value { scalar } else { nil }
    }

    /// The elements, if the node is a list.
    public var sequence: [ConfigNode]? {
        if case .sequence(let nodes) = value { nodes } else { nil }
    }

    /// The entries, if the node is a mapping.
    public var mapping: [Entry]? {
        if case .mapping(let entries) = value { entries } else { nil }
    }

    /// Whether the node is an empty plain scalar, `~` or `null`.
    public var isNull: Bool {
        guard let scalar, scalar.isPlain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
    }

    /// Returns the value of a key, if the node is a mapping that has it.
    public subscript(key: String) -> ConfigNode? {
        mapping?.first { $0.key == key }?.value
    }

    /// A description of the node for messages: `a list`, `a mapping`, `the number 3`, `the string "abc"`.
    public var described: String {
        switch value {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar):
            if isNull {
                "nothing"
            } else if scalar.number != nil {
                "the number \(scalar.text)"
            } else if scalar.boolean != nil {
                "the boolean \(scalar.text)"
            } else {
                "the string \"\(scalar.text)\""
            }
        }
    }
}
