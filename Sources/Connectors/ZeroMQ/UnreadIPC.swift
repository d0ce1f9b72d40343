import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps the `ipc` connections of a sending socket open when the socket is closed, until the other side has read all data.
///
/// libzmq closes a connection as soon as the system has accepted the last byte. At that moment, a libzmq receiver with a full queue
/// is not reading. On Linux, such a receiver treats the close as an error, and discards the data that the system still holds for
/// it. TCP does not report a close while there is data to read, so only `ipc` is affected. On systems other than Linux, this type
/// does nothing.
///
/// A duplicated descriptor keeps the connection open after libzmq has closed its own.
struct UnreadIPC: Sendable {
    private var open: Set<Int32> = []
    private var held: [Int32] = []

    /// Records an event.
    mutating func note(_ event: ConnectionEvent) {
        switch event.number {
        case Int32(ZMQ_EVENT_CONNECTED), Int32(ZMQ_EVENT_ACCEPTED):
            if event.endpoint.hasPrefix("ipc:") { open.insert(event.value) }
        case Int32(ZMQ_EVENT_DISCONNECTED): open.remove(event.value)
        default: break
        }
    }

    /// Duplicates the descriptors of the open connections. Call it before libzmq closes them.
    mutating func hold() {
        #if os(Linux)
            held += open.compactMap { descriptor in
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                return copy < 0 ? nil : copy
            }
        #endif
        open = []
    }

    /// Closes the connections once everything has been read, or at the `deadline` (in nanoseconds of the system clock). Blocks the
    /// calling thread.
    mutating func release(by deadline: Int64?) {
        #if os(Linux)
            var pause = Int32(1)
            while held.contains(where: Self.hasUnread), deadline.map({ SystemClock().now < $0 }) ?? true {
                // The system does not report when the other side has read, so this polls with growing pauses of up to 100 ms.
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
