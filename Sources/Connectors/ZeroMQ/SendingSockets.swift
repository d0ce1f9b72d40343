import Pipeline

/// The sockets of a ``ZMQSending``: usually one.
///
/// A `push` with `split` has one socket for each endpoint in `connect`, because the end of a stream must reach every peer, and
/// libzmq gives a message to any peer with room.
// `@unchecked Sendable`: the lock of the sink protects its sockets too.
final class SendingSockets: @unchecked Sendable {
    private struct Place {
        let socket: ZMQSocket
        /// Whether the socket has taken any message, so that a peer may know streams and wait for their ends. The first peer gets
        /// earlier ends only if no frame follows: most receivers end when all streams that they know have ended.
        var hasTaken = false
        /// The ends of streams, the oldest first. The first `sent` of them have been sent; the others wait for a peer with room.
        private var ends: [[[UInt8]]] = []
        private var sent = 0

        init(_ socket: ZMQSocket) { self.socket = socket }

        /// Keeps an end, and at least the `mostKept` last ones. Returns whether it discarded ends that had not been sent.
        mutating func keep(_ end: [[UInt8]], _ mostKept: Int) -> Bool {
            ends.append(end)
            // Trims only when twice too many are kept, so that an end costs O(1) on average.
            guard ends.count > mostKept.multipliedSaturated(by: 2) else { return false }
            let excess = ends.count - mostKept
            ends.removeFirst(excess)
            defer { sent = max(0, sent - excess) }
            return excess > sent
        }

        /// Sends the ends that wait. Returns whether all were sent.
        @discardableResult
        mutating func sendEnds() throws -> Bool {
            while sent < ends.count {
                guard try socket.send(ends[sent]) else { return false }
                sent += 1
                hasTaken = true
            }
            forgetEnds()
            return true
        }

        mutating func forgetEnds() { (ends, sent) = ([], 0) }
    }

    private let lingerMs: Int
    /// The number of ends that are kept for a peer.
    private let mostKept: Int
    private let report: SocketReport
    private var hasWarned = false
    private var places: [Place] = []
    /// The socket for the next message.
    private var turn = 0

    /// The size limit for incoming messages, in bytes. It is enough for a topic of 4 KB and the overhead of the protocol.
    private static var largestSubscription: Int { 8192 }

    /// Opens the sockets.
    init(_ options: ZMQSink.Options, _ context: SinkContext) throws {
        lingerMs = options.socketOptions.lingerMs
        // On close, the open streams end, and as many that were to go on.
        mostKept = context.maxStreams.multipliedSaturated(by: 2)
        report = SocketReport(context)
        do {
            for place in options.split ? options.socketOptions.separated : [options.socketOptions] {
                let socket = try ZMQSocket(options.socket.pattern, place, report)
                places.append(Place(socket))
                // A push receives nothing, and a pub receives only subscriptions, so the size of incoming messages is limited.
                try socket.limit(
                    sent: options.sendHWM, messageBytes: options.socket == .pair ? nil : Self.largestSubscription)
                if options.socket == .pub {
                    try socket.tellsSubscriptions()
                    try socket.failWhenSubscriberIsFull()
                }
                if options.socket != .pub, options.immediate { try socket.waitsForPeers() }
                for endpoint in try socket.attach(place) { context.log(.info, "bound to \(endpoint)") }
            }
        } catch {
            close(discardingUnsent: true)
            throw error
        }
    }

    /// The only socket of a `pub` or a `pair`.
    var first: ZMQSocket { places[0].socket }

    /// Sends a message on a socket with room; the sockets take turns. Returns whether it was sent.
    func send(_ topic: String, _ payload: UnsafeRawBufferPointer) throws -> Bool {
        for _ in places.indices {
            let place = turn
            turn = (turn + 1) % places.count
            if places[place].hasTaken, try !places[place].sendEnds() { continue }
            guard try places[place].socket.send(topic, payload) else { continue }
            places[place].hasTaken = true
            places[place].forgetEnds()
            return true
        }
        return false
    }

    /// Sends the end of a stream on every socket. Where there is no room or no peer, the end is sent later, before any message to
    /// a peer that may know the stream.
    func end(_ topic: String, _ payload: UnsafeRawBufferPointer) throws {
        let end = [Array(topic.utf8), Array(payload)]
        for place in places.indices {
            if places[place].keep(end, mostKept) { noteDiscarded() }
            try places[place].sendEnds()
        }
    }

    private func noteDiscarded() {
        report.count(Counts.unknownLoss)
        guard !hasWarned else { return }
        hasWarned = true
        report.say(
            .warning,
            "too many streams ended while a peer was away or had no room; the oldest ends are discarded, and a receiver may wait for them; raise max_streams"
        )
    }

    /// Sends all remaining ends. Waits for room at a peer as long as the sink is patient, and for missing peers until the deadline
    /// (in milliseconds of the system clock). Returns whether all were sent.
    func finish(by deadline: Int64?, _ patience: Patience) throws -> Bool {
        while true {
            let isLate = deadline.map { ZMQSocket.now >= $0 } ?? false
            let rest = try places.indices.filter { try !places[$0].sendEnds() }.map { places[$0].socket }
            let waiting = try isLate ? rest.filter { try $0.peers().there > 0 } : rest
            guard !waiting.isEmpty, !patience.isOver else { return rest.isEmpty }
            try ZMQSocket.waitToSend(on: waiting, patience.wake, until: isLate ? nil : deadline)
        }
    }

    /// Waits until a message can be sent or `wake` is signaled.
    func waitToSend(_ wake: WakePipe) throws { try ZMQSocket.waitToSend(on: places.map(\.socket), wake) }

    /// Processes the changes of connections, and sends ends for which there is room now to peers that may know the streams.
    func keepUp() throws {
        for place in places.indices {
            try places[place].socket.noteConnections()
            if places[place].hasTaken { try places[place].sendEnds() }
        }
    }

    /// Returns the number of connected peers (`there`) and of peers that have disconnected so far (`gone`).
    func peers() throws -> (there: Int, gone: Int) {
        try places.reduce((there: 0, gone: 0)) { sum, place in
            let peers = try place.socket.peers()
            return (sum.there + peers.there, sum.gone + peers.gone)
        }
    }

    /// Closes the sockets. Returns whether `linger_ms` was over before all messages had left.
    @discardableResult
    func close(discardingUnsent: Bool) -> Bool {
        var isOver = false
        for place in places {
            let began = SystemClock().now
            // When `linger_ms` is over at one socket, it is over at the next ones too, whose messages have been leaving meanwhile.
            place.socket.close(discardingUnsent: discardingUnsent || isOver)
            if lingerMs > 0, SystemClock().now - began >= Int64(lingerMs) * 1_000_000 { isOver = true }
        }
        return isOver
    }
}
