import Pipeline

/// One node of a configuration, with its place in the file it came from.
public struct ConfigNode: Sendable {
    /// What the node is.
    public enum Value: Sendable {
        /// A scalar; what type it has is for the reader to say.
        case scalar(Scalar)

        /// A list.
        case sequence([ConfigNode])

        /// A mapping, in the order written. Keys are unique.
        case mapping([Entry])
    }

    /// A scalar as it was written.
    public struct Scalar: Hashable, Sendable {
        /// The text, unquoted and with variables put in.
        public var text: String

        /// Whether it was written without quotes, so that it may be a number, a boolean or null.
        public var isPlain: Bool

        /// Wraps a text.
        public init(text: String, isPlain: Bool) {
            self.text = text
            self.isPlain = isPlain
        }
    }

    /// A key of a mapping and its value.
    public struct Entry: Sendable {
        /// The key.
        public var key: String

        /// Where the key stands.
        public var keySpan: SourceSpan

        /// The value.
        public var value: ConfigNode

        /// Pairs a key with its value.
        public init(key: String, keySpan: SourceSpan, value: ConfigNode) {
            self.key = key
            self.keySpan = keySpan
            self.value = value
        }
    }

    /// What the node is.
    public var value: Value

    /// Where it stands.
    public var span: SourceSpan

    /// Makes a node.
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

    /// The value behind a key, if the node is a mapping that has it.
    public subscript(key: String) -> ConfigNode? {
        mapping?.first { $0.key == key }?.value
    }

    /// What the node is, in words for a message: `a list`, `a mapping`, `the number 3`, `the string "abc"`.
    public var described: String {
        switch value {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar):
            if isNull {
                "nothing"
            } else if scalar.isPlain, Double(scalar.text) != nil {
                "the number \(scalar.text)"
            } else if scalar.isPlain, ["true", "false"].contains(scalar.text.lowercased()) {
                "the boolean \(scalar.text)"
            } else {
                "the string \"\(scalar.text)\""
            }
        }
    }
}
