import CZMQ

/// Tracks the connections accepted at an address, and decides what to do when the process cannot accept any more. Performs no I/O;
/// times are in milliseconds.
///
/// A connection that the system cannot accept stays in the listen queue, and libzmq tries to accept it again and again, without a
/// pause and without logging anything. To make room, the newest connection is closed, so that the oldest ones stay. When there is
/// no connection to close, the address itself is closed for a while.
struct AcceptLimiter: Sendable {
    /// The action to take when there is no room.
    enum Action: Sendable, Equatable {
        /// Close this connection.
        case closeConnection(Int32)
        /// Close the address and open it again later.
        case closeAddress
    }

    /// The libzmq events that the limiter needs, as a bit mask.
    static let events = Int32(ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_DISCONNECTED)

    /// How long an address stays closed, in milliseconds.
    static let pauseMs: Int64 = 1000

    /// The open connections, in the order of their arrival.
    private var open: [Int32] = []
    /// The connection that this side has closed to make room. `nil` once libzmq has reported its end or accepted another one.
    private var leaving: Int32?
    /// The time at which to reopen each closed address.
    private var pauses: [String: Int64] = [:]

    /// Records an accepted connection.
    mutating func accepted(_ connection: Int32) {
        open.append(connection)
        leaving = nil
    }

    /// Records the end of a connection.
    mutating func ended(_ connection: Int32) {
        if leaving == connection { leaving = nil }
        if let index = open.lastIndex(of: connection) { open.remove(at: index) }
    }

    /// Records that a connection could not be accepted because there is no room.
    ///
    /// - Returns: The action to take, or `nil` while a connection is being closed or an address is closed.
    mutating func isFull() -> Action? {
        guard leaving == nil, pauses.isEmpty else { return nil }
        guard let last = open.popLast() else { return .closeAddress }
        leaving = last
        return .closeConnection(last)
    }

    /// Records that an address was closed or could not be reopened.
    mutating func closed(_ endpoint: String, at now: Int64) { pauses[endpoint] = now + Self.pauseMs }

    /// Returns the addresses to reopen now.
    mutating func due(at now: Int64) -> [String] {
        guard !pauses.isEmpty else { return [] }
        let due = pauses.filter { $0.value <= now }.keys.sorted()
        for endpoint in due { pauses[endpoint] = nil }
        return due
    }

    /// Returns the number of milliseconds until the next address is to be reopened, or `nil` when none is closed.
    func wait(at now: Int64) -> Int64? { pauses.values.min().map { max(0, $0 - now) } }
}
