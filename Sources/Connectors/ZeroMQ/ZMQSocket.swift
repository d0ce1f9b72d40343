import CZMQ
import Pipeline

/// A ZeroMQ socket and its message buffers.
///
/// Only one thread at a time may use a socket. The engine calls a source or sink that may block on a dedicated thread. A sink that
/// also works while no frames arrive protects its socket with a lock, which is the full fence that libzmq requires between threads.
/// Call ``receive()`` only within ``reading(_:)``. No libzmq pointer leaves this type.
///
/// Order of destruction: messages, socket, context (see ``ZMQContext``).
// `@unchecked Sendable`: the owner uses the socket on one thread at a time. The locks of `monitor` and `backpressure` protect the
// state that their own threads use.
final class ZMQSocket: @unchecked Sendable {
    let pattern: Pattern
    /// The parts of the message received last: the first, the second, and the last of any further parts.
    let first = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    let second = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    let third = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private(set) var socket: UnsafeMutableRawPointer?
    private let context: ZMQContext
    private let lingerMs: Int
    let report: SocketReport
    /// The rule that decides which peers this socket accepts.
    private var rule: ZAPHandler.Entry?

    /// Receives libzmq's events about the connections.
    private(set) var monitor: ConnectionMonitor?
    var connections: ConnectionLog
    /// Keeps `ipc` connections open after the socket is closed. `nil` if the socket does not send over `ipc`.
    var unread: UnreadIPC?
    var reconnection: Reconnection
    var pendingDisconnects = PendingDisconnects()
    var acceptLimiter = AcceptLimiter()
    /// The endpoints that this side connects to.
    private(set) var endpoints: [String] = []
    /// The endpoints that this side is bound to, with the ports that the system chose.
    private(set) var bound: [String] = []
    /// The connections of a publisher that have ended since the last call of ``takeEnded()``.
    var ended: [Int32] = []

    /// Applies backpressure to the peers while the reader is behind; `nil` if the socket does not receive or uses `inproc`.
    private(set) var backpressure: Backpressure?
    /// The messages that the backpressure has moved out of libzmq's queue.
    let waiting = WaitingMessages(room: 0)

    /// Creates a socket that is not bound or connected yet.
    ///
    /// - Parameters:
    ///   - pattern: The role of the socket.
    ///   - options: The options of the socket.
    ///   - report: The report to which connection events go.
    ///   - former: The socket that the new one replaces. The counts of its events continue, so that frequent events are not logged
    ///     again.
    init(
        _ pattern: Pattern, _ options: ZMQSocketOptions, _ report: SocketReport, after former: ZMQSocket? = nil
    ) throws {
        self.report = report
        let security = try ZMQSecurity(options)
        self.pattern = pattern
        lingerMs = options.lingerMs
        if pattern.sends, (options.bind + options.connect).contains(where: { $0.transport == .ipc }) {
            unread = UnreadIPC()
        }
        connections =
            former?.connections.renewed
            ?? ConnectionLog(
                isClient: security.isClient, onlyConnects: options.bind.isEmpty, partners: pattern.partners)
        reconnection = Reconnection(firstMs: options.reconnectMs, longestMs: options.reconnectMaxMs)
        let isInproc = (options.bind + options.connect).contains { $0.transport == .inproc }
        context =
            isInproc
            ? try ZMQContext.acquire(ioThreads: options.ioThreads) : try ZMQContext.own(ioThreads: options.ioThreads)
        zmq_msg_init(first)
        zmq_msg_init(second)
        zmq_msg_init(third)
        socket = zmq_socket(context.pointer, pattern.type)
        guard socket != nil else {
            let code = ZMQCode.last
            context.release()
            throw code == .tooManyOpen
                ? PipelineError.environment(
                    "zmq.too_many_sockets", "cannot create a socket: \(code.message)",
                    help: "ulimit -n raises the limit"
                )
                : code.unexpected("zmq_socket")
        }
        // Only a sending socket waits for its messages to leave before it closes. Unsent subscriptions and requests must not delay
        // the closing.
        try set(ZMQ_LINGER, pattern.sends ? options.lingerMs : 0)
        try set(ZMQ_HANDSHAKE_IVL, options.handshakeMs)
        try set(ZMQ_RECONNECT_IVL, options.reconnectMs)
        try set(ZMQ_RECONNECT_IVL_MAX, options.reconnectMaxMs)
        if options.heartbeatMs > 0 { try watchPeers(everyMs: options.heartbeatMs, maySuspend: pattern.maySuspend) }
        // The queue of incoming messages has no limit, because subscriptions are small and a push receives nothing. With a limit, a
        // connection that has stopped reading could not answer heartbeats, and would not notice that its peer is gone.
        if pattern == .xpub || pattern == .push { try set(ZMQ_RCVHWM, 0) }
        if pattern.isRead, !isInproc { try startBackpressure(ioThreads: options.ioThreads) }
        if options.tcpKeepalive { try set(ZMQ_TCP_KEEPALIVE, 1) }
        if options.ipv6 { try set(ZMQ_IPV6, 1) }
        try secure(security)
        if let socket { monitor = try ConnectionMonitor(of: socket, in: context) }
        if pattern == .xpub { try monitor?.watchFloods() }
    }

    deinit {
        close()
        first.deallocate()
        second.deallocate()
        third.deallocate()
    }

    /// Closes the socket. Later calls do nothing.
    ///
    /// Waits until all sent messages have left and, over `ipc`, have been read. A socket with `inproc` endpoints does not wait for
    /// its messages to leave while another socket uses the shared context.
    ///
    /// - Parameter discardingUnsent: Whether to discard unsent messages instead of waiting for them.
    func close(discardingUnsent: Bool = false) {
        guard let socket else { return }
        let began = SystemClock().now
        if !discardingUnsent, unread != nil {
            try? noteConnections()
            unread?.hold()
        }
        // Ends the backpressure first, because it uses the socket.
        backpressure?.end()
        backpressure = nil
        self.socket = nil
        report.note([], of: self)
        monitor?.close(socket)
        monitor = nil
        if discardingUnsent {
            var zero: Int32 = 0
            zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
        }
        zmq_msg_close(first)
        zmq_msg_close(second)
        zmq_msg_close(third)
        zmq_close(socket)
        // Removes the rule before it releases the context, because the ZAP handler uses the context too.
        if let rule { ZAPHandler.remove(rule) }
        context.release()
        unread?.release(by: lingerMs < 0 ? nil : began + Int64(lingerMs) * 1_000_000)
    }

    // MARK: Options and addresses

    /// Limits the number of waiting messages and the size of a message. libzmq disconnects a peer that sends a larger message,
    /// without reporting it.
    func limit(received: Int? = nil, sent: Int? = nil, messageBytes: Int? = nil) throws {
        if let received {
            if backpressure == nil { try set(ZMQ_RCVHWM, received) } else { waiting.room = received }
        }
        if let sent { try set(ZMQ_SNDHWM, sent) }
        if var bytes = messageBytes.map(Int64.init) {
            try check(zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size), "max_message_bytes")
        }
    }

    /// Starts the backpressure, which replaces libzmq's own limit on the queue.
    private func startBackpressure(ioThreads: Int) throws {
        try set(ZMQ_RCVHWM, 0)
        let backpressure = try Backpressure(in: context, ioThreads: ioThreads) { [weak self] in
            self?.takeOver() ?? true
        }
        self.backpressure = backpressure
        backpressure.start()
    }

    /// Subscribes to messages whose first part starts with a prefix.
    func subscribe(_ prefix: String) throws {
        try check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count), "subscribe")
    }

    /// Queues messages only for peers that are connected.
    func waitsForPeers() throws { try set(ZMQ_IMMEDIATE, 1) }

    /// Delivers every subscription and its end as a message, even if another peer has the same subscription.
    func tellsSubscriptions() throws { try set(ZMQ_XPUB_VERBOSER, 1) }

    /// Makes sending fail while a subscriber has no room, instead of dropping the message for that subscriber. A subscriber that
    /// has lost a message gets no further ones, and does not make sending fail, until it has read half of its waiting messages.
    func failWhenSubscriberIsFull() throws { try set(ZMQ_XPUB_NODROP, 1) }

    /// Sends a publisher's message to the subscribers that have room for it.
    func sendToThoseWithRoom(_ topic: String, _ payload: UnsafeRawBufferPointer) throws {
        try set(ZMQ_XPUB_NODROP, 0)
        // Without this option, sending to subscribers does not fail for lack of room.
        _ = try send(topic, payload)
        try failWhenSubscriberIsFull()
    }

    /// Binds all endpoints, and then connects all endpoints.
    ///
    /// - Returns: The bound endpoints, with the ports that the system chose.
    func attach(_ options: ZMQSocketOptions) throws -> [String] {
        var bound: [String] = []
        for endpoint in options.bind {
            try endpoint.checkFile()
            guard zmq_bind(socket, endpoint.text) == 0 else { throw ZMQCode.last.refusing(endpoint, .bind) }
            bound.append(lastEndpoint ?? endpoint.text)
        }
        self.bound = bound
        endpoints = options.connect.map(\.text)
        for endpoint in options.connect {
            guard zmq_connect(socket, endpoint.text) == 0 else { throw ZMQCode.last.refusing(endpoint, .connect) }
        }
        tellPeers()
        return bound
    }

    private var lastEndpoint: String? {
        var text = [UInt8](repeating: 0, count: 1024)
        var count = text.count
        guard zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &text, &count) == 0 else { return nil }
        return String(decoding: text.prefix(while: { $0 != 0 }), as: UTF8.self)
    }

    /// Enables the detection of peers that no longer exist.
    ///
    /// A socket that has stopped reading does not see the answers to ZeroMQ heartbeats. It would consider every peer dead and,
    /// because of a defect of libzmq (still present in 4.3.5), could then crash the process. For a socket that may stop reading,
    /// the operating system sends TCP keepalives instead, which work without reading. Their unit is whole seconds. No
    /// `ZMQ_HEARTBEAT_TTL` is sent to peers, which may stop reading too.
    private func watchPeers(everyMs interval: Int, maySuspend: Bool) throws {
        guard maySuspend else {
            try set(ZMQ_HEARTBEAT_IVL, interval)
            try set(ZMQ_HEARTBEAT_TIMEOUT, 2 * interval)
            return
        }
        let seconds = max(1, (interval + 500) / 1000)
        try set(ZMQ_TCP_KEEPALIVE, 1)
        try set(ZMQ_TCP_KEEPALIVE_IDLE, seconds)
        try set(ZMQ_TCP_KEEPALIVE_INTVL, seconds)
        try set(ZMQ_TCP_KEEPALIVE_CNT, 1)
    }

    private func set(_ option: Int32, _ value: Int) throws {
        var value = Int32(clamping: value)
        try check(zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size), "zmq_setsockopt")
    }

    private func set(_ option: Int32, _ bytes: [UInt8]) throws {
        try check(zmq_setsockopt(socket, option, bytes, bytes.count), "zmq_setsockopt")
    }

    private func secure(_ security: ZMQSecurity) throws {
        switch security {
        case .none: break
        case .curveServer(let secret, let allow):
            guard zmq_has("curve") != 0 else { throw PipelineError.noCurve }
            try set(ZMQ_CURVE_SERVER, 1)
            try set(ZMQ_CURVE_SECRETKEY, secret.bytes)
            try installRule(.curve(allow))
        case .curveClient(let secret, let own, let server):
            guard zmq_has("curve") != 0 else { throw PipelineError.noCurve }
            try set(ZMQ_CURVE_SERVERKEY, server.bytes)
            try set(ZMQ_CURVE_PUBLICKEY, own.bytes)
            try set(ZMQ_CURVE_SECRETKEY, secret.bytes)
        case .plainServer(let username, let password):
            try set(ZMQ_PLAIN_SERVER, 1)
            try installRule(.plain(username: username, password: password))
        case .plainClient(let username, let password):
            try set(ZMQ_PLAIN_USERNAME, Array(username.utf8))
            try set(ZMQ_PLAIN_PASSWORD, Array(password.utf8))
        }
    }

    private func installRule(_ rule: ZAPHandler.Rule) throws {
        let entry = try ZAPHandler.add(rule, in: context)
        self.rule = entry
        try set(ZMQ_ZAP_DOMAIN, Array(entry.domain.utf8))
    }

    private func check(_ result: Int32, _ call: String) throws {
        guard result == 0 else { throw ZMQCode.last.unexpected(call) }
    }
}
