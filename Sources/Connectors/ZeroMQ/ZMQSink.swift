import Pipeline
import PipelineComponents

/// Sends frames to other programs over ZeroMQ.
public enum ZMQSink: SinkComponent {
    /// How frames are distributed among peers.
    public enum Socket: String, OptionChoice {
        /// Every subscriber gets the frames that match its subscriptions.
        case pub
        /// A single peer gets all frames. If there are several peers, each frame goes to one of them.
        case push
        /// The only peer gets all frames.
        case pair

        // The libzmq type for `pub` is XPUB, a PUB socket that reports its subscriptions.
        var pattern: ZMQSocket.Pattern {
            switch self {
            case .pub: .xpub
            case .push: .push
            case .pair: .pairSink
            }
        }
    }

    public struct Options: ComponentOptions {
        @Option(
            "How frames are distributed: pub sends each subscriber the frames that match its subscriptions, push sends all frames to one peer, pair to its only peer."
        )
        public var socket = Socket.pub

        public var socketOptions = ZMQSocketOptions()

        @Option("How messages are written: canonical JSON, or the same object in MessagePack.")
        public var encode = MessageFormat.json

        @Option(
            "Number of subscribers to wait for before the run begins; 0 does not wait. For pub.",
            in: 0...10_000)
        public var waitForSubscribers = 0

        @Option(
            "Whether several peers may share the frames, each getting some. The order of a stream is then lost. For push."
        )
        public var split = false

        @Option(
            "Whether frames wait in the pipeline until a peer is connected, instead of in the socket for one that may never connect. For push and pair."
        )
        public var immediate = true

        @Option(
            "Number of messages that may wait in the socket for each peer. When it is reached, push and pair wait, and pub drops messages for that peer.",
            name: "send_hwm", in: 1...10_000_000)
        public var sendHWM = 1000

        @Option(
            "Time without a frame of a stream after which its last number is sent again, so that a slow subscriber notices lost frames. The time doubles after each repetition, up to 16 times its value. 0 for never. For pub.",
            name: "repeat_last_ms", in: 0...3_600_000)
        public var repeatMs = 1000

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            switch socket {
            case .pub: socketOptions.checkUnused(["split", "immediate"], with: "pub", node, context)
            case .push:
                socketOptions.checkUnused(["wait_for_subscribers", "repeat_last_ms"], with: "push", node, context)
            case .pair:
                socketOptions.checkUnused(
                    ["wait_for_subscribers", "split", "repeat_last_ms"], with: "pair", node, context)
            }
            if socket != .pub, !split, socketOptions.connect.count > 1 {
                context.findings.error(
                    "zmq.several_peers", "a \(socket.rawValue) to several peers gives each only some of the frames",
                    at: (node["connect"] ?? node).span, path: context.path + ".connect",
                    help: socket == .push
                        ? "set split: true if that is intended, or socket: pub to send every frame to all of them"
                        : "keep one of them, or set socket: pub to send every frame to all of them")
            }
        }
    }

    public static let manifest = Manifest(
        name: "zmq",
        summary: "Sends frames to other programs over ZeroMQ",
        details: """
            A message is two ZeroMQ frames: the stream's name and one object of canonical JSON, or of MessagePack with the same keys
            (`encode: msgpack`). Frames are numbered per stream from 0 without gaps, so that a receiver can count lost frames; the last
            message of a stream has `end: true`. If a stream begins a new epoch or was evicted, its end also has `restarts: true`,
            because it goes on or may go on.

            `pub` sends to every subscriber. A subscriber misses the messages that are sent before it has connected, and those for
            which it has no room (`send_hwm`). `wait_for_subscribers: N` waits for N of them before the run begins. While a stream is
            quiet, its last number is repeated now and then (`repeat_last_ms`), in a message without a payload (`quiet: true`), so that a
            slow subscriber notices that it has missed the last frames. The end of a stream is repeated in the same way. If a subscriber
            had no room, the ends are also repeated when the sink closes, for at most `linger_ms`. A subscriber with more than 10,000
            subscriptions is disconnected (`subscribers_refused`). On Linux, so is a subscriber over `tcp` that sends more than 64 KiB per
            second for long.

            `push` waits for a peer and for room. When the run is stopped it waits `linger_ms` more, then drops the remaining frames as
            `no_peer`. At the end, the last messages have `linger_ms` to leave, and over `ipc` on Linux also to be read; raise it for a slow
            receiver.

            A message counts as written when the socket has taken it; whether a peer has read it is unknown. Up to `send_hwm` messages
            wait in the socket, and more in the buffers of the systems between. They are lost when `linger_ms` is over before they have
            left, or when the peer leaves before the end; a warning says so, except for `inproc`. With `linger_ms: 0` messages that
            have not left at the end are discarded silently. The numbers tell a receiver which frames are missing.

            If several peers are connected to a `push`, they share the frames. Set `split: true` if that is intended. Without it, a second
            peer that connects to a `push` that binds is an error (noticed over `tcp` and `ipc`). With `split`, `end` is
            sent to each endpoint in `connect`, and to one of the peers that connect to `bind`. An endpoint without a peer has `linger_ms`
            to get one at the end of the run.
            """,
        drops: ["no_peer"],
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl, kind: stroke }
            sinks:
              - zmq: { bind: "tcp://127.0.0.1:5557", socket: pub, wait_for_subscribers: 1 }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try Maker(options: options).sink(for: input)
    }

    struct Maker: SinkMaker {
        let options: Options

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> { CompiledSink(ZMQSender<P>(options)) }
    }
}
