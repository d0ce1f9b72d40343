import Pipeline
import PipelineComponents

/// Sends frames to workers over ZeroMQ, and replaces each frame with the answer to it.
public enum ZMQRequest: AsyncStageComponent {
    /// How many requests may be in flight.
    public enum Socket: String, OptionChoice {
        /// One request at a time, for all streams together.
        case req
        /// Several requests at a time, shared among the workers.
        case dealer
    }

    public struct Options: ComponentOptions {
        @Option(
            "Whether several requests may be in flight: req sends one at a time, dealer sends several and shares them among the workers."
        )
        public var socket = Socket.dealer

        public var socketOptions = ZMQSocketOptions()

        @Option("Kind of the answers; by default the kind of the requests.")
        public var kind: PayloadKind?

        @Option(
            "Time to wait for an answer before the request is repeated, and time that a worker may be silent before its connection is reopened.",
            in: 1...86_400_000)
        public var timeoutMs = 2500

        @Option("Number of times to repeat a request before the frame fails.", in: 0...1000)
        public var retries = 3

        @Option(
            "Number of requests of one stream that may be in flight. Answers keep the order of the frames. Only for dealer.",
            name: "requests", in: 1...256)
        public var inFlight = 1

        @Option("Largest answer.", in: 64...(1 << 31))
        public var maxMessageBytes = 16 << 20

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if socket == .req { socketOptions.checkUnused(["requests"], with: "req", node, context) }
        }
    }

    public static let manifest = Manifest(
        name: "zmq_request",
        summary: "Sends frames to workers over ZeroMQ and passes their answers on",
        details: """
            Each frame is sent to a worker as a request, and the answer replaces the frame: same stream, same timestamp, same
            number. A worker is any program with a REP (or ROUTER) socket, in any language.

            A request is two ZeroMQ frames after REQ's envelope: the stream's name and one object of canonical JSON. An answer is one
            or two frames. The last one is the payload: an object of canonical JSON of `kind`, or 0 bytes for no output frame, or
            `{"error": "…"}`, which makes the frame fail with this message. `t_us`, `seq` and `stream` are optional in an answer.
            Unknown keys of the request stay with the frame; those of an answer are discarded.

            Several connected workers share the requests: each request goes to the worker with the fewest in flight; workers with equally few
            take turns. If no answer comes within `timeout_ms`, the request is sent again, at most `retries` times, and first to workers that
            have not had it yet. After that, the frame fails. So a worker may get a request twice. A late answer is accepted from any worker
            while its frame still waits; later answers are discarded.

            A worker that answers nothing for `timeout_ms` is silent: its connection, and no other, is reopened (the Lazy Pirate pattern of
            the ZeroMQ guide), and its other requests go to other workers at once. While another worker takes requests, a silent worker gets
            only one new frame after each pause. The first pause lasts `timeout_ms`, and each further one twice as long, up to 64 times
            `timeout_ms`. Any answer, or a new connection of a restarted worker, ends the silence.

            Order is kept within a stream.
            """,
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl, kind: stroke }
            stages:
              - zmq_request: { connect: "tcp://127.0.0.1:5558", kind: recognition }
            sinks:
              - stdout
            """)

    public static let makes = Production.registered

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(
        _ options: Options, for input: PortType, _ context: BuildContext
    ) throws -> any AsyncStage {
        try Maker(options: options).stage(for: input)
    }
}
