/// An option whose shape its owner reads itself.
extension ConfigNode: OptionValue {
    /// Any shape.
    public static var schema: ValueSchema { .anyOf([]) }

    /// Nothing: there is no default to show.
    public var yaml: String? { nil }

    /// The node as it is.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ConfigNode? { node }
}
