import Synchronization

/// Named counts of a component that are not part of the ledger: connections, retries, requests. The report of a run shows them, but
/// no ledger equation contains them.
public final class Counts: Sendable {
    private let counts = Lock<[String: Int64]>([:])
    private let currentLevels = Lock<[String: Int64]>([:])
    private let addresses = Lock<[ObjectIdentifier: [SocketPeers]]>([:])

    /// The name of a count of events: in each event, an unknown number of frames may have been lost before they reached the pipeline
    /// or after they left it.
    public static let unknownLoss = "lost_unknown"

    /// Creates an empty set of counts.
    public init() {}

    /// Adds to the count with a name in `snake_case`. Do not call this for every frame: it takes a lock.
    public func add(_ name: String, _ amount: Int64 = 1) { counts.withLock { $0[name, default: 0] += amount } }

    /// Sets a level: a number that can rise and fall, for example the number of waiting messages. Do not call this for every
    /// frame: it takes a lock.
    public func set(level name: String, _ amount: Int64) { currentLevels.withLock { $0[name] = amount } }

    /// All levels.
    public var levels: [String: Int64] { currentLevels.withLock { $0 } }

    /// All counts.
    public var values: [String: Int64] { counts.withLock { $0 } }

    /// Records the addresses of a component's socket, each with its number of peers. Replaces the previous record of that socket.
    /// An empty array means that the socket is closed.
    package func note(_ peers: [SocketPeers], of socket: AnyObject) {
        let id = ObjectIdentifier(socket)
        addresses.withLock { $0[id] = peers.isEmpty ? nil : peers }
    }

    /// The addresses of all sockets in alphabetical order, each with the number of peers of all sockets that have it. An address
    /// is listed once, or twice if some sockets listen on it and others connect to it.
    package var sockets: [SocketPeers] {
        let all = addresses.withLock { $0.values.flatMap { $0 } }
        let byAddress = Dictionary(grouping: all) { "\($0.endpoint) \($0.isBound)" }
        return byAddress.values.map { same in
            SocketPeers(
                endpoint: same[0].endpoint, isBound: same[0].isBound, peers: same.reduce(0) { $0 + $1.peers })
        }.sorted { ($0.endpoint, $0.isBound ? 0 : 1) < ($1.endpoint, $1.isBound ? 0 : 1) }
    }
}
