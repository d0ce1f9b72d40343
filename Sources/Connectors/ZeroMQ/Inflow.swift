import CZMQ

#if canImport(Glibc)
    import Glibc
#endif

/// How much has come by each connection of a socket to which next to nothing should come. Pure state but for the question to the
/// system; times are in milliseconds.
///
/// libzmq reads what subscribers send for as long as they send, in whatever call it is asked to do something else. So this is
/// asked of the system, from outside.
struct Inflow: Sendable {
    /// How many bytes may come by a connection at once, and how many in a second afterwards.
    static let mostAtOnce: Int64 = 1 << 20
    static let mostPerSecond: Int64 = 1 << 16

    /// Since when each connection is there.
    private var connections: [Int32: Int64] = [:]

    /// Takes in what libzmq tells.
    mutating func note(_ event: ConnectionEvent, at now: Int64) {
        switch event.number {
        case Int32(ZMQ_EVENT_ACCEPTED), Int32(ZMQ_EVENT_CONNECTED): connections[event.value] = now
        case Int32(ZMQ_EVENT_DISCONNECTED): connections[event.value] = nil
        default: break
        }
    }

    /// Forgets a connection.
    ///
    /// - Returns: Whether it was known.
    mutating func take(_ connection: Int32) -> Bool { connections.removeValue(forKey: connection) != nil }

    /// Forgets the connections by which too much has come, and says which they were.
    ///
    /// - Parameter bytes: How much has come by a connection; `nil` when nobody knows.
    mutating func takeFloods(at now: Int64, _ bytes: (Int32) -> Int64?) -> [Int32] {
        let floods = connections.filter { connection, since in
            let allowed = Self.mostAtOnce + Self.mostPerSecond * max(0, now - since) / 1000
            return bytes(connection).map { $0 > allowed } ?? false
        }.keys.sorted()
        for connection in floods { connections[connection] = nil }
        return floods
    }

    /// How many bytes have come by a TCP connection; `nil` for one of another kind, or where the system does not tell.
    static func bytesReceived(_ connection: Int32) -> Int64? {
        #if os(Linux)
            // `tcpi_bytes_received` is the seventeenth number of eight bytes in what Linux says since 4.1.
            var info = [UInt64](repeating: 0, count: 24)
            var size = socklen_t(info.count * 8)
            guard getsockopt(connection, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, size >= 17 * 8 else {
                return nil
            }
            return Int64(clamping: info[16])
        #else
            return nil
        #endif
    }
}
