/// An option with any structure, which its component decodes itself.
extension ConfigNode: OptionValue {
    /// A schema that accepts any structure.
    public static var schema: ValueSchema { .anyOf([]) }

    /// `nil`, because there is no default to show.
    public var yaml: String? { nil }

    /// Returns the node unchanged.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ConfigNode? { node }
}
