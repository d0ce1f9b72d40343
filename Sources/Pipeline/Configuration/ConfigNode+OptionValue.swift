/// An option whose shape its owner reads itself.
extension ConfigNode: OptionValue {
    public static var schema: ValueSchema { .anyOf([]) }
    public var yaml: String? { nil }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ConfigNode? { node }
}
