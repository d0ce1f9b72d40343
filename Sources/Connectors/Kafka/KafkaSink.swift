import Pipeline
import PipelineComponents

/// Writes frames to a topic of Kafka.
public enum KafkaSink: SinkComponent {
    /// How often a message may be in the topic.
    public enum Delivery: String, OptionChoice {
        /// At least once. After a failure, messages may be written again.
        case atLeastOnce = "at_least_once"
        /// Exactly once, for readers that read only committed messages.
        case exactlyOnce = "exactly_once"
    }

    public struct Options: ComponentOptions {
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

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            guard topic.isEmpty, let place = node["topic"] else { return }
            context.findings.error(
                "kafka.empty", "topic is empty", at: place.span, path: context.path + ".topic", help: "give it a name")
        }
    }

    public static let manifest = Manifest(
        name: "kafka",
        summary: "Writes frames to a topic of Kafka",
        details: """
            A message is one object of canonical JSON, or of MessagePack with the same keys (`encode: msgpack`). Its key is the name of the
            stream, so all frames of a stream are in one partition, in order. A frame keeps the number of the input that caused it. The
            last message of a stream has `end: true`, unless `ends: false`.

            With `delivery: exactly_once`, all messages between two commit points of the `kafka` sources are one transaction, together
            with the offsets of these sources. Readers with `isolation.level: read_committed`, the default of most clients, see each
            result once, after at most `commit_ms`. All such sinks of a pipeline share the transaction. If it cannot be committed, the run
            ends. When it is started again, it continues from the last transaction that was committed.

            The header `pipeline-number` holds the timestamp of the frame and a count of the earlier frames of its stream with this
            timestamp (`1500000.0`). Within a stream, the numbers only increase, and a repeated result has the same number as before. So
            readers can discard messages whose number is not larger than the last one. Errors (`from: ID.errors`) have
            no number.

            A frame counts as written when the brokers have acknowledged it (`client: { acks: … }` says how many). Messages are written with
            librdkafka's idempotent producer: a repeated attempt does not write a message twice. If a message is not acknowledged in time
            (`client: { message.timeout.ms: … }`), the frames that are not written yet count as failed, and `on_error` decides what happens.
            While no broker can be reached, the pipeline waits.

            The report counts `transactions`.

            A frame larger than `max_message_bytes`, or than the topic allows, is an error of this frame.
            """,
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl, kind: stroke }
            sinks:
              - kafka: { brokers: ["127.0.0.1:9092"], topic: strokes }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try Maker(options: options).sink(for: input)
    }

    struct Maker: SinkMaker {
        let options: Options

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> { CompiledSink(KafkaSender<P>(options)) }
    }
}
