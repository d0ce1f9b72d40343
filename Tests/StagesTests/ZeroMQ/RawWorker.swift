import CZMQ
import Foundation

@testable import Connectors

/// A worker that answers like a REP socket, but can forget a request. It uses libzmq directly, with its own context. A test
/// determines its answers.
final class RawWorker: Sendable {
    /// The endpoint that it is bound or connected to.
    let endpoint: String
    // Stored as a number: a context can be used from any thread, but the socket belongs to the worker's thread.
    private let context: UInt

    /// Starts to answer on a separate thread. `answer` receives the number of the request (from 0), the stream and the payload. If
    /// it returns `nil`, the worker forgets the request and waits for another one, as if it had just been started.
    ///
    /// - Parameters:
    ///   - address: The address to connect to; `nil` to bind to a new address.
    ///   - secretKey: The secret key of a CURVE server that accepts every client; `nil` for no encryption.
    init(
        connectingTo address: String? = nil, secretKey: CurveKey? = nil,
        _ answer: @escaping @Sendable (Int, String, String) -> String?
    ) {
        let made = zmq_ctx_new()
        let router = zmq_socket(made, ZMQ_ROUTER)
        if let secretKey {
            var isServer: Int32 = 1
            zmq_setsockopt(router, ZMQ_CURVE_SERVER, &isServer, 4)
            zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, secretKey.bytes, secretKey.bytes.count)
        }
        if let address { zmq_connect(router, address) } else { zmq_bind(router, "tcp://127.0.0.1:*") }
        var text = [CChar](repeating: 0, count: 256)
        var count = text.count
        zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, &text, &count)
        endpoint = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let (context, socket) = (UInt(bitPattern: made), UInt(bitPattern: router))
        self.context = context
        Thread.detachNewThread {
            let router = UnsafeMutableRawPointer(bitPattern: socket)
            var number = 0
            // Like a REP socket: the parts up to the empty one are the envelope, which precedes the answer.
            while let parts = Self.receive(router) {
                guard let empty = parts.firstIndex(of: []), parts.count == empty + 3 else { continue }
                let (stream, payload) = (parts[empty + 1], parts[empty + 2])
                let answer = answer(
                    number, String(decoding: stream, as: UTF8.self), String(decoding: payload, as: UTF8.self))
                number += 1
                if let answer { Self.send(router, parts[...empty] + [Array(answer.utf8)]) }
            }
            var zero: Int32 = 0
            zmq_setsockopt(router, ZMQ_LINGER, &zero, 4)
            zmq_close(router)
            zmq_ctx_term(UnsafeMutableRawPointer(bitPattern: context))
        }
    }

    /// Stops the worker.
    func stop() { zmq_ctx_shutdown(UnsafeMutableRawPointer(bitPattern: context)) }

    private static func receive(_ socket: UnsafeMutableRawPointer?) -> [[UInt8]]? {
        var parts: [[UInt8]] = []
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        repeat {
            guard zmq_msg_recv(&message, socket, 0) >= 0 else { return nil }
            parts.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))))
        } while zmq_msg_more(&message) != 0
        return parts
    }

    private static func send(_ socket: UnsafeMutableRawPointer?, _ parts: [[UInt8]]) {
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            _ = part.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, more) }
        }
    }
}
