import Pipeline
import PipelineComponents

/// Reads frames from topics of Kafka, as a member of a consumer group.
public enum KafkaSource: SourceComponent {
    /// Where reading begins if the group has committed nothing yet.
    public enum Start: String, OptionChoice {
        /// With the oldest message that is kept.
        case earliest
        /// With the next message.
        case latest
    }

    /// When the source ends.
    public enum Until: String, OptionChoice {
        /// Never.
        case stopped
        /// When all partitions that are assigned were read to their ends.
        case end
    }

    /// What names the stream of a message.
    public enum StreamName: String, OptionChoice {
        /// The key of the message, if it has one.
        case key
        /// The message itself.
        case message
    }

    /// What happens to messages that a pipeline has written again.
    public enum Repetitions: String, OptionChoice {
        /// They are dropped.
        case drop
        /// They are read like other messages.
        case keep
    }

    public struct Options: LandmarkSourceOptions {
        public var kafka = KafkaClientOptions()

        @Option(
            "Topics to read. A name that begins with ^ is a regular expression for several topics.", isRequired: true,
            example: "[strokes]")
        public var topics: [String] = []

        @Option(
            "Consumer group. Its members share the partitions, and it remembers what was read.", isRequired: true,
            example: "recognizers")
        public var group = ""

        @Option("Kind of the frames in the messages. A message with a frame of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option("How messages are read.")
        public var decode = DecodeOptions()

        @Option("Whether the key of a message names its stream, or the message itself.")
        public var stream = StreamName.key

        @Option("Header that names the stream of a message, in place of its key.", example: "pen")
        public var streamHeader: String?

        @Option(
            "Whether results that a pipeline has written again after a failure are dropped or kept. The header pipeline-number identifies them."
        )
        public var repetitions = Repetitions.drop

        @Option(
            "Time between two commits of offsets. Sinks with delivery: exactly_once make their messages visible at each of them.",
            in: 1...3_600_000)
        public var commitMs = 1000

        @Option(
            "Largest metadata of a committed offset, as in offset.metadata.max.bytes of the brokers. It lists the streams whose frames are held by stages.",
            in: 64...1_000_000)
        public var metadataBytes = 4096

        @Option(
            "Where reading begins if the group has committed nothing: with the earliest message that is kept, or with the latest."
        )
        public var start = Start.earliest

        @Option("When the source ends: when it is stopped, or at the end of all partitions that are assigned to it.")
        public var until = Until.stopped

        @Option("Time that the brokers have to answer when the run begins.", in: 100...3_600_000)
        public var connectMs = 10_000

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            checkLandmarks(node, context)
            decode.check(kind, isTable: false, node, context)
            for (name, isMissing) in [("topics", topics.contains("") || topics.isEmpty), ("group", group.isEmpty)]
            where isMissing && node[name] != nil {
                context.findings.error(
                    "kafka.empty", "\(name) is empty", at: (node[name] ?? node).span, path: context.path + ".\(name)",
                    help: "give it a name")
            }
        }
    }

    public static let manifest = Manifest(
        name: "kafka",
        summary: "Reads frames from Kafka, as a member of a consumer group",
        details: """
            A message holds one frame: an object of canonical JSON or MessagePack, or of the format that `decode` describes. Its key names
            the stream; with `stream: message`, or without a key, the message does. Messages of one key are in one partition, so the frames
            of a stream stay in order. A message without a timestamp gets the time at which it was written to Kafka (`clock: receipt`).
            Numbers and ends of streams are treated as by `zmq`.

            The members of a group share the partitions of the topics, and take over each other's partitions when one leaves, with the eager
            or the cooperative protocol (`client: { partition.assignment.strategy: cooperative-sticky }`).

            Every `commit_ms`, the source commits which messages are accounted for: processed, written, or dropped for a counted reason. A
            message is not accounted for while a stage or a join holds something that came from it. So after a crash, the next owner of the
            partition reads an open gesture again from its beginning, and no other committed messages. When the group revokes a partition,
            its streams are committed and released without being ended, and the next owner continues them. A stop does the same with all
            partitions.

            After a crash, what was not committed is processed again, so results may be written twice. A `kafka` sink with
            `delivery: exactly_once` prevents this; without it, results that were written again are recognized by the header
            `pipeline-number` and dropped as `duplicate` where a `kafka` source reads them (`repetitions`).

            With `until: end`, the source ends when all partitions assigned to it were read, which suits a job that runs now and then.

            A message that cannot be read is one error, located by topic, partition and offset; `on_error` decides what happens. With
            `on_error: route`, a `kafka` sink can collect such messages in a topic of its own. While no broker can be reached, the source
            waits, and the log says so once.

            The report counts `errors` of the connection, `rebalances` and `commits`, and shows as `lag` how many messages wait.
            """,
        example: """
            version: 1
            sources:
              - kafka: { brokers: ["127.0.0.1:9092"], topics: [strokes], group: recognizers, kind: stroke }
            sinks:
              - stdout
            """)

    public static let makes = Production.registered

    public static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        options.kind.source(Maker(options: options, id: context.id))
    }

    struct Maker: SourceMaker {
        let options: Options
        let id: String

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(KafkaReceiver<P>(options, defaultStream: StreamID(id)))
        }
    }
}
