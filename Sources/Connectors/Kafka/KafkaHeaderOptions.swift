import Pipeline
import PipelineComponents

/// Headers with fixed values, such as `{ model: shapes-3 }`.
public struct KafkaHeaderOptions: OptionValue, Hashable {
    /// The values by name.
    public var values: [String: String] = [:]

    /// Creates an empty set of headers.
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
        let read = KafkaProperties.pairs(node, context, wanted: "a mapping of names to values") { entry in
            guard entry.key == KafkaHeaders.number else { return true }
            context.findings.error(
                "kafka.header", "\(entry.key) is reserved for the number of each message", at: entry.keySpan,
                path: context.path + ".\(entry.key)", help: "choose another name")
            return false
        }
        guard let read else { return nil }
        var headers = KafkaHeaderOptions()
        headers.values = read
        return headers
    }
}
