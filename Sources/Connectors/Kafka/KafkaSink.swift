import Pipeline
import PipelineComponents

/// Writes frames to a topic of Kafka.
public enum KafkaSink: SinkComponent {
    public typealias Options = KafkaSinkOptions

    public static let manifest = Manifest(
        name: "kafka",
        summary: "Writes frames to a topic of Kafka",
        details: """
            A message is one object of canonical JSON, or of MessagePack with the same keys (`encode: msgpack`). Its key is the name of the
            stream, so all frames of a stream are in one partition, in order. A frame keeps the number of the input that caused it. The
            last message of a stream has `end: true`, unless `ends: false`; with `restarts: true` if the stream goes on or may go on.

            With `delivery: exactly_once`, all messages between two commit points of the `kafka` sources are one transaction, together
            with the offsets of these sources. Readers with `isolation.level: read_committed`, the default of most clients, see each
            result once, after at most `commit_ms`. All such sinks of a pipeline share the transaction. If it cannot be committed, the run
            ends. When it is started again, it continues from the last transaction that was committed.

            The header `pipeline-number` holds the timestamp of the frame and a count of the earlier frames of its stream with this
            timestamp (`1500000.0`). Within a stream, the numbers only increase, and a repeated result has the same number as before. So
            readers can discard messages whose number is not larger than the last one. Errors (`from: ID.errors`) have
            no number.

            After a restart, or when partitions move, frames are read again if a stage still held them. Frames that this sink has already
            written for them, in another branch of the pipeline, are dropped as `duplicate`.

            A frame counts as written when the brokers have acknowledged it (`client: { acks: … }` says how many). Messages are written with
            librdkafka's idempotent producer: a repeated attempt does not write a message twice. If a message is not acknowledged in time
            (`client: { message.timeout.ms: … }`), the frames that are not written yet count as failed, and `on_error` decides what happens.
            While no broker can be reached, the pipeline waits.

            The report counts `transactions`.

            A frame larger than `max_message_bytes` is an error of this frame. Set this option to at least 100 bytes less than the topic
            allows (its `max.message.bytes`, often 1 MB). Otherwise, the brokers refuse the batch that contains a larger frame: all frames
            of the batch fail (`kafka.too_large`), and with `delivery: exactly_once` the run ends.
            """,
        drops: ["no_peer", "duplicate"],
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
