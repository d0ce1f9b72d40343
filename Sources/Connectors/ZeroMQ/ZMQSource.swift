import Pipeline
import PipelineComponents

/// Receives frames from other programs over ZeroMQ.
public enum ZMQSource: SourceComponent {
    /// How messages are received.
    public enum Socket: String, OptionChoice {
        /// Receives the messages of publishers that match a subscription.
        case sub
        /// Receives its share of the messages that others push.
        case pull
        /// Receives all messages of a single peer.
        case pair

        var pattern: ZMQSocket.Pattern {
            switch self {
            case .sub: .sub
            case .pull: .pull
            case .pair: .pairSource
            }
        }
    }

    public struct Options: LandmarkSourceOptions {
        @Option(
            "How messages are received: sub takes the messages of publishers that match a subscription, pull takes its share of pushed messages, pair takes all messages of one peer."
        )
        public var socket = Socket.sub

        public var socketOptions = ZMQSocketOptions()

        @Option("Kind of the frames in the messages. A message with a frame of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option("Prefixes of the topics (streams) to receive; all by default. For sub.", example: "[pen/, hand/left]")
        public var subscribe = [""]

        @Option("How messages are read.")
        public var decode = DecodeOptions()

        @Option(
            "Number of messages with end: true after which the source ends; 0 for never. By default it ends when every stream seen has ended, and never in live mode.",
            in: 0...Int.max)
        public var ends: Int?

        @Option(
            "Number of messages that may wait for a slow source. When it is reached, the source stops reading: a sender waits, but a pub drops messages. Over inproc, the number applies to each peer.",
            name: "receive_hwm", in: 1...10_000_000)
        public var receiveHWM = 1000

        @Option("Largest message. A peer that sends a larger one is disconnected.", in: 64...(1 << 31))
        public var maxMessageBytes = 16 << 20

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            checkLandmarks(node, context)
            if socket != .sub { socketOptions.checkUnused(["subscribe"], with: socket.rawValue, node, context) }
            if socket == .sub, subscribe.isEmpty {
                context.findings.error(
                    "zmq.no_subscription", "subscribe names no topics, so nothing is received",
                    at: (node["subscribe"] ?? node).span, path: context.path + ".subscribe",
                    help: "leave it out to receive all topics, or list the prefixes of the topics to receive")
            }
            decode.check(kind, isTable: false, node, context)
            decode.checkSocket(node, context)
        }
    }

    public static let manifest = Manifest(
        name: "zmq",
        summary: "Receives frames from other programs over ZeroMQ",
        details: """
            A message has two ZeroMQ frames (the stream's name and the payload) or one (only the payload). The payload is one object in
            canonical JSON or MessagePack, or in the format that `decode` describes. A name in the first frame takes precedence over a
            name in the payload. A message without a timestamp gets the time of its arrival (`clock: receipt`). A message in which no
            hand or body was detected is dropped as `empty`; with `kind: hands`, it is a frame without hands.

            Numbers (`seq`) are followed per stream. A missing number counts as lost, and adds to the gap of the next frame. The
            first message of a stream counts no loss, and a message that cannot be read counts as failed and not as lost. A message
            with the number and the timestamp of one of the 16 before it is dropped as `duplicate`. Any other number that does not
            increase means that the sender has restarted, whatever its clock says: the stream starts over (`restarts`). The stream
            also starts over if more than a million numbers are missing and fewer microseconds than that have passed. Interleaved
            numbers mean that several senders use one name: a warning says so (`mixed_senders`), the numbers of each are followed,
            and the stream does not start over each time. A sender is forgotten when the other senders of its stream have sent more
            than 64 messages in the meantime: then its next message starts the stream over, or numbers before it count as lost.

            At most `max_streams` streams are followed; the least recently seen stream is forgotten first. A name has at most 4,096
            bytes.

            `quiet: true` in a message without a payload gives the last number of a quiet stream: missing numbers up to it count as
            lost at once.

            `end: true` in a message ends its stream. In batch mode, the source ends when every stream seen has ended. In live mode, it
            never ends by itself. With `ends: N`, it ends after N such messages in both modes. After an end with
            `restarts: true`, the stream goes on with a new epoch: without `ends`, the source waits for its next frame or end.

            A message that cannot be read is one error, located by message and byte; `on_error` decides what happens. A message larger
            than `max_message_bytes` never arrives: libzmq closes the connection of its sender, which may reconnect. Earlier messages
            are read first.

            `sub` cannot be lossless: a publisher drops messages for which a slow subscriber has no room, and those that it sends before
            a subscriber connects. `push` and `pull` wait for each other, and so do two `pair` sockets.

            With `curve` only a peer with the right key can connect, and all messages are encrypted; see Connections. Events of
            connections are logged (`connected`, `disconnected`, `retried`, `handshake_failed`, `authentication_failed`) and counted in
            the report.
            """,
        drops: [.empty, "duplicate"],
        example: """
            version: 1
            sources:
              - zmq: { bind: "tcp://127.0.0.1:5556", socket: pull, kind: stroke }
            sinks:
              - stdout
            """)

    public static let makes = Production.registered

    public static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        if options.socket == .sub, context.mode == .batch {
            context.report(
                .warning, "zmq.sub_in_batch", "a sub socket can lose messages, but batch mode must not lose any",
                option: "socket",
                help:
                    "set mode: live, which allows losses, or socket: pull here and push at the other side, which lose nothing"
            )
        }
        return options.kind.source(
            Maker(options: options, id: context.id, endsWithStreams: context.mode == .batch))
    }

    struct Maker: SourceMaker {
        let options: Options
        let id: String
        let endsWithStreams: Bool

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(
                ZMQReceiver<P>(options, defaultStream: StreamID(id), endsWithStreams: endsWithStreams))
        }
    }
}
