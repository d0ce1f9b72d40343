import CWebSockets

/// The state of a connection: a request and the progress of its response, or a WebSocket.
// Used only in the server's thread.
final class WebConnection {
    let id: WebRequestID
    var request: WebRequest?
    /// Whether the response will be posted later by another thread.
    var isWaiting = false
    /// Whether to close the connection after the response.
    var closesAfterResponse = false
    private(set) var isAnswered = false
    var socket: (any WebSocketHandler)?
    private var body: [UInt8] = []
    private var sent = 0
    private var bodyBytes = 0
    private var message: [UInt8] = []

    init(id: WebRequestID) { self.id = id }

    func close() {
        socket?.closed()
        socket = nil
    }

    // MARK: Requests

    /// Counts and discards a part of a request's body, because no request uses its body. Returns false if the body is too long.
    func takeBody(_ length: Int, _ limits: WebLimits) -> Bool {
        bodyBytes += length
        return bodyBytes <= limits.bodyBytes
    }

    /// Sends the header of a response. The body follows later. Returns false if the connection must be closed.
    func begin(_ response: WebResponse, on wsi: OpaquePointer, _ limits: WebLimits) -> Bool {
        guard !isAnswered else { return true }
        isAnswered = true
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, limits.seconds)
        body = request?.method == .head ? [] : response.body
        let capacity = 4096
        return withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: Int(websockets_headroom) + capacity
        ) { buffer in
            guard let base = buffer.baseAddress else { return false }
            let start = base + Int(websockets_headroom)
            let end = start + capacity
            var place: UnsafeMutablePointer<UInt8>? = start
            guard lws_add_http_header_status(wsi, response.status, &place, end) == 0 else { return false }
            let own = [("content-type", response.type), ("server", "pipeline")] + response.headers
            for (name, value) in own.map({ ($0.0, $0.1) }) + WebResponse.commonHeaders.map({ ($0.name, $0.value) }) {
                let isAdded = Array((name + ":").utf8 + [0]).withUnsafeBufferPointer { name in
                    Array(value.utf8).withUnsafeBufferPointer { value in
                        lws_add_http_header_by_name(
                            wsi, name.baseAddress, value.baseAddress, Int32(value.count), &place, end) == 0
                    }
                }
                guard isAdded else { return false }
            }
            guard lws_add_http_header_content_length(wsi, UInt64(response.body.count), &place, end) == 0,
                lws_finalize_write_http_header(wsi, start, &place, end) == 0
            else { return false }
            lws_callback_on_writable(wsi)
            return true
        }
    }

    /// Sends the next part of the body. Returns nonzero if the connection must be closed.
    func write(on wsi: OpaquePointer, _ limits: WebLimits) -> Int32 {
        guard isAnswered else { return 0 }
        let count = min(body.count - sent, 16_384)
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, limits.seconds)
        let isLast = sent + count == body.count
        let isWritten = withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: Int(websockets_headroom) + count + 1
        ) { buffer in
            guard let start = buffer.baseAddress.map({ $0 + Int(websockets_headroom) }) else { return false }
            body.withUnsafeBufferPointer { body in
                if let source = body.baseAddress { start.initialize(from: source + sent, count: count) }
            }
            return lws_write(wsi, start, count, isLast ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) >= count
        }
        guard isWritten else { return 1 }
        sent += count
        guard isLast else {
            lws_callback_on_writable(wsi)
            return 0
        }
        body = []
        return lws_http_transaction_completed(wsi) != 0 || closesAfterResponse ? 1 : 0
    }

    // MARK: WebSockets

    /// Receives a part of a message. Returns false if the message is too long.
    func receive(
        _ wsi: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ length: Int, _ limits: WebLimits
    ) -> Bool {
        if let input { message += UnsafeRawBufferPointer(start: input, count: length) }
        guard message.count <= limits.messageBytes else { return false }
        guard lws_is_final_fragment(wsi) != 0, lws_remaining_packet_payload(wsi) == 0 else { return true }
        socket?.received(message, isBinary: lws_frame_is_binary(wsi) != 0)
        message = []
        return true
    }

    /// Sends the next message, if there is one. Returns nonzero if the connection must be closed.
    func writeMessage(on wsi: OpaquePointer) -> Int32 {
        guard let socket else { return 1 }
        guard let message = socket.next() else {
            if socket.closesWhenEmpty { lws_close_reason(wsi, LWS_CLOSE_STATUS_GOINGAWAY, nil, 0) }
            return socket.closesWhenEmpty ? 1 : 0
        }
        guard message.write(to: wsi) else { return 1 }
        lws_callback_on_writable(wsi)
        return 0
    }
}
