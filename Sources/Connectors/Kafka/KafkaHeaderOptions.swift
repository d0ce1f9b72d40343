import Pipeline
import PipelineComponents

/// Headers with fixed values, as `{ model: shapes-3 }`.
public struct KafkaHeaderOptions: OptionValue, Hashable {
    /// The values by name.
    public var values: [String: String] = [:]

    /// Creates no headers.
    public init() {}

    /// The headers, ordered by name.
    var pairs: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    public static var schema: ValueSchema { .map(of: .string) }

    public var yaml: String? {
        values.isEmpty ? nil : "{ " + pairs.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + " }"
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> KafkaHeaderOptions? {
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: "a mapping of names to values")
            return nil
        }
        var headers = KafkaHeaderOptions()
        for entry in entries {
            guard let text = entry.value.scalar?.text else {
                context.descending(entry.key).mismatch(entry.value, wanted: "a value")
                return nil
            }
            guard entry.key != KafkaHeaders.number else {
                context.findings.error(
                    "kafka.header", "\(entry.key) is the header with the number of each message", at: entry.keySpan,
                    path: context.path + ".\(entry.key)", help: "choose another name")
                return nil
            }
            headers.values[entry.key] = text
        }
        return headers
    }
}
