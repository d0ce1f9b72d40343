/// Tracks the subscriptions to a publisher, and disconnects peers that have too many. Performs no I/O, except in ``update(from:)``.
///
/// libzmq stores every subscription, so a single peer could use up all memory. ``ReceivedBytes`` limits how fast subscriptions may
/// arrive.
struct Subscribers {
    /// The maximum number of subscriptions of a connection.
    static let mostOpen = 10_000

    private let wanted: Int
    /// The number of subscriptions of all peers.
    private var subscriptions = 0
    /// The number of subscriptions of each connection.
    private var connections: [Int32: Int] = [:]
    /// The number of subscriptions of peers in this process, whose connections have no number. Does not decrease.
    private var nameless = 0

    /// Whether subscribers are still missing. Stays `false` once all have arrived, even if some leave again.
    private(set) var isMissing: Bool

    /// Creates the state without subscribers. `wanted` is the number of subscribers to wait for before the first frame.
    init(wanted: Int) {
        self.wanted = wanted
        isMissing = wanted > 0
    }

    /// Processes the subscriptions and cancellations since the last call, and disconnects the peers that have too many.
    mutating func update(from socket: ZMQSocket) throws {
        let ended = socket.takeEnded()
        while try socket.receive() != nil {
            let peer = socket.peer
            if note(socket.part(0).first, of: peer), !ended.contains(peer) { socket.hangUp(on: peer) }
        }
        // This must be the last step, because the loop above still reads messages of ended connections. They must not count for new
        // connections with the same numbers.
        for connection in ended { hasGone(connection) }
    }

    /// Records that a connection has ended. A new connection may get its number.
    mutating func hasGone(_ connection: Int32) { connections[connection] = nil }

    /// Records a message of a peer. Its first byte is its type.
    ///
    /// - Parameters:
    ///   - first: The first byte of the message: 1 for a subscription, 0 for its end.
    ///   - peer: The number of the connection. Negative for a peer in this process, which has no number.
    /// - Returns: Whether to disconnect the peer, because it has just exceeded the limit.
    mutating func note(_ first: UInt8?, of peer: Int32) -> Bool {
        guard first == 1 || first == 0 else { return false }
        let step = first == 1 ? 1 : -1
        subscriptions += step
        defer { noteMissing() }
        guard peer >= 0 else {
            nameless += max(0, step)
            return false
        }
        let open = max(0, connections[peer, default: 0] + step)
        connections[peer] = open
        return step > 0 && open == Self.mostOpen + 1
    }

    // Counts connections instead of subscriptions, because a subscriber may have several subscriptions.
    private mutating func noteMissing() {
        guard isMissing else { return }
        if min(subscriptions, connections.values.count { (1...Self.mostOpen).contains($0) } + nameless) >= wanted {
            isMissing = false
        }
    }
}
