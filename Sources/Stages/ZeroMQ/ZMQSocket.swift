import CZMQ
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One ZeroMQ socket and the message it works with.
///
/// A socket is used by one thread at a time: the engine makes all calls of a source or sink that may block on a thread of
/// its own, and a sink that must do something while nothing comes guards its socket with a lock, which is the full fence
/// that libzmq asks for. No pointer of libzmq leaves this file.
///
/// Order of destruction: messages, socket, context (see ``ZMQContext``).
// Its owner uses it on one thread at a time. The thread that watches for floods touches the monitor only, under the lock of
// `told`.
final class ZMQSocket: @unchecked Sendable {
    private let context: ZMQContext
    private var socket: UnsafeMutableRawPointer?
    private let first = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private let second = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    /// Where libzmq tells of connections, and what it has told.
    private var monitor: UnsafeMutableRawPointer?
    private let told = Lock(Told())
    private var connections: ConnectionLog
    private var unread: UnreadIPC?
    private let lingerMs: Int
    private var reconnection: Reconnection
    /// Where this side goes to.
    private var endpoints: [String] = []
    private let isRead: Bool
    private var departures: Departures
    private var crowd: Crowd
    /// Where this side listens.
    private var bound: [String] = []
    /// The connections that have ended since somebody last asked, of a socket that is subscribed to.
    private var ended: [Int32] = []
    private let tellsEnds: Bool
    /// Ends the thread that hangs up on floods, of a socket that is subscribed to.
    private var watch: WakePipe?
    private let report: SocketReport
    /// Under which name the rule stands that says whom this socket lets in.
    private var domain: String?

    /// Makes a socket that is bound and connected to nothing yet.
    ///
    /// - Parameter former: The closed socket in whose place it comes: what was said of that one's connections often enough
    ///   is not said again.
    init(
        _ pattern: Pattern, _ options: ZMQSocketOptions, _ report: SocketReport, after former: ZMQSocket? = nil
    ) throws {
        self.report = report
        let security = try ZMQSecurity(options)
        lingerMs = options.lingerMs
        isRead = pattern.isRead
        tellsEnds = pattern == .xpub
        departures = Departures()
        crowd = Crowd()
        if pattern.sends, (options.bind + options.connect).contains(where: { $0.transport == .ipc }) {
            unread = UnreadIPC()
        }
        connections =
            former?.connections.renewed
            ?? ConnectionLog(
                isClient: security.isClient, onlyConnects: options.bind.isEmpty, partners: pattern.partners)
        reconnection = Reconnection(firstMs: options.reconnectMs, longestMs: options.reconnectMaxMs)
        // Whoever asks whom a server lets in reaches only the sockets of its own context, as `inproc` does.
        let isInside = (options.bind + options.connect).contains { $0.transport == .inproc } || security.isServer
        context =
            pattern.sends && !isInside
            ? try ZMQContext.own(ioThreads: options.ioThreads)
            : try ZMQContext.acquire(ioThreads: options.ioThreads)
        zmq_msg_init(first)
        zmq_msg_init(second)
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
        // Who subscribes to what is few bytes, and a socket that stops to read them cannot answer heartbeats.
        if pattern == .xpub { try set(ZMQ_RCVHWM, 0) }
        if options.tcpKeepalive { try set(ZMQ_TCP_KEEPALIVE, 1) }
        if options.ipv6 { try set(ZMQ_IPV6, 1) }
        try secure(security)
        try watchConnections()
        if pattern == .xpub { try watchFloods() }
    }

    deinit {
        close()
        first.deallocate()
        second.deallocate()
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
        self.socket = nil
        watch?.signal()
        // Behind the lock: the watch may be reading it.
        told.withLock { _ in
            guard let monitor else { return }
            zmq_socket_monitor(socket, nil, 0)
            var zero: Int32 = 0
            zmq_setsockopt(monitor, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
            zmq_close(monitor)
            self.monitor = nil
        }
        if discardingUnsent {
            var zero: Int32 = 0
            zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
        }
        zmq_msg_close(first)
        zmq_msg_close(second)
        zmq_close(socket)
        // Before the context, which the handler of the rules uses too.
        if let domain { ZAPHandler.remove(domain) }
        context.release()
        unread?.release(by: lingerMs < 0 ? nil : began + Int64(lingerMs) * 1_000_000)
    }

    // MARK: Options and addresses

    /// Limits what waits in the socket, and how large a message may be. A peer that sends a larger one is disconnected by
    /// libzmq, which tells nobody.
    func limit(received: Int? = nil, sent: Int? = nil, messageBytes: Int? = nil) throws {
        if let received {
            try set(ZMQ_RCVHWM, received)
            departures.room = received
        }
        if let sent { try set(ZMQ_SNDHWM, sent) }
        if var bytes = messageBytes.map(Int64.init) {
            try check(zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size), "max_message_bytes")
        }
    }

    /// Takes messages whose first part begins so.
    func subscribe(_ prefix: String) throws {
        try check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count), "subscribe")
    }

    /// Lets messages wait only for peers that are there.
    func waitsForPeers() throws { try set(ZMQ_IMMEDIATE, 1) }

    /// Makes every subscription and its end a message to be received, also one that somebody else has already.
    func tellsSubscriptions() throws { try set(ZMQ_XPUB_VERBOSER, 1) }

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
        let domain = try ZAPHandler.add(rule)
        self.domain = domain
        try set(ZMQ_ZAP_DOMAIN, Array(domain.utf8))
    }

    private func check(_ result: Int32, _ call: String) throws {
        guard result == 0 else { throw ZMQCode.last.unexpected(call) }
    }

    // MARK: Connections

    /// What libzmq has told and nobody has taken in yet, and how much has come by connections.
    private struct Told: Sendable {
        var events: [ConnectionLog.Event] = []
        var inflow = Inflow()
        /// On how many was hung up.
        var floods = 0
    }

    /// Has libzmq tell of connections; to be called before anything is bound.
    private func watchConnections() throws {
        guard let socket else { return }
        let name = "inproc://connections-\(UInt(bitPattern: socket))"
        let events = ConnectionLog.events | Crowd.events
        try check(zmq_socket_monitor(socket, name, events), "zmq_socket_monitor")
        monitor = zmq_socket(context.pointer, ZMQ_PAIR)
        guard monitor != nil else { throw ZMQCode.last.unexpected("zmq_socket") }
        // libzmq waits when there is no room, and a sink with nothing to send looks only now and then.
        var room: Int32 = 100_000
        zmq_setsockopt(monitor, ZMQ_RCVHWM, &room, MemoryLayout<Int32>.size)
        try check(zmq_connect(monitor, name), "zmq_connect")
    }

    /// Which peers are connected and have gone, over `tcp` or `ipc`: of `inproc` libzmq tells nothing.
    func peers() throws -> (there: Int, gone: Int) {
        try noteConnections()
        return (connections.peers, connections.gone)
    }

    /// How often a connection was lost or could not be made, as far as has been noted.
    var breaks: Int { connections.breaks }

    /// How many connections have ended that were none of peers.
    var strangers: Int { connections.strangers }

    /// Notes that those at the other end have answered nothing for so long.
    func noteSilence(of endpoint: String, forMs time: Int) {
        tell(connections.noteSilence(of: endpoint, forMs: time))
    }

    private func tell(_ outcome: ConnectionLog.Outcome, nextTryInMs pause: Int64? = nil) {
        if let count = outcome.count { report.count(count) }
        guard var line = outcome.line else { return }
        if let pause { line += "; next try in \(Double(pause) / 1000) s" }
        report.say(outcome.isWarning ? .warning : .info, line)
    }

    /// Takes in what libzmq has told of connections, and tries again where that is due.
    func noteConnections() throws {
        let floods = told.withLock { told in
            defer { told.floods = 0 }
            return told.floods
        }
        for _ in 0..<floods { tell(connections.noteFlood()) }
        while let event = try nextEvent() {
            unread?.note(event)
            note(crowding: event)
            guard event.number & ConnectionLog.events != 0 else { continue }
            let outcome = connections.note(event)
            var pause: Int64?
            // Where others have come to us, it is for them to come again.
            if let turn = outcome.turn, let endpoint = dialled(event.endpoint) {
                switch turn {
                case .tried: reconnection.tried(endpoint)
                case .letIn: reconnection.letIn()
                case .lost: reconnection.lost(endpoint, at: Self.now)
                case .refused:
                    pause = reconnection.refused(endpoint, at: Self.now)
                    if pause != nil { leave(endpoint, andReturn: false) }
                }
            }
            tell(outcome, nextTryInMs: pause)
        }
        for endpoint in reconnection.abandoned(at: Self.now) {
            tell(connections.noteBreach(of: endpoint))
            leave(endpoint, andReturn: true)
        }
        for endpoint in reconnection.due(at: Self.now) where !departures.returns(to: endpoint) {
            zmq_connect(socket, endpoint)
        }
        for endpoint in crowd.due(at: Self.now) where zmq_bind(socket, endpoint) != 0 {
            crowd.closed(endpoint, at: Self.now)
        }
    }

    /// Ends what goes by a connection that this side has made.
    ///
    /// libzmq throws away what has come by it and has not been read. Worse: when it has begun to look at a message, as it does
    /// while one waits, it ends the process when the next part is gone. So a socket that is read is left only between two
    /// messages, when all that came before has been read.
    private func leave(_ endpoint: String, andReturn returns: Bool) {
        if isRead {
            departures.add(endpoint, andReturn: returns, connections: endpoints.count + connections.peers)
        } else {
            depart(.init(endpoint: endpoint, returns: returns))
        }
    }

    private func depart(_ departure: Departures.Departure) {
        zmq_disconnect(socket, departure.endpoint)
        if departure.returns { zmq_connect(socket, departure.endpoint) }
    }

    /// Turns somebody away when the process has no room for more connections: libzmq would ask the system for them without
    /// a pause.
    private func note(crowding event: ConnectionLog.Event) {
        if tellsEnds, event.number == Int32(ZMQ_EVENT_DISCONNECTED) { ended.append(event.value) }
        let isFull = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(event.value)
        switch event.number {
        case Int32(ZMQ_EVENT_ACCEPTED): crowd.came(event.value)
        case Int32(ZMQ_EVENT_DISCONNECTED): crowd.went(event.value)
        case Int32(ZMQ_EVENT_ACCEPT_FAILED) where isFull:
            switch crowd.isFull() {
            case nil: break
            case .turnAway(let descriptor):
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                shutDown(descriptor)
            case .close:
                // Nobody came by this address who could be turned away. It is looked at again later.
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                for endpoint in bound where !endpoint.hasPrefix("inproc:") && zmq_unbind(socket, endpoint) == 0 {
                    crowd.closed(endpoint, at: Self.now)
                }
            }
        default: break
        }
    }

    /// Hangs up: libzmq has no call for that, and takes it for the other side's doing. The other side is told at once, even
    /// while it waits for us to read.
    private func shutDown(_ connection: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        shutdown(connection, Int32(SHUT_RDWR))
    }

    /// Hangs up on those who send too much to a socket to which next to nothing should come.
    ///
    /// On a thread of its own: a flood keeps whoever uses the socket for as long as it lasts, and several may keep the
    /// threads of all tasks.
    private func watchFloods() throws {
        let wake = try WakePipe()
        watch = wake
        startThread { [weak self] in
            while !wake.wait(forMs: Self.watchIntervalMs) { self?.hangUpOnFloods() }
        }
    }

    private func hangUpOnFloods() { hangUp { $0.takeFloods(at: Self.now, Inflow.bytesReceived) } }

    /// Hangs up on a subscriber, if it is there and that was not done before.
    func hangUp(on connection: Int32) { hangUp { $0.take(connection) ? [connection] : [] } }

    private func hangUp(_ choose: (inout Inflow) -> [Int32]) {
        told.withLock { told in
            while let event = try? readEvent() {
                told.inflow.note(event, at: Self.now)
                told.events.append(event)
            }
            let chosen = choose(&told.inflow)
            chosen.forEach(shutDown)
            told.floods += chosen.count
        }
    }

    /// How often a socket that is subscribed to is looked after.
    private static var watchIntervalMs: Int { 50 }

    /// Takes the connections that have ended since this was last called, of a socket that is subscribed to.
    func takeEnded() -> [Int32] {
        defer { ended = [] }
        return ended
    }

    /// The address that this side was told to go to, of one that libzmq tells of: numbers may stand there in place of names.
    private func dialled(_ endpoint: String) -> String? {
        if endpoints.contains(endpoint) { return endpoint }
        if endpoints.count == 1 { return endpoints[0] }
        guard let colon = endpoint.lastIndex(of: ":") else { return nil }
        let alike = endpoints.filter { $0.hasSuffix(endpoint[colon...]) }
        return alike.count == 1 ? alike[0] : nil
    }

    private static var now: Int64 { SystemClock().now / 1_000_000 }

    private func nextEvent() throws -> ConnectionLog.Event? {
        try told.withLock { told in
            if !told.events.isEmpty { return told.events.removeFirst() }
            guard let event = try readEvent() else { return nil }
            if tellsEnds { told.inflow.note(event, at: Self.now) }
            return event
        }
    }

    /// An event is two parts: its number and value, and the endpoint.
    private func readEvent() throws -> ConnectionLog.Event? {
        guard let monitor else { return nil }
        var head: (UInt64, UInt64) = (0, 0)
        var event: ConnectionLog.Event?
        while true {
            let size = withUnsafeMutableBytes(of: &head) { zmq_recv(monitor, $0.baseAddress, 16, ZMQ_DONTWAIT) }
            if size < 0 {
                switch ZMQCode.last {
                case .again: return nil
                case .interrupted: continue
                case let code: throw code.unexpected("zmq_recv")
                }
            }
            guard size == 6 else { continue }
            // 16 bits of number and 32 of value, one behind the other.
            event = .init(
                number: Int32(truncatingIfNeeded: head.0 & 0xFFFF), value: Int32(truncatingIfNeeded: head.0 >> 16))
            break
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let size = zmq_recv(monitor, &text, text.count, ZMQ_DONTWAIT)
        if size > 0 { event?.endpoint = String(decoding: text.prefix(min(Int(size), text.count)), as: UTF8.self) }
        return event
    }

    // MARK: Receiving

    /// Receives a message if one is there.
    ///
    /// - Returns: How many parts it has, or `nil` when none is there. The first two can be had by ``part(_:)``.
    func receive() throws -> Int? {
        // Read once: a stored property costs an exclusivity check each time.
        let socket = socket
        guard try receive(into: first, from: socket) else {
            departures.allRead().forEach(depart)
            return nil
        }
        var count = 1
        var last = first
        // All parts of a message come together, so the others need no waiting.
        while zmq_msg_more(last) != 0 {
            guard try receive(into: second, from: socket) else { break }
            last = second
            count += 1
        }
        if !departures.isEmpty { departures.read().forEach(depart) }
        return count
    }

    /// A part of the message received last: the first or, of two, the second. Valid until the next is received.
    func part(_ index: Int) -> UnsafeRawBufferPointer {
        let message = index == 0 ? first : second
        return UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))
    }

    /// A number of the connection by which the message came received last; negative when it has none (`inproc`).
    var peer: Int32 { zmq_msg_get(first, ZMQ_SRCFD) }

    private func receive(
        into message: UnsafeMutablePointer<zmq_msg_t>, from socket: UnsafeMutableRawPointer?
    ) throws -> Bool {
        while zmq_msg_recv(message, socket, ZMQ_DONTWAIT) < 0 {
            switch ZMQCode.last {
            case .again: return false
            case .interrupted: continue
            case let code: throw code.unexpected("zmq_msg_recv")
            }
        }
        return true
    }

    // MARK: Sending

    /// Sends a message of two parts, if there is room.
    func send(_ topic: String, _ payload: UnsafeRawBufferPointer) throws -> Bool {
        var topic = topic
        while true {
            let sent = topic.withUTF8 { zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
            if sent >= 0 { break }
            if try isFull() { return false }
        }
        while zmq_send(socket, payload.baseAddress, payload.count, ZMQ_DONTWAIT) < 0 {
            // The peer has gone in the middle: libzmq has taken the first part back.
            if try isFull() { return false }
        }
        return true
    }

    /// Sends a message of several parts, if there is room.
    func send(_ parts: [[UInt8]]) throws -> Bool {
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            while part.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | more) }) < 0 {
                if try isFull() { return false }
            }
        }
        return true
    }

    private func isFull() throws -> Bool {
        switch ZMQCode.last {
        case .again: return true
        case .interrupted: return false
        case let code: throw code.unexpected("zmq_send")
        }
    }

    // MARK: Waiting

    /// Waits until something can be sent, or `wake` is signalled.
    func waitToSend(_ wake: WakePipe) throws { try Self.wait(for: [self], ZMQ_POLLOUT, wake) }

    /// Waits until something can be received, something is told of a connection, `wake` is signalled, or `deadline` has
    /// come (in milliseconds of the system's clock).
    func waitToReceive(_ wake: WakePipe, until deadline: Int64? = nil) throws {
        try Self.wait(for: [self], ZMQ_POLLIN, wake, until: deadline)
    }

    /// Waits as ``waitToReceive(_:until:)`` does, for any of several sockets.
    ///
    /// - Parameter orToSend: Whether to wait until something can be sent as well.
    static func wait(for sockets: [ZMQSocket], orToSend: Bool, _ wake: WakePipe, until deadline: Int64?) throws {
        try wait(for: sockets, orToSend ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN, wake, until: deadline)
    }

    private static func wait(
        for sockets: [ZMQSocket], _ events: Int32, _ wake: WakePipe, until deadline: Int64? = nil
    ) throws {
        var items = [zmq_pollitem_t(socket: nil, fd: wake.readEnd, events: Int16(ZMQ_POLLIN), revents: 0)]
        items.reserveCapacity(1 + 2 * sockets.count)
        let now = now
        var pause = deadline.map { max(0, $0 - now) }
        for socket in sockets {
            items.append(zmq_pollitem_t(socket: socket.socket, fd: 0, events: Int16(events), revents: 0))
            var next = [socket.reconnection.wait(at: now), socket.crowd.wait(at: now)]
            if socket.watch == nil {
                items.append(zmq_pollitem_t(socket: socket.monitor, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
            } else {
                // Only one thread at a time may use the monitor, and the watch does.
                next.append(Int64(Self.watchIntervalMs))
            }
            for next in next {
                if let next { pause = min(pause ?? next, next) }
            }
        }
        while zmq_poll(&items, Int32(items.count), pause.map { Int(clamping: $0) } ?? -1) < 0 {
            guard ZMQCode.last == .interrupted else { throw ZMQCode.last.unexpected("zmq_poll") }
        }
        if items[0].revents != 0 { wake.drain() }
        for socket in sockets { try socket.noteConnections() }
    }
}
