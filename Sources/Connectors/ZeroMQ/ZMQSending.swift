import Pipeline

/// The sockets and the sending state of a ``ZMQSender``.
struct ZMQSending<P: WireEncodable>: Sendable {
    private struct Stream: Sendable {
        /// The sequence number of the next frame.
        var next: Int64 = 0
        /// The timestamp of the last frame.
        var time = Timestamp.zero
        var quiet = QuietStream()
        /// How the stream has ended.
        var end = StreamEnd.over
        /// How many times the end of the stream has been repeated.
        var repeats = 0
    }

    /// The interval at which connections are processed while nothing is sent, in nanoseconds.
    static var upkeepInterval: Int64 { 50_000_000 }
    /// The shortest pause between two rounds in which the ends of streams are repeated on close, in nanoseconds. With a small
    /// `send_hwm`, each round repeats few ends, so many rounds must fit into `linger_ms`.
    private static var shortestPause: Int64 { 1_000_000 }
    /// The maximum number of quiet streams whose numbers are announced at a time.
    private static var mostRepeated: Int { 64 }
    /// How many times the end of a stream is repeated.
    private static var mostEnds: Int { 5 }
    /// How long the ends of streams are repeated on close if `linger_ms` sets no limit, in milliseconds.
    private static var closeRepeatLimitMs: Int { 1000 }

    private let options: ZMQSink.Options
    private let sockets: SendingSockets
    private let patience: Patience
    private let context: SinkContext
    private var subscribers: Subscribers
    private var streams: RecentStreams<Stream>
    /// The ended streams whose end is still being repeated.
    private var ended: RecentStreams<Stream>
    /// The ended streams that go on and have not begun again. Receivers wait until they end again.
    private var restarting: RecentStreams<Stream>
    /// Whether any subscriber has missed a message because it had no room.
    private var wasBehind = false
    /// The number of peers that have disconnected so far.
    private var gone = 0
    private var encoder: MessageEncoder
    /// The error that occurred while nothing was sent. From then on, every write and flush throws it.
    private var problem: (any Error)?

    /// Opens the sockets.
    init(_ options: ZMQSink.Options, _ context: SinkContext) throws {
        self.options = options
        self.context = context
        encoder = MessageEncoder(options.encode)
        streams = RecentStreams(capacity: context.maxStreams)
        // On close, the open streams and the restarting ones end.
        ended = RecentStreams(capacity: context.maxStreams.multipliedSaturated(by: 2))
        restarting = RecentStreams(capacity: context.maxStreams)
        subscribers = Subscribers(wanted: options.waitForSubscribers)
        patience = try Patience(context, lingerMs: options.socketOptions.lingerMs)
        sockets = try SendingSockets(options, context)
        do {
            try waitForSubscribers()
        } catch {
            sockets.close(discardingUnsent: true)
            throw error
        }
    }

    mutating func write(_ frame: Frame<P>) throws {
        if let problem { throw problem }
        if mayHaveSeveral { try checkPeers() }
        var stream = streams[frame.stream] ?? begin(frame.stream)
        try encoder.encode(frame, sequence: stream.next)
        guard try deliver(frame.stream) else { throw Refusal("no_peer") }
        stream.next += 1
        stream.time = frame.timestamp
        stream.quiet = QuietStream()
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.key, evicted.value, .restarts) }
        // Reads subscriptions regularly. They arrive as messages, which would otherwise accumulate.
        if stream.next & 255 == 0 { try look() }
    }

    private mutating func begin(_ stream: StreamID) -> Stream {
        ended.remove(stream)
        restarting.remove(stream)
        return Stream()
    }

    mutating func flush() throws {
        if let problem { throw problem }
        try look()
        try checkPeers()
    }

    /// Processes the changes of connections and subscriptions.
    private mutating func look() throws {
        try sockets.keepUp()
        if options.socket == .pub { try subscribers.update(from: sockets.first) }
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

    /// Announces the sequence numbers that quiet streams have reached, and repeats the ends of ended streams. Otherwise, a
    /// subscriber that had no room for the last messages would not notice that it missed them.
    private mutating func repeatNumbers(at now: Int64) throws {
        guard !subscribers.isMissing, try repeatEnds(at: now) else { return }
        var due: [(stream: StreamID, state: Stream)] = []
        let first = Int64(options.repeatMs)
        streams.changeAll { stream, state in
            if state.quiet.isDue(at: now, firstMs: first) { due.append((stream, state)) }
            return due.count < Self.mostRepeated
        }
        for (stream, state) in due {
            encoder.encodeQuiet(stream, kind: P.kind, sequence: state.next - 1, at: state.time)
            // A subscriber without room misses this announcement, but the number will be announced again.
            _ = try send(stream)
        }
    }

    /// Repeats the ends of streams that are due, until a subscriber lacks room. That subscriber would miss the following messages,
    /// too, so the other ends are repeated at the next call.
    ///
    /// - Returns: Whether all subscribers had room.
    private mutating func repeatEnds(at now: Int64) throws -> Bool {
        var due: [(stream: StreamID, state: Stream)] = []
        let first = Int64(options.repeatMs)
        ended.changeAll { stream, state in
            var repeated = state
            repeated.repeats += 1
            if repeated.quiet.isDue(at: now, firstMs: first) {
                due.append((stream, repeated))
            } else {
                state.quiet = repeated.quiet
            }
            return due.count < Self.mostRepeated
        }
        for (stream, state) in due {
            guard try repeatEnd(of: stream, state) else { return false }
            if state.repeats == Self.mostEnds { ended.remove(stream) } else { ended.update(stream, state) }
        }
        return true
    }

    /// Repeats the end of a stream, because a subscriber that missed it would wait forever. Returns whether all subscribers had
    /// room.
    private mutating func repeatEnd(of stream: StreamID, _ state: Stream) throws -> Bool {
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time, state.end, isRepeated: true)
        return try send(stream)
    }

    /// Repeats the ends of streams for subscribers that had no room, until all subscribers have left or `linger_ms` is over. Each
    /// round begins where the last one found a subscriber without room, because that subscriber missed all further messages.
    private mutating func repeatEndsOnClose() throws {
        let lingerMs = options.socketOptions.lingerMs
        guard wasBehind, lingerMs != 0 else { return }
        let end = context.clock.now + Int64(lingerMs < 0 ? Self.closeRepeatLimitMs : lingerMs) * 1_000_000
        let all = ended.all
        var place = 0
        var unrepeated = all.count
        var pause = Self.shortestPause
        var next = context.clock.now + pause
        while !all.isEmpty, context.clock.now < end, !patience.isOver, try sockets.peers().there > 0 {
            // The socket may return earlier, to observe its connections.
            try sockets.first.waitToReceive(patience.wake, until: (min(next, end) + 999_999) / 1_000_000)
            try look()
            guard context.clock.now >= next else { continue }
            pause *= 2
            for _ in all {
                let (stream, state) = all[place]
                guard try repeatEnd(of: stream, state) else {
                    pause = Self.shortestPause
                    break
                }
                place = (place + 1) % all.count
                unrepeated -= 1
            }
            next = context.clock.now + pause
        }
        guard unrepeated > 0, try sockets.peers().there > 0 else { return }
        context.counts.add(Counts.unknownLoss)
        context.log(
            .warning,
            "the sink closed before it could repeat the ends of all streams, so a subscriber may wait for them; raise send_hwm or linger_ms"
        )
    }

    /// Whether several peers can connect although they must not share the frames. True for a `push` that binds, without `split`.
    private var mayHaveSeveral: Bool {
        options.socket == .push && !options.split && !options.socketOptions.bind.isEmpty
    }

    /// Throws an error if several peers share the frames, so that each gets only some of them, although `split` is not set.
    private mutating func checkPeers() throws {
        guard let peers = try countPeers(), mayHaveSeveral, peers > 1 else { return }
        throw PipelineError(
            .configuration, "zmq.several_peers",
            "\(peers) peers have connected, and a push gives each only some of the frames",
            help: "set split: true if that is intended, or socket: pub to send every frame to all of them")
    }

    /// Returns the number of peers of a push or pair, or `nil` for a pub. Counts an unknown loss and logs a warning if a peer has
    /// left while streams are open, because it may not have read everything that was sent to it.
    private mutating func countPeers() throws -> Int? {
        guard options.socket != .pub else { return nil }
        let peers = try sockets.peers()
        if peers.gone > gone {
            gone = peers.gone
            if streams.count > 0 { context.counts.add(Counts.unknownLoss) }
            if streams.count > 0, gone <= Self.mostWarnings {
                context.log(
                    .warning,
                    "a peer disconnected before the end; messages sent to it that it had not read are lost"
                )
            }
        }
        return peers.there
    }

    /// The maximum number of warnings about peers that have left.
    private static var mostWarnings: Int { 5 }

    mutating func end(_ stream: StreamID, _ end: StreamEnd) throws {
        guard let state = streams.remove(stream) ?? (end == .over ? restarting.remove(stream) : nil) else { return }
        try sendEnd(of: stream, state, end)
    }

    mutating func close() throws {
        defer {
            let isOver = sockets.close(discardingUnsent: patience.isCancelled)
            if options.socketOptions.lingerMs < 0, patience.isCancelled {
                context.log(
                    .warning,
                    "with linger_ms: -1, the sink waits without limit until a peer has received the remaining messages; with a limit, it then drops them, and the run ends"
                )
            }
            if isOver {
                context.counts.add(Counts.unknownLoss)
                context.log(
                    .warning,
                    "linger_ms ended before all messages were sent; the last of the messages counted as written are lost"
                )
            }
        }
        // Processes the last connection events, which belong in the report too.
        try sockets.keepUp()
        _ = try countPeers()
        while let (stream, state) = restarting.removeOldest() ?? streams.removeOldest() {
            try sendEnd(of: stream, state, .over)
        }
        try finishEnds()
        try repeatEndsOnClose()
    }

    private mutating func sendEnd(of stream: StreamID, _ state: Stream, _ end: StreamEnd) throws {
        // A stream that has to make room ends for good, so that no receiver waits for it.
        if end == .restarts, let evicted = restarting.update(stream, state) {
            try sendEnd(of: evicted.key, evicted.value, .over)
        }
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time, end)
        guard !options.split else { return try encoder.withMessage { [sockets] in try sockets.end(stream.name, $0) } }
        _ = try deliver(stream)
        guard options.socket == .pub, options.repeatMs > 0 else { return }
        ended.update(stream, Stream(next: state.next, time: state.time, end: end))
    }

    /// Waits until there was room for the ends of all streams at every peer that shares the frames. Endpoints without a peer have
    /// `linger_ms` to get one.
    private mutating func finishEnds() throws {
        let lingerMs = options.socketOptions.lingerMs
        let deadline = lingerMs < 0 ? nil : ZMQSocket.now + Int64(lingerMs)
        guard try !sockets.finish(by: deadline, patience), lingerMs != 0 else { return }
        context.counts.add(Counts.unknownLoss)
        context.log(
            .warning,
            "the ends of streams did not reach all endpoints; a receiver that starts there later waits until it is stopped"
        )
    }

    /// Sends the last encoded message. Returns `false` when no peer took it in time, or when subscribers are missing. A publisher
    /// does not wait for slow subscribers.
    private mutating func deliver(_ stream: StreamID) throws -> Bool {
        guard !subscribers.isMissing else { return false }
        while try !send(stream), options.socket != .pub {
            if patience.isOver { return false }
            try sockets.waitToSend(patience.wake)
            // Logs a warning if the peer has left, which explains why nothing is sent.
            _ = try countPeers()
        }
        return true
    }

    /// Sends the last encoded message. Returns `false` when there is no room. A publisher has then sent the message to the
    /// subscribers that had room; those that missed it get no further messages until they have caught up somewhat.
    private mutating func send(_ stream: StreamID) throws -> Bool {
        if try encoder.withMessage({ [sockets] in try sockets.send(stream.name, $0) }) { return true }
        guard options.socket == .pub else { return false }
        wasBehind = true
        try encoder.withMessage { [sockets] in try sockets.first.sendToThoseWithRoom(stream.name, $0) }
        return false
    }

    private mutating func waitForSubscribers() throws {
        guard options.waitForSubscribers > 0 else { return }
        context.log(.info, "waiting for \(options.waitForSubscribers) subscribers")
        while subscribers.isMissing, !patience.isStopping {
            try sockets.first.waitToReceive(patience.wake)
            try subscribers.update(from: sockets.first)
        }
    }
}
