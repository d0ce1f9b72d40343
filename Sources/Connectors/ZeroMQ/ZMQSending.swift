import Pipeline

/// The socket and the sending state of a ``ZMQSender``.
struct ZMQSending<P: WireEncodable>: Sendable {
    private struct Stream: Sendable {
        var next: Int64 = 0
        var time = Timestamp.zero
        var quiet = QuietStream()
        /// How many times the end of the stream has been repeated.
        var repeats = 0
    }

    /// The interval at which connections are processed while nothing is sent, in nanoseconds.
    static var upkeepInterval: Int64 { 50_000_000 }
    /// The maximum number of quiet streams whose numbers are announced at a time.
    private static var mostRepeated: Int { 64 }
    /// How many times the end of a stream is repeated.
    private static var mostEnds: Int { 5 }
    /// How long ends are repeated on close when `linger_ms` sets no limit, in milliseconds.
    private static var longestFarewell: Int { 1000 }

    private let options: ZMQSink.Options
    private let socket: ZMQSocket
    private let patience: Patience
    private let context: SinkContext
    private var subscribers: Subscribers
    private var streams: RecentStreams<Stream>
    /// The ended streams whose end is still being repeated.
    private var ended: RecentStreams<Stream>
    /// Whether a subscriber had no room for a message and therefore missed it.
    private var wasBehind = false
    /// The number of peers that have disconnected so far.
    private var gone = 0
    private var encoder: MessageEncoder
    /// An error that occurred while nothing was sent.
    private var problem: (any Error)?

    /// Opens the socket.
    init(_ options: ZMQSink.Options, _ context: SinkContext) throws {
        self.options = options
        self.context = context
        encoder = MessageEncoder(options.encode)
        streams = RecentStreams(capacity: context.maxStreams)
        ended = RecentStreams(capacity: context.maxStreams)
        subscribers = Subscribers(wanted: options.waitForSubscribers)
        patience = try Patience(context, lingerMs: options.socketOptions.lingerMs)
        socket = try ZMQSocket(options.socket.pattern, options.socketOptions, SocketReport(context))
        do {
            // A push receives nothing, and a pub only receives subscriptions.
            try socket.limit(
                sent: options.sendHWM, messageBytes: options.socket == .pair ? nil : Self.largestSubscription)
            if options.socket == .pub {
                try socket.tellsSubscriptions()
                try socket.tellsWhenSomebodyIsBehind()
            }
            if options.socket != .pub, options.immediate { try socket.waitsForPeers() }
            for endpoint in try socket.attach(options.socketOptions) {
                context.log(.info, "bound to \(endpoint)")
            }
            try waitForSubscribers()
        } catch {
            socket.close(discardingUnsent: true)
            throw error
        }
    }

    // Enough for a topic of 4 KB and the overhead of the protocol, in bytes.
    private static var largestSubscription: Int { 8192 }

    mutating func write(_ frame: Frame<P>) throws {
        if let problem { throw problem }
        if mayHaveSeveral { try checkPeers() }
        var stream = streams[frame.stream] ?? begin(frame.stream)
        try encoder.encode(frame, sequence: stream.next)
        guard try deliver(frame.stream) else { throw Refusal("no_peer") }
        stream.next += 1
        stream.time = frame.timestamp
        stream.quiet = QuietStream()
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.stream, evicted.value) }
        // Subscriptions arrive as messages, which would otherwise accumulate.
        if stream.next & 255 == 0 { try look() }
    }

    private mutating func begin(_ stream: StreamID) -> Stream {
        ended.remove(stream)
        return Stream()
    }

    mutating func flush() throws {
        if let problem { throw problem }
        try look()
        try checkPeers()
    }

    /// Processes the changes of connections and subscriptions.
    private mutating func look() throws {
        try socket.noteConnections()
        if options.socket == .pub { try subscribers.update(from: socket) }
    }

    /// Does the work that is due while nothing is sent.
    mutating func keepUp() {
        guard problem == nil else { return }
        do {
            try look()
            if options.socket == .pub, options.repeatMs > 0 { try repeatNumbers(at: context.clock.now / 1_000_000) }
        } catch {
            problem = error
        }
    }

    /// Announces the numbers that quiet streams have reached. A subscriber that had no room for the last frames did not get them,
    /// and would not know.
    private mutating func repeatNumbers(at now: Int64) throws {
        guard !subscribers.isMissing else { return }
        var due: [(stream: StreamID, state: Stream)] = []
        let first = Int64(options.repeatMs)
        streams.changeAll { stream, state in
            if state.quiet.isDue(at: now, firstMs: first) { due.append((stream, state)) }
            return due.count < Self.mostRepeated
        }
        for (stream, state) in due {
            encoder.encodeQuiet(stream, kind: P.kind, sequence: state.next - 1, at: state.time)
            // A subscriber without room misses the number. It will be announced again.
            _ = try send(stream)
        }
        due = []
        ended.changeAll { stream, state in
            if state.quiet.isDue(at: now, firstMs: first) {
                state.repeats += 1
                due.append((stream, state))
            }
            return due.count < Self.mostRepeated
        }
        for (stream, state) in due {
            try repeatEnd(of: stream, state)
            if state.repeats == Self.mostEnds { ended.remove(stream) }
        }
    }

    /// Repeats the end of a stream, because a subscriber that missed it would wait forever.
    private mutating func repeatEnd(of stream: StreamID, _ state: Stream) throws {
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time, isRepeated: true)
        _ = try send(stream)
    }

    /// Repeats the ends for subscribers that had no room, until all subscribers have left or `linger_ms` is over.
    private mutating func sayFarewell() throws {
        guard wasBehind else { return }
        let lingerMs = options.socketOptions.lingerMs
        let end = context.clock.now + Int64(lingerMs < 0 ? Self.longestFarewell : lingerMs) * 1_000_000
        var pause = Self.upkeepInterval
        while ended.count > 0, context.clock.now < end, !patience.isOver, try socket.peers().there > 0 {
            try socket.waitToReceive(patience.wake, until: (min(context.clock.now + pause, end)) / 1_000_000)
            try look()
            var all: [(stream: StreamID, state: Stream)] = []
            ended.changeAll { stream, state in
                all.append((stream, state))
                return true
            }
            for (stream, state) in all { try repeatEnd(of: stream, state) }
            pause *= 2
        }
    }

    /// Whether further peers may connect on their own.
    private var mayHaveSeveral: Bool {
        options.socket == .push && !options.split && !options.socketOptions.bind.isEmpty
    }

    /// Throws an error if several peers share the frames, each getting some, and this is not intended.
    private mutating func checkPeers() throws {
        guard let peers = try countPeers(), mayHaveSeveral, peers > 1 else { return }
        throw PipelineError(
            .configuration, "zmq.several_peers",
            "\(peers) peers have connected, and a push gives each only some of the frames",
            help: "split: true if that is meant; socket: pub to give all of them everything")
    }

    /// Returns the number of peers of a push. A peer that leaves may not have read everything that was sent to it, which is worth a
    /// warning while streams are open.
    private mutating func countPeers() throws -> Int? {
        guard options.socket == .push else { return nil }
        let peers = try socket.peers()
        if peers.gone > gone {
            gone = peers.gone
            if streams.count > 0 { context.counts.add(Counts.unknownLoss) }
            if streams.count > 0, gone <= Self.mostWarnings {
                context.log(
                    .warning,
                    "a peer has gone before the end; what it was sent and had not read, if anything, is lost"
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

    mutating func close() throws {
        defer {
            let began = context.clock.now
            socket.close(discardingUnsent: patience.isCancelled)
            let lingerMs = options.socketOptions.lingerMs
            if lingerMs < 0, patience.isCancelled {
                context.log(
                    .warning,
                    "linger_ms: -1 waits for ever for a peer that takes what is left; after a time given in its place that is dropped, and the run ends"
                )
            }
            if lingerMs > 0, context.clock.now - began >= Int64(lingerMs) * 1_000_000 {
                context.counts.add(Counts.unknownLoss)
                context.log(
                    .warning,
                    "linger_ms was over before all had left; of the messages counted as written the last are lost"
                )
            }
        }
        // The last events belong in the report too.
        try socket.noteConnections()
        _ = try countPeers()
        while let (stream, state) = streams.removeOldest() { try sendEnd(of: stream, state) }
        try sayFarewell()
    }

    private mutating func sendEnd(of stream: StreamID, _ state: Stream) throws {
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time)
        // With `split`, the end is sent once for each connected endpoint.
        for _ in 0..<(options.split ? max(1, options.socketOptions.connect.count) : 1) { _ = try deliver(stream) }
        guard options.socket == .pub, options.repeatMs > 0 else { return }
        ended.update(stream, Stream(next: state.next, time: state.time))
    }

    /// Sends the last encoded message. Returns `false` when no peer took it in time.
    private mutating func deliver(_ stream: StreamID) throws -> Bool {
        guard !subscribers.isMissing else { return false }
        while try !send(stream) {
            if patience.isOver { return false }
            try socket.waitToSend(patience.wake)
            // The peer may have left. The log then explains why nothing is sent.
            _ = try countPeers()
        }
        return true
    }

    /// Sends the last encoded message. Returns `false` when there is no room. A publisher does not wait for slow subscribers.
    private mutating func send(_ stream: StreamID) throws -> Bool {
        if try encoder.withMessage({ [socket] in try socket.send(stream.name, $0) }) { return true }
        guard options.socket == .pub else { return false }
        wasBehind = true
        return try encoder.withMessage { [socket] in try socket.sendToThoseWithRoom(stream.name, $0) }
    }

    private mutating func waitForSubscribers() throws {
        guard options.waitForSubscribers > 0 else { return }
        context.log(.info, "waiting for \(options.waitForSubscribers) subscribers")
        while subscribers.isMissing, !patience.isStopping {
            try socket.waitToReceive(patience.wake)
            try subscribers.update(from: socket)
        }
    }
}
