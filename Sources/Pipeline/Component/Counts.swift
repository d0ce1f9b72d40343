import Synchronization

/// Named counts that a component keeps beside the ledger of its frames: connections, retries, requests. They stand in the
/// report of a run and in no equation.
public final class Counts: Sendable {
    private let counts = Lock<[String: Int64]>([:])
    private let addresses = Lock<[ObjectIdentifier: [SocketPeers]]>([:])

    /// How often frames that had left the pipeline may have been lost, of which nobody knows how many.
    public static let unknownLoss = "lost_unknown"

    /// Counts nothing yet.
    public init() {}

    /// Adds to the count of a name in `snake_case`. Not for every frame.
    public func add(_ name: String, _ amount: Int64 = 1) { counts.withLock { $0[name, default: 0] += amount } }

    /// All counts.
    public var values: [String: Int64] { counts.withLock { $0 } }

    /// Says how a component's socket stands with its peers, in place of what was said of that socket before; nothing when it is closed.
    package func note(_ peers: [SocketPeers], of socket: AnyObject) {
        let id = ObjectIdentifier(socket)
        addresses.withLock { $0[id] = peers.isEmpty ? nil : peers }
    }

    /// The addresses of all its sockets, each once, in the order of the alphabet.
    package var sockets: [SocketPeers] {
        let all = addresses.withLock { $0.values.flatMap { $0 } }
        let byAddress = Dictionary(grouping: all) { "\($0.endpoint) \($0.isBound)" }
        return byAddress.values.map { same in
            SocketPeers(
                endpoint: same[0].endpoint, isBound: same[0].isBound, peers: same.reduce(0) { $0 + $1.peers })
        }.sorted { ($0.endpoint, $0.peers) < ($1.endpoint, $1.peers) }
    }
}
