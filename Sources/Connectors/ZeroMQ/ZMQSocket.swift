import CZMQ
import Pipeline

/// One ZeroMQ socket and the message it works with.
///
/// A socket is used by one thread at a time: the engine makes all calls of a source or sink that may block on a thread of
/// its own, and a sink that must do something while nothing comes guards its socket with a lock, which is the full fence
/// that libzmq asks for. Receiving happens in ``reading(_:)``. No pointer of libzmq leaves this type.
///
/// Order of destruction: messages, socket, context (see ``ZMQContext``).
// Its owner uses it on one thread at a time; what others do with it stands behind locks of `monitor` and `backpressure`.
final class ZMQSocket: @unchecked Sendable {
    let pattern: Pattern
    let first = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    let second = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    let third = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private(set) var socket: UnsafeMutableRawPointer?
    private let context: ZMQContext
    private let lingerMs: Int
    let report: SocketReport
    /// Under which name the rule stands that says whom this socket lets in.
    private var rule: ZAPHandler.Entry?

    /// What is known of connections.
    private(set) var monitor: ConnectionMonitor?
    var connections: ConnectionLog
    var unread: UnreadIPC?
    var reconnection: Reconnection
    var departures = Departures()
    var crowd = Crowd()
    /// Where this side goes to, and where it listens.
    private(set) var endpoints: [String] = []
    private(set) var bound: [String] = []
    /// The connections that have ended since somebody last asked, of a socket that is subscribed to.
    var ended: [Int32] = []

    /// What lets peers wait while the reader is behind, and what waits then.
    private(set) var backpressure: Backpressure?
    let waiting = WaitingMessages(room: 0)

    /// Makes a socket that is bound and connected to nothing yet.
    ///
    /// - Parameter former: The closed socket in whose place it comes: what was said of that one's connections often enough
    ///   is not said again.
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
        let isInside = (options.bind + options.connect).contains { $0.transport == .inproc }
        context =
            isInside
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
                    "zmq.too_many_sockets", "no socket can be made: \(code.message)", help: "ulimit -n raises the limit"
                )
                : code.unexpected("zmq_socket")
        }
        // What only receives has nothing to leave behind. Its subscriptions would keep a connection going that was ended.
        try set(ZMQ_LINGER, pattern.sends ? options.lingerMs : 0)
        try set(ZMQ_HANDSHAKE_IVL, options.handshakeMs)
        try set(ZMQ_RECONNECT_IVL, options.reconnectMs)
        try set(ZMQ_RECONNECT_IVL_MAX, options.reconnectMaxMs)
        if options.heartbeatMs > 0 { try watchPeers(everyMs: options.heartbeatMs, maySuspend: pattern.maySuspend) }
        // What is subscribed to is few bytes, and nothing comes to a push. A connection that stopped to read could not answer
        // heartbeats, and would notice nothing.
        if pattern == .xpub || pattern == .push { try set(ZMQ_RCVHWM, 0) }
        if pattern.isRead, !isInside { try letWait(ioThreads: options.ioThreads) }
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

    /// Closes the socket; later calls do nothing. Waits for what was sent, unless another socket uses `inproc` as well: until
    /// it has left and, over `ipc`, has been read.
    ///
    /// - Parameter discardingUnsent: Whether not to wait.
    func close(discardingUnsent: Bool = false) {
        guard let socket else { return }
        let began = SystemClock().now
        if !discardingUnsent, unread != nil {
            try? noteConnections()
            unread?.hold()
        }
        // Nobody may be using it any more.
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
        // Before the context, which the handler of the rules uses too.
        if let rule { ZAPHandler.remove(rule) }
        context.release()
        unread?.release(by: lingerMs < 0 ? nil : began + Int64(lingerMs) * 1_000_000)
    }

    // MARK: Options and addresses

    /// Limits what waits in the socket, and how large a message may be. A peer that sends a larger one is disconnected by
    /// libzmq, which tells nobody.
    func limit(received: Int? = nil, sent: Int? = nil, messageBytes: Int? = nil) throws {
        if let received {
            if backpressure == nil { try set(ZMQ_RCVHWM, received) } else { waiting.room = received }
        }
        if let sent { try set(ZMQ_SNDHWM, sent) }
        if var bytes = messageBytes.map(Int64.init) {
            try check(zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size), "max_message_bytes")
        }
    }

    /// Lets peers wait while the reader is behind.
    private func letWait(ioThreads: Int) throws {
        try set(ZMQ_RCVHWM, 0)
        let backpressure = try Backpressure(in: context, ioThreads: ioThreads) { [weak self] in
            self?.takeOver() ?? true
        }
        self.backpressure = backpressure
        backpressure.start()
    }

    /// Takes messages whose first part begins so.
    func subscribe(_ prefix: String) throws {
        try check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count), "subscribe")
    }

    /// Lets messages wait only for peers that are there.
    func waitsForPeers() throws { try set(ZMQ_IMMEDIATE, 1) }

    /// Makes every subscription and its end a message to be received, also one that somebody else has already.
    func tellsSubscriptions() throws { try set(ZMQ_XPUB_VERBOSER, 1) }

    /// A publisher sends nothing while a subscriber has no room, in place of losing for him what he has no room for. Once he
    /// has lost something he counts again when he has read half of what waits for him.
    func tellsWhenSomebodyIsBehind() throws { try set(ZMQ_XPUB_NODROP, 1) }

    /// Sends a publisher's message to those who have room for it.
    func sendToThoseWithRoom(_ topic: String, _ payload: UnsafeRawBufferPointer) throws -> Bool {
        try set(ZMQ_XPUB_NODROP, 0)
        let isSent = try send(topic, payload)
        try tellsWhenSomebodyIsBehind()
        return isSent
    }

    /// Binds all endpoints, then connects all.
    ///
    /// - Returns: What was bound, with the ports that the system has chosen.
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

    /// Finds out which peers are not there any more.
    ///
    /// A socket that has stopped to read sees no answers to ZeroMQ's heartbeats: it takes every peer for dead and, by a
    /// defect of libzmq (4.3.5 has it still), may then end the whole process. So the system asks in its place, which needs
    /// nobody to read, in whole seconds. For the same reason no `ZMQ_HEARTBEAT_TTL` is sent to peers.
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
            try letIn(.curve(allow))
        case .curveClient(let secret, let own, let server):
            guard zmq_has("curve") != 0 else { throw PipelineError.noCurve }
            try set(ZMQ_CURVE_SERVERKEY, server.bytes)
            try set(ZMQ_CURVE_PUBLICKEY, own.bytes)
            try set(ZMQ_CURVE_SECRETKEY, secret.bytes)
        case .plainServer(let username, let password):
            try set(ZMQ_PLAIN_SERVER, 1)
            try letIn(.plain(username: username, password: password))
        case .plainClient(let username, let password):
            try set(ZMQ_PLAIN_USERNAME, Array(username.utf8))
            try set(ZMQ_PLAIN_PASSWORD, Array(password.utf8))
        }
    }

    private func letIn(_ rule: ZAPHandler.Rule) throws {
        let entry = try ZAPHandler.add(rule, in: context)
        self.rule = entry
        try set(ZMQ_ZAP_DOMAIN, Array(entry.domain.utf8))
    }

    private func check(_ result: Int32, _ call: String) throws {
        guard result == 0 else { throw ZMQCode.last.unexpected(call) }
    }
}
