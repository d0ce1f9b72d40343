import CZMQ
import Connectors
import Foundation
import Pipeline

/// A receiver that uses libzmq directly, with its own context: it takes messages only when a test requests them.
// `@unchecked Sendable` because only one test uses it, with one call at a time.
final class RawReceiver: @unchecked Sendable {
    private let context = zmq_ctx_new()
    private let socket: UnsafeMutableRawPointer?

    /// Creates a pull socket that is bound or connected, with room for `room` messages.
    init(_ endpoint: ZMQEndpoint, binds: Bool, room: Int32) throws {
        socket = zmq_socket(context, ZMQ_PULL)
        var (room, timeout) = (room, Int32(5000))
        zmq_setsockopt(socket, ZMQ_RCVHWM, &room, 4)
        zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, 4)
        guard (binds ? zmq_bind(socket, endpoint.text) : zmq_connect(socket, endpoint.text)) == 0 else {
            throw PipelineError.environment("test.attach", "cannot reach \(endpoint.text)")
        }
    }

    deinit { close() }

    private var isClosed = false

    /// Closes the socket.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    /// Takes messages until the given number is reached, or none arrived for five seconds.
    ///
    /// - Returns: The number of messages.
    func messages(upTo count: Int) async -> Int {
        await withCheckedContinuation { continuation in
            // Receiving blocks, which is not allowed on the threads that run tasks.
            Thread.detachNewThread { [self] in
                var message = zmq_msg_t()
                zmq_msg_init(&message)
                defer { zmq_msg_close(&message) }
                var got = 0
                while got < count {
                    guard zmq_msg_recv(&message, socket, 0) >= 0 else { break }
                    if zmq_msg_more(&message) == 0 { got += 1 }
                }
                continuation.resume(returning: got)
            }
        }
    }
}
