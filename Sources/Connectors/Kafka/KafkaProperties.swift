import CKafka
import Pipeline
import PipelineComponents

/// Properties of the Kafka client under librdkafka's own names, such as `security.protocol: SASL_SSL`.
public struct KafkaProperties: OptionValue, Hashable {
    /// The values by name.
    public var values: [String: String] = [:]

    /// Creates an empty set of properties.
    public init() {}

    public static var schema: ValueSchema { .map(of: .string) }

    public var yaml: String? {
        values.isEmpty
            ? nil
            : "{ " + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + " }"
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> KafkaProperties? {
        let read = pairs(node, context, wanted: "a mapping of librdkafka's properties to their values") { entry in
            guard let text = entry.value.scalar?.text, let problem = problem(of: entry.key, text) else { return true }
            context.findings.error(
                problem.code, problem.message, at: entry.keySpan, path: context.path + ".\(entry.key)",
                help: problem.help)
            return false
        }
        guard let read else { return nil }
        var properties = KafkaProperties()
        properties.values = read
        return properties
    }

    /// Reads a mapping of names to texts. Reports the first value that is not a text, and returns `nil`. Also returns `nil` if
    /// `isAllowed` returns `false` for an entry; `isAllowed` must report the reason.
    static func pairs(
        _ node: ConfigNode, _ context: DecodingContext, wanted: String, where isAllowed: (ConfigNode.Entry) -> Bool
    ) -> [String: String]? {
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: wanted)
            return nil
        }
        var values: [String: String] = [:]
        for entry in entries {
            guard let text = entry.value.scalar?.text else {
                context.descending(entry.key).mismatch(entry.value, wanted: "a value")
                return nil
            }
            guard isAllowed(entry) else { return nil }
            values[entry.key] = text
        }
        return values
    }

    /// The properties that the components set themselves, each with what determines its value.
    private static let reserved = [
        "bootstrap.servers": "the option brokers", "metadata.broker.list": "the option brokers",
        "group.id": "the option group", "enable.auto.commit": "the option commit_ms",
        "enable.auto.offset.store": "the option commit_ms", "auto.offset.reset": "the option start",
        "enable.partition.eof": "the option until", "message.max.bytes": "the option max_message_bytes",
        "statistics.interval.ms": "the program, for its report",
    ]

    /// Returns why a property cannot be set: it is reserved, or librdkafka does not accept it. Returns `nil` if it
    /// can be set.
    private static func problem(
        of name: String, _ value: String
    ) -> (code: String, message: String, help: String?)? {
        if let setter = reserved[name] {
            return ("kafka.property", "\(name) is set by \(setter)", "leave it out")
        }
        let configuration = KafkaConfiguration()
        do {
            try configuration.set(name, value)
            return nil
        } catch {
            let near = error.isUnknown ? nearestName(to: name, among: configuration.names) : nil
            return (
                "kafka.property", error.message,
                near.map { "did you mean \"\($0)\"?" } ?? "see the list of librdkafka's properties, CONFIGURATION.md"
            )
        }
    }
}
