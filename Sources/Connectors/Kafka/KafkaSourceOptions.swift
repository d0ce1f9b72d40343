import Pipeline
import PipelineComponents

/// The options of ``KafkaSource``.
public struct KafkaSourceOptions: LandmarkSourceOptions {
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
        /// When all partitions that are assigned were read to their ends. The next run of the group continues the streams.
        case end
        /// When all partitions that are assigned were read to their ends. The streams end, too.
        case complete
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
        "Time between two commits of offsets. Sinks with delivery: exactly_once make their messages visible at each of them; then it must be well below 20 seconds, the timeout of their transactions.",
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

    @Option(
        "When the source ends: when it is stopped, at the end of all partitions that are assigned to it (the next run of the group continues their streams), or there with the end of all streams."
    )
    public var until = Until.stopped

    @Option("Time that the brokers have to answer when the run begins.", in: 100...3_600_000)
    public var connectMs = 10_000

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        context.noteCommitInterval(commitMs, option: "commit_ms", in: node)
        checkLandmarks(node, context)
        decode.check(kind, isTable: false, node, context)
        for (name, isMissing) in [("topics", topics.contains("") || topics.isEmpty), ("group", group.isEmpty)]
        where isMissing && node[name] != nil {
            context.findings.error(
                "kafka.empty", "\(name) is empty", at: (node[name] ?? node).span, path: context.path + ".\(name)",
                help: "give it a name")
        }
        for (index, topic) in topics.enumerated() {
            guard let problem = problem(ofTopic: index) else { continue }
            let place = node["topics"]
            context.findings.error(
                "kafka.topic", "\(quote(topic)) \(problem.message)",
                at: (place?.sequence?[index] ?? place ?? node).span, path: context.path + ".topics", help: problem.help)
        }
    }

    /// Returns why the client would refuse a name in ``topics``, or `nil` if it would not.
    private func problem(ofTopic index: Int) -> (message: String, help: String)? {
        let topic = topics[index]
        if topics[..<index].contains(topic) { return ("is there twice", "name each topic once") }
        guard topic.hasPrefix("^"), let problem = KafkaTopicPattern.problem(of: topic) else { return nil }
        return ("is not a regular expression: \(problem)", "a name that begins with ^ is one, as in POSIX (extended)")
    }
}
