import CZMQ
import Pipeline
import Synchronization

/// A libzmq context: either the shared context of the process, which exists as long as a socket uses it, or a separate context for
/// a single socket.
///
/// Sockets with `inproc` endpoints use the shared context, so that these endpoints connect different pipelines. Every other socket
/// has a separate context. This has two reasons: a sending socket can measure how long its messages take to leave, whichever other
/// sockets exist, and a receiving socket can stop its own incoming messages without stopping those of others (``Backpressure``).
///
/// Order of destruction: each socket is closed on its own thread, and then releases the context. The last release waits until the
/// context has ended, that is, until all sent messages have left or `linger_ms` is over.
final class ZMQContext: Sendable {
    private struct State {
        var address: UInt = 0
        var users = 0
    }

    private static let state = Lock(State())

    /// The address of the context. It is stored as a number, so that the class is `Sendable`. A libzmq context may be used from any
    /// thread.
    private let address: UInt
    private let isShared: Bool

    private init(address: UInt, isShared: Bool) {
        self.address = address
        self.isShared = isShared
    }

    /// The pointer to the context.
    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }

    /// Returns the shared context of the process, and creates it if there is none. Balance each call with one ``release()``.
    ///
    /// - Parameter ioThreads: The number of threads that move bytes. It has an effect only if the call creates the context.
    static func acquire(ioThreads: Int) throws -> ZMQContext {
        try state.withLock { state in
            if state.users == 0 { state.address = try make(ioThreads) }
            state.users += 1
            return ZMQContext(address: state.address, isShared: true)
        }
    }

    /// Creates a context for one socket. Balance each call with one ``release()``.
    static func own(ioThreads: Int) throws -> ZMQContext {
        ZMQContext(address: try make(ioThreads), isShared: false)
    }

    private static func make(_ ioThreads: Int) throws -> UInt {
        guard let made = zmq_ctx_new() else { throw ZMQCode.last.unexpected("zmq_ctx_new") }
        zmq_ctx_set(made, ZMQ_IO_THREADS, Int32(clamping: ioThreads))
        return UInt(bitPattern: made)
    }

    /// Releases the context. The last release waits until all sent messages have left.
    func release() {
        let isLast =
            !isShared
            || Self.state.withLock { state in
                state.users -= 1
                return state.users == 0
            }
        guard isLast else { return }
        while zmq_ctx_term(pointer) != 0, ZMQCode.last == .interrupted {}
    }
}
