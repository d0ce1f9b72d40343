import CZMQ
import Pipeline
import Synchronization

/// Decides which clients the servers of this process accept (ZAP, ZeroMQ RFC 27). libzmq asks the handler over `inproc` at every
/// handshake.
///
/// There can be only one handler per context, so the servers of a context share it. Each server has its own domain, under which its
/// rule is stored. The handler has its own thread, and exists as long as its context has a rule.
final class ZAPHandler: Sendable {
    /// The clients that a server accepts.
    enum Rule: Sendable {
        /// Accepts the clients whose keys are in the set, or every client that knows the server's key if there is no set.
        case curve(Set<CurveKey>?)
        /// Accepts clients with this user name and password.
        case plain(username: String, password: String)
    }

    /// The address to which libzmq sends its requests.
    private static let endpoint = "inproc://zeromq.zap.01"

    private struct State {
        /// The handler of each context, by the address of the context, and the number of servers that use it.
        var handlers: [UInt: (handler: ZAPHandler, users: Int)] = [:]
        var next = 0
    }

    /// A rule that was added.
    struct Entry: Sendable {
        /// The domain of the rule, to be set on the socket.
        let domain: String
        fileprivate let context: UInt
    }

    private static let state = Lock(State())
    /// The rules by domain. They have a lock of their own: while `remove(_:)` holds the lock of `state`, it waits for a handler to
    /// end, and that handler may still look up a rule.
    private static let rules = Lock<[String: Rule]>([:])

    /// Adds a rule for a server.
    ///
    /// - Parameters:
    ///   - rule: The rule to add.
    ///   - context: The context of the server's socket. It must exist until the rule is removed.
    static func add(_ rule: Rule, in context: ZMQContext) throws -> Entry {
        try state.withLock { state in
            let place = UInt(bitPattern: context.pointer)
            let handler = try state.handlers[place]?.handler ?? ZAPHandler(in: context)
            state.handlers[place] = (handler, (state.handlers[place]?.users ?? 0) + 1)
            let domain = "pipeline-\(state.next)"
            state.next += 1
            rules.withLock { $0[domain] = rule }
            return Entry(domain: domain, context: place)
        }
    }

    /// Removes a rule. Removing the last rule of a context ends the handler, so that the context can end.
    static func remove(_ entry: Entry) {
        state.withLock { state in
            rules.withLock { $0[entry.domain] = nil }
            guard let (handler, users) = state.handlers[entry.context] else { return }
            state.handlers[entry.context] = users == 1 ? nil : (handler, users - 1)
            if users == 1 { handler.stop() }
        }
    }

    private let wake: WakePipe
    private let ended: WakePipe

    private init(in context: ZMQContext) throws {
        let (wake, ended, ready) = (try WakePipe(), try WakePipe(), try WakePipe())
        (self.wake, self.ended) = (wake, ended)
        let problem = Lock<ZMQCode?>(nil)
        startThread {
            Self.work(context, wake, ready) { code in problem.withLock { $0 = code } }
            ended.signal()
        }
        ready.wait()
        if let code = problem.withLock({ $0 }) {
            ended.wait()
            throw code.unexpected("zmq_bind \(Self.endpoint)")
        }
    }

    private func stop() {
        wake.signal()
        ended.wait()
    }

    // MARK: On the thread

    private static func work(
        _ context: ZMQContext, _ wake: WakePipe, _ ready: WakePipe, fail: (ZMQCode) -> Void
    ) {
        guard let socket = zmq_socket(context.pointer, ZMQ_REP) else {
            fail(.last)
            return ready.signal()
        }
        defer { zmq_close(socket) }
        var zero: Int32 = 0
        zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
        guard zmq_bind(socket, endpoint) == 0 else {
            fail(.last)
            return ready.signal()
        }
        ready.signal()
        while true {
            var items = [
                zmq_pollitem_t(socket: socket, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
                zmq_pollitem_t(socket: nil, fd: wake.readEnd, events: Int16(ZMQ_POLLIN), revents: 0),
            ]
            guard zmq_poll(&items, 2, -1) >= 0 || ZMQCode.last == .interrupted else { return }
            if items[1].revents != 0 { return }
            while let request = receive(socket) { reply(to: request, socket) }
        }
    }

    /// Returns all parts of a request, or `nil` when there is none.
    private static func receive(_ socket: UnsafeMutableRawPointer) -> [[UInt8]]? {
        var parts: [[UInt8]] = []
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        repeat {
            // All parts of a message arrive together.
            guard zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0 else { return nil }
            parts.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))))
        } while zmq_msg_more(&message) != 0
        return parts
    }

    private static func reply(to request: [[UInt8]], _ socket: UnsafeMutableRawPointer) {
        let isLetIn = judge(request)
        let parts: [[UInt8]] = [
            Array("1.0".utf8), request.count > 1 ? request[1] : [], Array((isLetIn ? "200" : "400").utf8),
            Array((isLetIn ? "" : "not let in").utf8), [], [],
        ]
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            _ = part.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, more | ZMQ_DONTWAIT) }
        }
    }

    /// Returns whether to accept a client. The parts of a request are version, request, domain, address, identity and mechanism,
    /// followed by the credentials of the mechanism.
    private static func judge(_ request: [[UInt8]]) -> Bool {
        guard request.count >= 6, request[0] == Array("1.0".utf8) else { return false }
        let domain = String(decoding: request[2], as: UTF8.self)
        let mechanism = String(decoding: request[5], as: UTF8.self)
        switch (rules.withLock { $0[domain] }, mechanism) {
        case (.curve(let allowed)?, "CURVE"):
            guard request.count > 6, let key = CurveKey(bytes: request[6]) else { return false }
            return allowed?.contains(key) ?? true
        case (.plain(let username, let password)?, "PLAIN"):
            guard request.count > 7 else { return false }
            // Compares both values in full, so that the duration does not reveal how much of them is correct.
            let isUser = isSame(request[6], Array(username.utf8))
            let isPassword = isSame(request[7], Array(password.utf8))
            return isUser && isPassword
        default: return false
        }
    }

    private static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
