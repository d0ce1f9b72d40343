import Pipeline
import PipelineComponents

/// Reads frames from topics of Kafka, as a member of a consumer group.
public enum KafkaSource: SourceComponent {
    public typealias Options = KafkaSourceOptions

    public static let manifest = Manifest(
        name: "kafka",
        summary: "Reads frames from Kafka, as a member of a consumer group",
        details: """
            A message holds one frame: an object of canonical JSON or MessagePack, or of the format that `decode` describes. Its key names
            the stream; with `stream: message`, or without a key, the message does. Messages of one key are in one partition, so the frames
            of a stream stay in order. A message without a timestamp gets the time at which it was written to Kafka (`clock: receipt`):
            the millisecond that Kafka knows, and microseconds from the offset, so that the times of a partition increase. If a run begins
            in the midst of messages that were written in one millisecond, their times can be up to a millisecond earlier than in the run
            before: use messages with timestamps if results must be exact.
            Sequence numbers and ends of streams are treated as in the `zmq` source.

            The members of a group share the partitions of the topics, and take over each other's partitions when one leaves, with the eager
            or the cooperative protocol (`client: { partition.assignment.strategy: cooperative-sticky }`).

            Every `commit_ms`, the source commits which messages are accounted for: processed, written, or dropped for a counted reason. A
            message is not accounted for while a stage or a join holds something that came from it. So after a crash, the next owner of the
            partition reads the messages of an open gesture again, from its beginning. It reads no other message that was accounted for.
            When the group revokes a partition, its streams are committed and released without being ended, and the next owner continues
            them. A stop does the same with all partitions.

            After a crash, what was not committed is processed again, so results may be written twice. A `kafka` sink with
            `delivery: exactly_once` prevents this; without it, results that were written again are recognized by the header
            `pipeline-number` and dropped as `duplicate` where a `kafka` source reads them (`repetitions`).

            With `until: end`, the source ends when all partitions assigned to it were read, which suits a job that runs now and then. It ends
            as after a stop: the next run of the group continues the streams. With `until: complete`, and if frames of another source come
            together with its own, the streams end there.

            A message that cannot be read is one error, located by topic, partition and offset; `on_error` decides what happens. With
            `on_error: route`, a `kafka` sink can collect such messages in a topic of its own. While no broker can be reached, the source
            waits, and the log says so once.

            The report counts `errors` of the connection, `rebalances` and `commits`, and shows as `lag` how many messages wait.
            """,
        drops: [.empty, "duplicate"],
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
