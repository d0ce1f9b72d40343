import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#endif

/// The connections of a sending socket through files (`ipc`), held open at the end until the other side has read what was
/// written.
///
/// libzmq closes a connection as soon as the system has taken the last byte. A receiver of libzmq's on Linux whose queue is
/// full at that moment has stopped to read; it takes the hang-up for an error and throws away what the system still holds for
/// it. TCP reports no hang-up while there is something to read, so this is about `ipc` only; elsewhere than on Linux there is
/// nothing to do.
///
/// A descriptor that was duplicated keeps the connection open when libzmq has closed its own.
struct UnreadIPC: Sendable {
    private var open: Set<Int32> = []
    private var held: [Int32] = []

    /// Takes in an event.
    mutating func note(_ event: ConnectionEvent) {
        switch event.number {
        case Int32(ZMQ_EVENT_CONNECTED), Int32(ZMQ_EVENT_ACCEPTED):
            if event.endpoint.hasPrefix("ipc:") { open.insert(event.value) }
        case Int32(ZMQ_EVENT_DISCONNECTED): open.remove(event.value)
        default: break
        }
    }

    /// Holds the connections there are; before libzmq closes them.
    mutating func hold() {
        #if os(Linux)
            held += open.compactMap { descriptor in
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                return copy < 0 ? nil : copy
            }
        #endif
        open = []
    }

    /// Lets the connections go once everything has been read, or at the `deadline` (in nanoseconds of the system's clock).
    /// Blocks the calling thread.
    mutating func release(by deadline: Int64?) {
        #if os(Linux)
            var pause = Int32(1)
            while held.contains(where: Self.hasUnread), deadline.map({ SystemClock().now < $0 }) ?? true {
                // Nothing tells when the other side reads: look again, at most ten times in a second.
                poll(nil, 0, pause)
                pause = min(2 * pause, 100)
            }
        #endif
        for descriptor in held { SystemCalls.close(descriptor) }
        held = []
    }

    #if os(Linux)
        private static func hasUnread(_ descriptor: Int32) -> Bool {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count > 0
        }
    #endif
}
