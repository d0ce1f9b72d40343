import Pipeline
import PipelineComponents

/// Receives frames from other programs over ZeroMQ.
public enum ZMQSource: SourceComponent {
    /// How messages come.
    public enum Socket: String, OptionChoice {
        /// Those of publishers that fit a subscription.
        case sub
        /// Its share of what others push.
        case pull
        /// All that one peer sends.
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
            "How messages come: sub takes messages of publishers that fit a subscription, pull takes its share of what is pushed, pair takes all that one peer sends."
        )
        public var socket = Socket.sub

        public var socketOptions = ZMQSocketOptions()

        @Option("Kind of frames in the messages. A message of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option("Beginnings of the topics (streams) wanted; all by default. For sub.", example: "[pen/, hand/left]")
        public var subscribe = [""]

        @Option("How messages are read.")
        public var decode = DecodeOptions()

        @Option(
            "Number of messages with end: true after which the source ends; 0 for never. By default it ends when every stream seen has ended, and never in live mode.",
            in: 0...Int.max)
        public var ends: Int?

        @Option(
            "Number of messages that may wait for a slow source. Then it stops reading: a sender waits, but messages of a pub are lost. Over inproc, for each peer.",
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
                    "zmq.no_subscription", "subscribe names no topics, so nothing comes",
                    at: (node["subscribe"] ?? node).span, path: context.path + ".subscribe",
                    help: "leave it out to take all, or name the beginnings of the topics wanted")
            }
            decode.check(kind, isTable: false, node, context)
            decode.checkSocket(node, context)
        }
    }

    public static let manifest = Manifest(
        name: "zmq",
        summary: "Receives frames from other programs over ZeroMQ",
        details: """
            A message is two ZeroMQ frames, the stream's name and the payload, or the payload alone. The payload is one object of
            canonical JSON or MessagePack, or whatever `decode` says; the name in the first frame stands above the one in the
            payload. A message without a timestamp is stamped when it comes (`clock: receipt`), and one that says that nothing is
            there, no hand and no body, is dropped as `empty`, except for `kind: hands`, where that is a frame without hands.

            Numbers (`seq`) are followed per stream. A hole is counted as lost, and the next frame knows of it; the first message
            ever seen of a stream counts no loss, and a message that came but could not be read is failed, not lost as well. A message
            with number and timestamp of one of the 16 before it has come before, and is dropped as `duplicate`. Any other number that is
            not above the last is a sender that has started again, whatever its clock says: the stream begins anew (`restarts`). So does one
            that leaps ahead by more than a million, when less than a microsecond for each would have passed between. Where numbers go to and
            fro, several senders use one name: a warning says so (`mixed_senders`), each one's numbers are followed, and the stream does
            not begin anew each time. At most `max_streams` streams are followed, the least recently seen is forgotten first; a name may have 4,096 bytes.

            `quiet: true` in a message without a payload says which number a stream has reached while nothing comes: what is missing up to it
            is lost, at once.

            `end: true` in a message ends its stream. The source ends when every stream seen has ended, in live mode never; with
            `ends: N` after so many such messages.

            What cannot be read is one error, located by message and byte; `on_error` decides what becomes of it. A message larger than
            `max_message_bytes` never arrives: libzmq closes the connection of its sender, which may come back.
            What had come before it is read first.

            `sub` cannot be lossless: a publisher drops what a slow subscriber has no room for, and what it sends before a subscriber
            has come. `push` and `pull` wait for each other, and so do two `pair`.

            With `curve` only a peer that has the right key gets in, and all that travels is encrypted; Connections says how. What
            happens to connections is told (`connected`, `disconnected`, `retried`, `handshake_failed`, `authentication_failed`) and
            counted in the report.
            """,
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
                .warning, "zmq.sub_in_batch", "a sub socket can lose messages, which batch mode promises not to",
                option: "socket",
                help:
                    "mode: live is made for a socket that can lose; socket: pull here and push at the other side lose nothing"
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
