import Pipeline

/// The sink behind ``ZMQSink``, for one payload type.
struct ZMQSender<P: WireEncodable>: Sink {
    typealias Input = P

    private struct Stream: Sendable {
        var next: Int64 = 0
        var time = Timestamp.zero
    }

    private let options: ZMQSink.Options
    private var socket: ZMQSocket?
    private var patience: Patience?
    private var context: SinkContext?
    private var subscribers = Subscribers(wanted: 0)
    private var streams = RecentStreams<Stream>()
    /// How many peers have gone so far.
    private var gone = 0
    private var encoder: MessageEncoder

    init(_ options: ZMQSink.Options) {
        self.options = options
        encoder = MessageEncoder(options.encode)
    }

    mutating func open(_ context: SinkContext) async throws {
        let patience = try Patience(context, lingerMs: options.socketOptions.lingerMs)
        let socket = try ZMQSocket(options.socket.pattern, options.socketOptions, SocketReport(context))
        do {
            try socket.limit(sent: options.sendHWM)
            if options.socket == .pub { try socket.tellsSubscriptions() }
            if options.socket != .pub, options.immediate { try socket.waitsForPeers() }
            for endpoint in try socket.attach(options.socketOptions) {
                context.log(.info, "\(context.id): bound to \(endpoint)")
            }
            try waitForSubscribers(socket, patience, context)
        } catch {
            socket.close(discardingUnsent: true)
            throw error
        }
        self.socket = socket
        self.patience = patience
        self.context = context
    }

    mutating func write(_ frame: Frame<P>) throws {
        if mayHaveSeveral { try checkPeers() }
        var stream = streams[frame.stream] ?? Stream()
        try encoder.encode(frame, sequence: stream.next)
        guard try deliver(frame.stream) else { throw Refusal("no_peer") }
        stream.next += 1
        stream.time = frame.timestamp
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.stream, evicted.value) }
        // Subscriptions come as messages, which would pile up.
        if stream.next & 255 == 0 { try look() }
    }

    mutating func flush() throws {
        try look()
        try checkPeers()
    }

    /// Takes in what has happened to connections and subscriptions.
    private mutating func look() throws {
        guard let socket else { return }
        try socket.noteConnections()
        if options.socket == .pub { try subscribers.update(from: socket) }
    }

    /// Whether somebody may connect beside the peer there is, without being asked for.
    private var mayHaveSeveral: Bool {
        options.socket == .push && !options.split && !options.socketOptions.bind.isEmpty
    }

    /// Several peers would share the frames, each getting some: that must be meant.
    private mutating func checkPeers() throws {
        guard let peers = try countPeers(), mayHaveSeveral, peers > 1 else { return }
        throw PipelineError(
            .configuration, "zmq.several_peers",
            "\(peers) peers have connected, and a push gives each only some of the frames",
            help: "split: true if that is meant; socket: pub to give all of them everything")
    }

    /// How many peers a push has. One that goes may not have read all that it was sent; while streams are open, that is worth
    /// a word.
    private mutating func countPeers() throws -> Int? {
        guard options.socket == .push, let peers = try socket?.peers() else { return nil }
        if peers.gone > gone {
            gone = peers.gone
            if streams.count > 0 { context?.counts.add(Counts.unknownLoss) }
            if let context, streams.count > 0, gone <= Self.mostWarnings {
                context.log(
                    .warning,
                    "\(context.id): a peer has gone before the end; what it was sent and had not read, if anything, is lost"
                )
            }
        }
        return peers.there
    }

    private static var mostWarnings: Int { 5 }

    mutating func end(_ stream: StreamID) throws {
        guard let state = streams.remove(stream) else { return }
        try sendEnd(of: stream, state)
    }

    mutating func close() async throws {
        guard let socket, let context, let patience else { return }
        defer {
            let began = context.clock.now
            socket.close(discardingUnsent: patience.isCancelled)
            self.socket = nil
            let lingerMs = options.socketOptions.lingerMs
            if lingerMs < 0, patience.isCancelled {
                context.log(
                    .warning,
                    "\(context.id): linger_ms: -1 waits for ever for a peer that takes what is left; after a time given in its place that is dropped, and the run ends"
                )
            }
            if lingerMs > 0, context.clock.now - began >= Int64(lingerMs) * 1_000_000 {
                context.counts.add(Counts.unknownLoss)
                context.log(
                    .warning,
                    "\(context.id): linger_ms was over before all had left; of the messages counted as written the last are lost"
                )
            }
        }
        _ = try countPeers()
        while let (stream, state) = streams.removeOldest() { try sendEnd(of: stream, state) }
    }

    private mutating func sendEnd(of stream: StreamID, _ state: Stream) throws {
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time)
        // Whoever shares the frames has to know.
        for _ in 0..<(options.split ? max(1, options.socketOptions.connect.count) : 1) { _ = try deliver(stream) }
    }

    /// Sends what was encoded last; false when nobody took it in time.
    private mutating func deliver(_ stream: StreamID) throws -> Bool {
        guard let socket, let patience, !subscribers.isMissing else { return false }
        while !(try encoder.withMessage { try socket.send(stream.name, $0) }) {
            if patience.isOver { return false }
            try socket.waitToSend(patience.wake)
            // Perhaps it has gone; whoever looks on wants to know why nothing moves.
            _ = try countPeers()
        }
        return true
    }

    private mutating func waitForSubscribers(
        _ socket: ZMQSocket, _ patience: Patience, _ context: SinkContext
    ) throws {
        guard options.waitForSubscribers > 0 else { return }
        subscribers = Subscribers(wanted: options.waitForSubscribers)
        context.log(.info, "\(context.id): waiting for \(options.waitForSubscribers) subscribers")
        while subscribers.isMissing, !patience.isStopping {
            try socket.waitToReceive(patience.wake)
            try subscribers.update(from: socket)
        }
    }
}
