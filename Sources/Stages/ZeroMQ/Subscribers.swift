/// Who has subscribed to a publisher.
struct Subscribers: Sendable {
    private let wanted: Int
    private var subscriptions = 0
    private var connections: Set<Int32> = []
    private var nameless = 0

    /// Whether some have not come yet. Once all have come, they may go again.
    private(set) var isMissing: Bool

    /// Knows of none; `wanted` should be there before the first frame.
    init(wanted: Int) {
        self.wanted = wanted
        isMissing = wanted > 0
    }

    /// Takes in what has been subscribed and given up since the last call.
    mutating func update(from socket: ZMQSocket) throws {
        while try socket.receive() != nil {
            switch socket.part(0).first {
            case 1:
                subscriptions += 1
                // One subscriber may have several subscriptions; those in this process have no connection to tell by.
                let peer = socket.peer
                if peer >= 0 { connections.insert(peer) } else { nameless += 1 }
            case 0: subscriptions -= 1
            default: break
            }
            if min(subscriptions, connections.count + nameless) >= wanted { isMissing = false }
        }
    }
}
