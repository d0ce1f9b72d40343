import Pipeline

/// Values under names that the user chooses, in the order of the configuration.
public struct NamedOptions<Value: OptionValue>: OptionValue {
    /// The names and the values.
    public var entries: [(name: String, value: Value)]

    /// Creates values under names.
    public init(_ entries: [(name: String, value: Value)] = []) { self.entries = entries }

    /// The schema of each value.
    public static var schema: ValueSchema { Value.schema }

    /// `nil`, because there is no default to show.
    public var yaml: String? { nil }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> NamedOptions? {
        let written = node.mapping ?? []
        let entries = written.compactMap { entry in
            Value.decode(entry.value, context.descending(entry.key)).map { (entry.key, $0) }
        }
        return entries.count == written.count ? NamedOptions(entries) : nil
    }
}
