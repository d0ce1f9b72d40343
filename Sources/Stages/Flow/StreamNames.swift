import Pipeline
import PipelineComponents

/// New names of streams by patterns of old ones, in the order of the configuration.
public struct StreamNames: OptionValue {
    /// Pairs of a pattern of old names and a new name.
    public var pairs: [(pattern: String, name: String)] = []

    /// Creates a list of pairs.
    public init(_ pairs: [(pattern: String, name: String)] = []) { self.pairs = pairs }

    /// The schema: a mapping of strings to strings.
    public static var schema: ValueSchema { .map(of: .string) }

    /// The mapping as YAML; `nil` if it is empty.
    public var yaml: String? {
        pairs.isEmpty
            ? nil
            : "{ " + pairs.map { "\($0.pattern.yaml ?? ""): \($0.name.yaml ?? "")" }.joined(separator: ", ") + " }"
    }

    /// Decodes a mapping, or reports a mismatch and returns `nil`.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> StreamNames? {
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: "a mapping of old names to new ones")
            return nil
        }
        var names = StreamNames()
        for entry in entries {
            guard let name = String.decode(entry.value, context.descending(entry.key)) else { return nil }
            names.pairs.append((entry.key, name))
        }
        return names
    }
}
