import Pipeline

/// The implementation of ``ZMQSource`` for one payload type.
struct ZMQReceiver<P: WirePayload>: Source {
    typealias Output = P

    private let options: ZMQSource.Options
    private let defaultStream: StreamID
    /// Whether the source ends when every stream seen has ended, unless the options specify otherwise.
    private let endsWithStreams: Bool
    private var stop: StopSignal?
    /// The clock that stamps messages without a timestamp, or `nil` if such a message is an error.
    private var stamps: (any RunClock)?
    private var wake: WakePipe?
    private var socket: ZMQSocket?
    private var decoder: MessageDecoder<P>?
    private var watch: PathWatch?
    /// What the ZeroMQ frames of a message contain.
    private let frames: DecodeOptions.Frames
    private let padded = PaddedCopy()
    private var intake: MessageIntake<P>?
    private var messages: Int64 = 0
    /// The number of calls of ``read(into:)``.
    private var readings = 0

    init(_ options: ZMQSource.Options, defaultStream: StreamID, endsWithStreams: Bool = true) {
        self.options = options
        self.endsWithStreams = endsWithStreams
        self.defaultStream = defaultStream
        frames = options.decode.filled(for: options.kind).frames ?? .auto
    }

    var timing: SourceTiming { .live }
    var output: PortType { PortType(P.self, attributes: options.knownLandmarks.attributes) }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        stop = context.stop
        stamps = options.decode.missingTime == .error ? nil : context.clock
        watch = PathWatch(options.decode, context.log, isLive: true)
        decoder = try MessageDecoder(
            options.decode, defaultStream: defaultStream, landmarks: options.landmarks, watch: watch)
        let wake = try WakePipe()
        self.wake = wake
        context.stop.onRequest { wake.signal() }
        intake = MessageIntake(
            context, options.ends.map { .after($0) } ?? (endsWithStreams ? .withStreams : .never),
            defaultStream: defaultStream)
        let socket = try ZMQSocket(options.socket.pattern, options.socketOptions, SocketReport(context))
        self.socket = socket
        try socket.limit(received: options.receiveHWM, messageBytes: options.maxMessageBytes)
        if options.socket == .sub { for prefix in options.subscribe { try socket.subscribe(prefix) } }
        for endpoint in try socket.attach(options.socketOptions) {
            context.log(.info, "bound to \(endpoint)")
        }
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let socket, let wake, let stop, !isOver else { return false }
        // Connection events are processed whenever the source waits. When messages arrive without a break, the source checks for
        // events only in every 64th call, because each check costs system calls.
        readings &+= 1
        let looks = readings & 63 == 0
        while true {
            try socket.reading {
                if looks { try socket.noteConnections() }
                // Takes all available messages in one batch.
                while !isOver, !batch.isFull, let parts = try socket.receive() {
                    messages += 1
                    take(parts, of: socket, into: &batch)
                }
            }
            if isOver { return false }
            if !batch.isEmpty { return true }
            if stop.isRequested { return false }
            try socket.waitToRead(wake)
        }
    }

    mutating func close() async {
        // Processes the last connection events, which belong in the report too.
        try? socket?.reading { try socket?.noteConnections() }
        socket?.close(discardingUnsent: true)
        socket = nil
        wake = nil
        watch?.finish()
        watch = nil
    }

    private mutating func take(_ parts: Int, of socket: ZMQSocket, into batch: inout SourceBatch<P>) {
        var topic: StreamID?
        var isDecoding = false
        do throws(PipelineError) {
            try checkParts(parts)
            if parts > 1, socket.part(0).count > Self.longestName { throw Self.tooLong(socket.part(0).count) }
            if parts > 1 { topic = try decoder?.topic(named: socket.part(0)) }
            let time = parts == 3 ? try decoder?.time(in: socket.part(1)) : nil
            let part = socket.part(parts - 1)
            let payload = decoder?.needsPadding ?? true ? padded(part) : part
            isDecoding = true
            guard
                var message = try decoder?.decode(
                    payload, stream: topic, receivedAt: time ?? stamps.map { $0.now / 1000 })
            else { return }
            if time != nil { message.forgetStamp() }
            let length = message.stream.name.utf8.count
            guard length <= Self.longestName else { throw Self.tooLong(length) }
            try intake?.take(consume message, into: &batch)
        } catch {
            let isKnown = isDecoding && error.code != Self.tooLongCode
            var unread = (isKnown ? decoder?.unread() : nil) ?? UnreadMessage()
            unread.stream = topic ?? unread.stream
            intake?.fail(error.located(in: "message \(messages)"), unread, into: &batch)
        }
    }

    private var isOver: Bool { intake?.isOver ?? false }
    private static var longestName: Int { MessageIntake<P>.longestName }
    private static var tooLongCode: String { "zmq.stream_name" }

    private static func tooLong(_ length: Int) -> PipelineError {
        .frame(
            tooLongCode, "the stream's name has \(length) bytes, more than \(longestName)",
            help: "a message of two frames is [stream][payload]: is the payload first?")
    }

    private func checkParts(_ parts: Int) throws(PipelineError) {
        let wanted =
            switch frames {
            case .auto: parts <= 2 ? nil : "one or two frames"
            case .one: parts == 1 ? nil : "one frame"
            case .topicAndPayload: parts == 2 ? nil : "two frames"
            case .topicTimeAndPayload: parts == 3 ? nil : "three frames"
            }
        guard let wanted else { return }
        throw .frame(
            "zmq.frames", "expected \(wanted), found \(parts)",
            help: "decode: { frames: … } sets what the frames of a message are")
    }
}
