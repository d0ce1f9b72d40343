import CZMQ
import Pipeline
import Synchronization

/// A libzmq context: the one of the process that is there as long as a socket uses it, or one of a single socket.
///
/// Sockets with `inproc` endpoints share it, so that these reach from one pipeline to another. Order of destruction: every
/// socket is closed on its own thread and then lets the context go; whoever lets it go last waits until the context has
/// ended, which is when all that was sent has left or `linger_ms` is over. Any other socket has its own: what sends knows how long
/// that took, whoever else uses ZeroMQ meanwhile, and what receives can stop what comes to it alone (``Backpressure``).
final class ZMQContext: Sendable {
    private struct State {
        var address: UInt = 0
        var users = 0
    }

    private static let state = Lock(State())

    /// The context's address as a number, so that the class is `Sendable`: libzmq's contexts may be used from any thread.
    private let address: UInt
    private let isShared: Bool

    private init(address: UInt, isShared: Bool) {
        self.address = address
        self.isShared = isShared
    }

    /// The context itself.
    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }

    /// The context of the process, made if there is none. Follow with one ``release()``.
    ///
    /// - Parameter ioThreads: How many threads move bytes. The first user of the context decides.
    static func acquire(ioThreads: Int) throws -> ZMQContext {
        try state.withLock { state in
            if state.users == 0 { state.address = try make(ioThreads) }
            state.users += 1
            return ZMQContext(address: state.address, isShared: true)
        }
    }

    /// A context for one socket. Follow with one ``release()``.
    static func own(ioThreads: Int) throws -> ZMQContext {
        ZMQContext(address: try make(ioThreads), isShared: false)
    }

    private static func make(_ ioThreads: Int) throws -> UInt {
        guard let made = zmq_ctx_new() else { throw ZMQCode.last.unexpected("zmq_ctx_new") }
        zmq_ctx_set(made, ZMQ_IO_THREADS, Int32(clamping: ioThreads))
        return UInt(bitPattern: made)
    }

    /// Lets the context go. The last to do so waits for what was sent.
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
