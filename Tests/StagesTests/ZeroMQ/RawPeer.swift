import CZMQ
import Connectors
import Pipeline

/// A peer that sends any bytes, directly with libzmq and its own context.
// Used by one test, one call at a time.
final class RawPeer: @unchecked Sendable {
    private let context = zmq_ctx_new()
    private let socket: UnsafeMutableRawPointer?

    /// The endpoint that the peer has connected or bound to.
    private(set) var endpoint: String?

    /// Whether messages that were sent are still transmitted when the peer ends.
    var isPatient = true

    /// Creates a push socket, or one of another type.
    init(_ type: Int32 = ZMQ_PUSH) {
        socket = zmq_socket(context, type)
        var timeout: Int32 = 20_000
        zmq_setsockopt(socket, ZMQ_SNDTIMEO, &timeout, 4)
    }

    deinit {
        var linger: Int32 = isPatient ? 20_000 : 0
        zmq_setsockopt(socket, ZMQ_LINGER, &linger, 4)
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    /// Connects. Returns false if this is not possible.
    func connect(_ endpoint: String) -> Bool {
        self.endpoint = endpoint
        return zmq_connect(socket, endpoint) == 0
    }

    /// Binds. Returns false if this is not possible.
    func bind(_ endpoint: ZMQEndpoint) -> Bool {
        self.endpoint = endpoint.text
        return zmq_bind(socket, endpoint.text) == 0
    }

    /// Waits for a message of one part. Returns an empty array if none arrived in time.
    func receive() -> [UInt8] {
        var timeout: Int32 = 20_000
        zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, 4)
        var bytes = [UInt8](repeating: 0, count: 256)
        let size = zmq_recv(socket, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, min(Int(size), bytes.count))))
    }

    /// Sends one message with these parts. Returns false if there was no room for it.
    @discardableResult
    func send(_ parts: [[UInt8]]) -> Bool {
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            if part.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, more) }) < 0 { return false }
        }
        return true
    }

    /// Sends one message with these parts.
    @discardableResult
    func send(_ parts: String...) -> Bool { send(parts.map { Array($0.utf8) }) }

    /// Sends a stroke of one point as one message with two parts.
    @discardableResult
    func stroke(_ stream: String, _ sequence: Int, at time: Int, end: Bool = false) -> Bool {
        let last = end ? ",\"end\":true" : ""
        return send(
            stream, "{\"v\":1,\"seq\":\(sequence),\"t_us\":\(time),\"fields\":\"xy\",\"pts\":[\(sequence),0]\(last)}")
    }
}
