import CZMQ

#if canImport(Glibc)
    import Glibc
#endif

/// Tracks how much has arrived on each connection of a socket that should receive almost nothing. Performs no I/O, except for a
/// query to the system; times are in milliseconds.
///
/// The caller of libzmq cannot count the data, because any libzmq call keeps reading for as long as subscribers send. The operating
/// system provides the numbers instead.
struct ReceivedBytes: Sendable {
    /// The number of bytes that may arrive on a connection when it is new.
    static let mostAtOnce: Int64 = 1 << 20
    /// The number of further bytes that may arrive on a connection for each second of its existence.
    static let mostPerSecond: Int64 = 1 << 16

    /// The time at which each connection was opened, by the number of the connection.
    private var connections: [Int32: Int64] = [:]

    /// Records an event from libzmq.
    mutating func note(_ event: ConnectionEvent, at now: Int64) {
        switch event.number {
        case Int32(ZMQ_EVENT_ACCEPTED), Int32(ZMQ_EVENT_CONNECTED): connections[event.value] = now
        case Int32(ZMQ_EVENT_DISCONNECTED): connections[event.value] = nil
        default: break
        }
    }

    /// Removes a connection.
    ///
    /// - Returns: Whether the connection was known.
    mutating func take(_ connection: Int32) -> Bool { connections.removeValue(forKey: connection) != nil }

    /// Removes and returns the connections on which too much has arrived.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - bytes: Returns the number of bytes that have arrived on a connection, or `nil` if unknown.
    mutating func removeExcessive(at now: Int64, _ bytes: (Int32) -> Int64?) -> [Int32] {
        let floods = connections.filter { connection, since in
            let allowed = Self.mostAtOnce + Self.mostPerSecond * max(0, now - since) / 1000
            return bytes(connection).map { $0 > allowed } ?? false
        }.keys.sorted()
        for connection in floods { connections[connection] = nil }
        return floods
    }

    /// Returns the number of bytes that have arrived on a TCP connection. Returns `nil` for other connections, or when the system
    /// does not provide the number.
    static func bytesReceived(_ connection: Int32) -> Int64? {
        #if os(Linux)
            // `tcpi_bytes_received` is the 17th 8-byte number in the structure that Linux returns since version 4.1.
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
