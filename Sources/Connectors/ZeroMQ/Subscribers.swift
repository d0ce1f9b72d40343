/// Who has subscribed to a publisher, and who to too much. Pure state but for what it reads from a socket.
///
/// libzmq keeps every subscription: a single peer could fill the memory. How fast they come, ``Inflow`` looks after.
struct Subscribers {
    /// How many subscriptions a connection may have.
    static let mostOpen = 10_000

    private let wanted: Int
    private var subscriptions = 0
    /// How many subscriptions each connection has.
    private var connections: [Int32: Int] = [:]
    private var nameless = 0

    /// Whether some have not come yet. Once all have come, they may go again.
    private(set) var isMissing: Bool

    /// Knows of none; `wanted` should be there before the first frame.
    init(wanted: Int) {
        self.wanted = wanted
        isMissing = wanted > 0
    }

    /// Takes in what has been subscribed and given up since the last call, and hangs up on those who have too many.
    mutating func update(from socket: ZMQSocket) throws {
        let ended = socket.takeEnded()
        while try socket.receive() != nil {
            let peer = socket.peer
            if note(socket.part(0).first, of: peer), !ended.contains(peer) { socket.hangUp(on: peer) }
        }
        // Only now: what they had sent came before, and must not be taken for that of others under their numbers.
        for connection in ended { hasGone(connection) }
    }

    /// Notes that a connection has ended: another may come under its number.
    mutating func hasGone(_ connection: Int32) { connections[connection] = nil }

    /// Takes in a message of a peer, of which the first byte says what it is.
    ///
    /// - Parameter peer: The number of its connection; negative when it is in this process, which has none to tell by.
    /// - Returns: Whether to hang up: now it has one too many.
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

    // One subscriber may have several subscriptions.
    private mutating func noteMissing() {
        guard isMissing else { return }
        if min(subscriptions, connections.values.count { (1...Self.mostOpen).contains($0) } + nameless) >= wanted {
            isMissing = false
        }
    }
}
