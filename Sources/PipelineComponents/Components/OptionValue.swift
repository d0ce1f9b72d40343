import Pipeline

/// A type of option values. It defines how a value is decoded from a configuration, described and shown.
public protocol OptionValue: Sendable {
    /// The schema of the accepted values, for the JSON Schema and the reference.
    static var schema: ValueSchema { get }

    /// Decodes a value. Reports a finding and returns `nil` if the node is not valid.
    static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self?

    /// The value as YAML, for showing defaults; `nil` if there is nothing to show.
    var yaml: String? { get }
}

extension Optional: OptionValue where Wrapped: OptionValue {
    public static var schema: ValueSchema { Wrapped.schema }
    public var yaml: String? { self?.yaml }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Wrapped?? {
        if node.isNull { return .some(.none) }
        return Wrapped.decode(node, context).map { .some($0) }
    }
}

extension Array: OptionValue where Element: OptionValue {
    public static var schema: ValueSchema { .list(of: Element.schema) }
    public var yaml: String? { isEmpty ? nil : "[" + compactMap(\.yaml).joined(separator: ", ") + "]" }

    /// Decodes a list, or a single element without brackets.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> [Element]? {
        guard let nodes = node.sequence else { return Element.decode(node, context).map { [$0] } }
        let values = nodes.enumerated().map { Element.decode($1, context.descending("[\($0)]")) }
        return values.contains { $0 == nil } ? nil : values.compactMap { $0 }
    }
}

/// An option value that is one of a few names. Conform a `String` enumeration to it.
public protocol OptionChoice: OptionValue, CaseIterable, RawRepresentable where RawValue == String {}

extension OptionChoice {
    public static var schema: ValueSchema { .choice(allCases.map(\.rawValue)) }
    public var yaml: String? { rawValue }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self? {
        context.choice(node, of: allCases.map(\.rawValue)).flatMap(Self.init(rawValue:))
    }
}
