import Pipeline
import PipelineComponents

/// New names of streams by patterns of old ones, in the order written.
public struct StreamNames: OptionValue {
    /// Pairs of a pattern and a name.
    public var pairs: [(pattern: String, name: String)] = []

    /// Makes a list of pairs.
    public init(_ pairs: [(pattern: String, name: String)] = []) { self.pairs = pairs }

    /// A mapping of texts.
    public static var schema: ValueSchema { .map(of: .string) }

    /// Nothing to show when it is empty.
    public var yaml: String? {
        pairs.isEmpty
            ? nil
            : "{ " + pairs.map { "\($0.pattern.yaml ?? ""): \($0.name.yaml ?? "")" }.joined(separator: ", ") + " }"
    }

    /// Reads a mapping.
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
