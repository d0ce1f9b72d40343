import Pipeline
import PipelineComponents

/// The options of ``KafkaSink``.
public struct KafkaSinkOptions: ComponentOptions {
    /// How often a message may be in the topic.
    public enum Delivery: String, OptionChoice {
        /// At least once. After a failure, messages may be written again.
        case atLeastOnce = "at_least_once"
        /// Exactly once, for readers that read only committed messages.
        case exactlyOnce = "exactly_once"
    }

    public var kafka = KafkaClientOptions()

    @Option("Topic to write to.", isRequired: true, example: "results")
    public var topic = ""

    @Option("How messages are written: canonical JSON, or the same object in MessagePack.")
    public var encode = MessageFormat.json

    @Option(
        "Whether a message with end: true is written when a stream ends, so that a pipeline that reads the topic ends the stream too."
    )
    public var ends = true

    @Option(
        "Whether messages may be repeated after a failure, or are written in one transaction with the offsets of the kafka sources."
    )
    public var delivery = Delivery.atLeastOnce

    @Option(
        "Identity of this process for transactions: unique in the cluster, and the same after a restart. A new one at every start by default.",
        example: "recognizer-1")
    public var transactionalId: String?

    @Option("Headers of every message.", example: "{ model: shapes-3 }")
    public var headers = KafkaHeaderOptions()

    @Option("Time that the brokers have to answer when the run begins.", in: 100...3_600_000)
    public var connectMs = 10_000

    @Option("Time that the brokers have to acknowledge messages after the run was stopped.", in: 0...86_400_000)
    public var lingerMs = 5000

    public init() {}

    /// The time after which the brokers abort an open transaction.
    var transactionTimeoutMs: Int {
        kafka.client.values[KafkaTransaction.timeout.name].flatMap { Int($0) } ?? KafkaTransaction.timeout.milliseconds
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        if delivery == .exactlyOnce {
            context.noteLongestTransaction(
                transactionTimeoutMs, remedy: "set client: { \(KafkaTransaction.timeout.name): … } at the sink")
        }
        guard topic.isEmpty, let place = node["topic"] else { return }
        context.findings.error(
            "kafka.empty", "topic is empty", at: place.span, path: context.path + ".topic", help: "give it a name")
    }
}
