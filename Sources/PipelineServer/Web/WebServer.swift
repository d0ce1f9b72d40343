import CWebSockets
import Pipeline
import Stages
import Synchronization

/// An HTTP and WebSocket server with its own thread, based on libwebsockets.
///
/// Only this thread accesses connections and calls the handler. Other threads use ``answer(_:with:)`` and ``wake()``.
// Safe to share: once the server's thread has started, only that thread uses the properties that no lock guards.
final class WebServer: @unchecked Sendable {
    let limits: WebLimits
    private let subprotocols: [String]
    private var context: OpaquePointer?
    private weak var handler: (any WebHandler)?
    private var connections: [OpaquePointer: WebConnection] = [:]
    private var connectionCount = 0
    private var nextID = 1
    private let timer = UnsafeMutablePointer<websockets_timer>.allocate(capacity: 1)
    private let memory = WebServerMemory()

    private struct Posted {
        var answers: [(id: WebRequestID, response: WebResponse)] = []
        var isStopping = false
        /// The context of libwebsockets; `nil` once it is about to be destroyed, because it must no longer be woken then.
        var context: UnsafeMutableRawPointer?
    }

    // The wrapper is necessary because a pointer is not Sendable. The pointer is only passed to `lws_cancel_service`, which any
    // thread may call.
    private let posted = Lock(UncheckedPosted(value: Posted()))
    private struct UncheckedPosted: @unchecked Sendable { var value: Posted }

    /// The number of connections.
    var count: Int { connectionCount }

    /// Starts to listen. Requests are not answered before ``start(_:ended:)``.
    ///
    /// - Parameters:
    ///   - subprotocols: The subprotocols that a WebSocket may request. A WebSocket without a subprotocol is always allowed.
    /// - Throws: An environment error if the address cannot be bound.
    init(address: String, isIPv6: Bool, port: Int, subprotocols: [String] = [], limits: WebLimits = WebLimits()) throws
    {
        self.limits = limits
        self.subprotocols = subprotocols
        timer.initialize(to: websockets_timer())
        lws_set_log_level(0, nil)
        var info = lws_context_creation_info()
        memory.fill(&info, address: address, port: port, protocols: [""] + subprotocols, limits)
        info.options = websockets_bind_or_fail | (isIPv6 ? websockets_ipv6_only : websockets_without_ipv6)
        info.user = Unmanaged.passUnretained(self).toOpaque()
        for index in 0...subprotocols.count { memory.protocols[index].callback = webServerCallback }
        guard let context = lws_create_context(&info) else {
            // `deinit` frees the memory, because all properties are initialized at this point.
            throw PipelineError.environment(
                "server.bind", "cannot listen on \(isIPv6 ? "[\(address)]" : address):\(port)",
                help: "another program may use the port: choose another, or 0 for any that is free")
        }
        self.context = context
        posted.withLock { $0.value.context = UnsafeMutableRawPointer(context) }
    }

    deinit {
        if let context { lws_context_destroy(context) }
        timer.deallocate()
    }

    /// The port that the server listens on.
    var port: Int {
        guard let context, let host = lws_get_vhost_by_name(context, "default") else { return 0 }
        return Int(lws_get_vhost_listen_port(host))
    }

    /// Starts to answer requests in its own thread, until ``stop()``.
    ///
    /// - Parameter ended: Called when the thread has ended.
    func start(_ handler: any WebHandler, ended: @escaping @Sendable () -> Void) {
        self.handler = handler
        startThread { [self, handler = UncheckedHandler(value: handler)] in
            work(handler.value)
            ended()
        }
    }

    // Passes the handler to the server's thread, which is then the only user of the handler.
    private struct UncheckedHandler: @unchecked Sendable { let value: any WebHandler }

    private func work(_ handler: any WebHandler) {
        guard let context else { return }
        timer.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        schedule(1000)
        while !posted.withLock({ $0.value.isStopping }), lws_service(context, 0) >= 0 {}
        posted.withLock { $0.value.context = nil }
        self.context = nil
        lws_context_destroy(context)
    }

    /// Ends the thread and all connections. May be called from any thread.
    func stop() {
        posted.withLock { $0.value.isStopping = true }
        wake()
    }

    /// Wakes the server's thread, which sends posted responses and calls ``WebHandler/woken()``. May be called from any thread.
    func wake() {
        posted.withLock { if let context = $0.value.context { lws_cancel_service(OpaquePointer(context)) } }
    }

    /// Posts the response to a request for which the handler returned `nil`. May be called from any thread.
    func answer(_ id: WebRequestID, with response: WebResponse) {
        posted.withLock { $0.value.answers.append((id, response)) }
        wake()
    }

    /// Lets the server's thread fetch messages from the handler of a WebSocket and send them, as soon as the connection has room.
    func wantsToWrite(_ id: WebRequestID) {
        guard let (wsi, _) = connections.first(where: { $0.value.id == id }) else { return }
        lws_callback_on_writable(wsi)
    }

    /// Schedules the next call of ``WebHandler/tick()`` in `microseconds`. Replaces the previous schedule.
    func schedule(_ microseconds: Int64) {
        guard let context else { return }
        lws_sul_schedule(
            context, 0, UnsafeMutableRawPointer(timer).assumingMemoryBound(to: lws_sorted_usec_list_t.self),
            { list in
                guard let list else { return }
                let timer = UnsafeMutableRawPointer(list).assumingMemoryBound(to: websockets_timer.self)
                guard let owner = timer.pointee.owner else { return }
                Unmanaged<WebServer>.fromOpaque(owner).takeUnretainedValue().due()
            }, microseconds)
    }

    private func due() { schedule(max(1000, handler?.tick() ?? 1_000_000)) }

    private func takePosted() {
        let answers = posted.withLock { posted in
            defer { posted.value.answers = [] }
            return posted.value.answers
        }
        for (id, response) in answers {
            guard let (wsi, connection) = connections.first(where: { $0.value.id == id }), connection.isWaiting else {
                continue
            }
            connection.isWaiting = false
            if !connection.begin(response, on: wsi, limits) {
                lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
            }
        }
        handler?.woken()
    }

    // MARK: Events of the library

    /// Handles an event of libwebsockets. Returns nonzero to close the connection.
    fileprivate func happened(
        _ reason: lws_callback_reasons, _ wsi: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED: takePosted()
        case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return connectionCount < limits.connections ? 0 : 1
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
            connectionCount += 1
            connections[wsi] = makeConnection()
            lws_set_timeout(wsi, PENDING_TIMEOUT_ESTABLISH_WITH_SERVER, limits.seconds)
        case LWS_CALLBACK_WSI_DESTROY:
            guard let connection = connections.removeValue(forKey: wsi) else { return 0 }
            connectionCount -= 1
            connection.close()
        // libwebsockets has taken a CONNECT for the beginning of another protocol, and switched off the time limit.
        case LWS_CALLBACK_RAW_ADOPT: return 1
        case LWS_CALLBACK_HTTP: return asked(wsi)
        case LWS_CALLBACK_HTTP_BODY: return connections[wsi]?.takeBody(length, limits) == true ? 0 : 1
        case LWS_CALLBACK_HTTP_BODY_COMPLETION: return answer(wsi)
        case LWS_CALLBACK_HTTP_WRITEABLE: return connections[wsi]?.write(on: wsi, limits) ?? 1
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return opens(wsi)
        case LWS_CALLBACK_ESTABLISHED: lws_callback_on_writable(wsi)
        case LWS_CALLBACK_RECEIVE:
            guard let connection = connections[wsi] else { return 1 }
            return connection.receive(wsi, input, length, limits) ? 0 : 1
        case LWS_CALLBACK_SERVER_WRITEABLE: return connections[wsi]?.writeMessage(on: wsi) ?? 1
        default: break
        }
        return 0
    }

    private func makeConnection() -> WebConnection {
        defer { nextID += 1 }
        return WebConnection(id: nextID)
    }

    /// Handles a complete request header.
    private func asked(_ wsi: OpaquePointer) -> Int32 {
        // A connection can have several requests, one after the other. Each gets its own id.
        let connection = makeConnection()
        connections[wsi] = connection
        let request = WebRequest(wsi)
        connection.request = request
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, limits.seconds)
        if let refusal = handler?.refusal(of: request) ?? tooLarge(request) {
            connection.closesAfterResponse = request.method == .post
            return connection.begin(refusal, on: wsi, limits) ? 0 : 1
        }
        if request.method == .post, request.contentLength ?? 0 > 0 { return 0 }
        return answer(wsi)
    }

    private func tooLarge(_ request: WebRequest) -> WebResponse? {
        if request.isChunked {
            return .refusal(411, "server.length", "a request must give the length of its body in Content-Length")
        }
        guard let length = request.contentLength, length < 0 || length > limits.bodyBytes else { return nil }
        return .refusal(413, "server.body", "a request's body has at most \(limits.bodyBytes) bytes")
    }

    private func answer(_ wsi: OpaquePointer) -> Int32 {
        // This is called a second time if an empty body ends after the request. The guard ignores that call.
        guard let connection = connections[wsi], let request = connection.request, !connection.isAnswered,
            !connection.isWaiting
        else { return 0 }
        guard let handler else { return 1 }
        guard let response = handler.answer(request, connection.id) else {
            connection.isWaiting = true
            // A response that is posted later may take any time.
            lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
            return 0
        }
        return connection.begin(response, on: wsi, limits) ? 0 : 1
    }

    /// Handles a WebSocket that is about to be opened.
    private func opens(_ wsi: OpaquePointer) -> Int32 {
        let connection = makeConnection()
        connections[wsi] = connection
        var request = WebRequest(wsi)
        request.isWebSocket = true
        let refusal =
            handler?.refusal(of: request)
            ?? (request.origin != nil || request.method == .get
                ? nil : .refusal(405, "server.method", "a WebSocket is opened by GET"))
        if refusal == nil, let socket = handler?.socket(for: request, connection.id) {
            connection.socket = socket
            return 0
        }
        lws_return_http_status(wsi, refusal?.status ?? 404, nil)
        return 1
    }
}

private func webServerCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    // Internal events of libwebsockets have no connection, and some occur before there is a context.
    guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context) else { return 0 }
    let result = Unmanaged<WebServer>.fromOpaque(owner).takeUnretainedValue().happened(reason, wsi, input, length)
    // During an HTTP write, only a negative result closes the connection. After a 1 it would stay open until its timeout.
    return result == 0 ? 0 : -1
}
