import Pipeline
import PipelineComponents

/// The options that Kafka's source and sink share.
public struct KafkaClientOptions: SharedOptions {
    public static let title = "Kafka client options"

    @Option(
        "Addresses of some brokers, with ports; the others are found through them.", isRequired: true,
        example: "[\"127.0.0.1:9092\"]")
    public var brokers: [String] = []

    @Option(
        "Further properties under librdkafka's names: security.protocol, sasl.mechanism, sasl.username, ssl.ca.location and the like.",
        example: "{ security.protocol: SASL_SSL }")
    public var client = KafkaProperties()

    @Option(
        "Largest message, in bytes. The sink refuses larger ones; the source makes room for a message of this size in each answer of a broker.",
        in: 1000...1_000_000_000)
    public var maxMessageBytes = 16 << 20

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        for (index, broker) in brokers.enumerated() where !Self.isAddress(broker) {
            let place = node["brokers"]
            context.findings.error(
                "kafka.broker", "\(quote(broker)) is not the address of a broker",
                at: (place?.sequence?[index] ?? place ?? node).span, path: context.path + ".brokers",
                help: "write a name or an address, and a port: 127.0.0.1:9092")
        }
        if brokers.isEmpty, let place = node["brokers"] {
            context.findings.error(
                "kafka.broker", "there are no brokers", at: place.span, path: context.path + ".brokers",
                help: "write at least one, as in [\"127.0.0.1:9092\"]")
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return false }
        let port = Int(text[text.index(after: colon)...]) ?? 0
        return (1...65_535).contains(port) && !text.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "," })
    }

    /// Returns a configuration with these options.
    ///
    /// - Throws: A configuration error for a property that librdkafka refuses.
    func configuration(_ more: [(name: String, value: String)]) throws -> KafkaConfiguration {
        let configuration = KafkaConfiguration()
        let own = [
            ("bootstrap.servers", brokers.joined(separator: ",")), ("message.max.bytes", String(maxMessageBytes)),
            ("client.id", "pipeline"),
        ]
        // Later values replace earlier ones, so the properties in `client` take precedence.
        let properties = own + more + client.values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        for (name, value) in properties {
            do { try configuration.set(name, value) } catch {
                throw PipelineError(.configuration, "kafka.property", error.message)
            }
        }
        return configuration
    }
}
