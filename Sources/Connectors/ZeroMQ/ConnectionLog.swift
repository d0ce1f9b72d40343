import CZMQ
import Pipeline

/// What libzmq tells of a socket's connections: counted, and put into words for a person. Pure state.
///
/// Only connections that have spoken ZMTP count as peers.
struct ConnectionLog: Sendable {
    /// What came of an event.
    struct Outcome: Sendable, Hashable {
        /// Under which name it is counted.
        var count: String?
        /// What to tell a person, and how important it is.
        var line: String?
        var isWarning = false
        /// What it means for the connecting side.
        var turn: Turn?
    }

    /// What happens to a connection that this side has made.
    enum Turn: Sendable, Hashable {
        /// It is being made.
        case tried
        /// Both sides have agreed.
        case letIn
        /// The other side does not let us in, or is none that fits: to try again at once would be in vain.
        case refused
        /// It is gone. libzmq tries again if the other side went, and not if that said what must not be.
        case lost
    }

    /// Whether this side proves who it is and the other decides.
    private let isClient: Bool
    /// Whether this side has only gone to others, so that whatever breaks is between it and them.
    private let onlyConnects: Bool
    /// Which kinds of sockets fit this one, for a person.
    private let partners: String
    private var failed = 0
    /// Where this side has gone to, by the number of the connection.
    private var made: [Int32: String] = [:]
    /// Those of them where nobody has agreed to anything yet.
    private var unshaken: Set<String> = []
    private var wasConnected = false
    private var counts: [String: Int] = [:]

    /// Those connected.
    private(set) var peers = 0

    /// Those connected, by the address where they came or were gone to.
    private(set) var peersAt: [String: Int] = [:]

    /// How many have gone so far.
    private(set) var gone = 0

    /// How often a connection was lost or could not be made so far.
    private(set) var breaks = 0

    /// How many were no peers.
    private(set) var strangers = 0

    /// - Parameters:
    ///   - isClient: Whether this side proves who it is, by CURVE or PLAIN, and the other decides.
    ///   - onlyConnects: Whether nothing is bound.
    ///   - partners: Which kinds of sockets fit this one, for a person.
    init(isClient: Bool = false, onlyConnects: Bool = false, partners: String = "") {
        self.isClient = isClient
        self.onlyConnects = onlyConnects
        self.partners = partners
    }

    /// The log of a socket that comes in the place of this one's.
    var renewed: ConnectionLog {
        var log = self
        (log.failed, log.peers) = (0, 0)
        (log.made, log.unshaken, log.peersAt) = ([:], [], [:])
        return log
    }

    /// Takes in that a worker, or all that come to an address, answered nothing of what they were asked.
    mutating func noteSilence(of endpoint: String, forMs time: Int) -> Outcome {
        var outcome = outcome("silent", "no answer in \(time) ms, passed over while others answer: \(endpoint)")
        outcome.isWarning = true
        return outcome
    }

    /// Takes in an event.
    mutating func note(_ event: ConnectionEvent) -> Outcome {
        let isGood = event.number & Int32(ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED) != 0
        if !isGood { breaks += 1 }
        switch event.number {
        case Int32(ZMQ_EVENT_CONNECTED):
            made[event.value] = event.endpoint
            unshaken.insert(event.endpoint)
            return Outcome(turn: .tried)
        case Int32(ZMQ_EVENT_HANDSHAKE_SUCCEEDED):
            peers += 1
            peersAt[event.endpoint, default: 0] += 1
            wasConnected = true
            unshaken.remove(event.endpoint)
            var outcome = outcome("connected", "connected: \(event.endpoint)")
            outcome.turn = .letIn
            return outcome
        case Int32(ZMQ_EVENT_DISCONNECTED): return disconnected(event)
        case Int32(ZMQ_EVENT_CONNECT_RETRIED):
            let isFirst = counts["retried"] == nil && !wasConnected
            var outcome = outcome("retried", "no answer yet, trying again: \(event.endpoint)")
            if !isFirst { outcome.line = nil }
            outcome.turn = .tried
            return outcome
        default:
            failed += 1
            unshaken.remove(event.endpoint)
            return handshakeFailed(event)
        }
    }

    private mutating func disconnected(_ event: ConnectionEvent) -> Outcome {
        let isMade = made.removeValue(forKey: event.value) != nil
        if failed > 0 {
            failed -= 1
            return Outcome()
        }
        // libzmq does not tell that sockets do not fit, nor what else may be wrong before both have agreed.
        let isUnshaken = isMade && unshaken.remove(event.endpoint) != nil
        guard !isUnshaken, peers > 0 else {
            strangers += 1
            var outcome = outcome(
                "handshake_failed",
                "handshake failed: \(isMade ? "" : "somebody at ")\(event.endpoint) does not fit (\(partners)), or breaks ZeroMQ's rules"
            )
            outcome.isWarning = true
            outcome.turn = isMade ? .refused : nil
            return outcome
        }
        gone += 1
        peers -= 1
        peersAt[event.endpoint] = peersAt[event.endpoint].flatMap { $0 > 1 ? $0 - 1 : nil }
        var outcome = outcome("disconnected", "connection lost: \(event.endpoint)")
        outcome.turn = isMade ? .lost : nil
        return outcome
    }

    /// Takes in that libzmq does not try again where a connection was lost.
    mutating func noteBreach(of endpoint: String) -> Outcome {
        var outcome = outcome(
            "broken_off",
            "\(endpoint) sent what must not be: more than max_message_bytes, or no ZeroMQ; the connection is opened again"
        )
        outcome.isWarning = true
        return outcome
    }

    /// Takes in that a subscriber subscribes so often that it was hung up on.
    mutating func noteFlood() -> Outcome {
        var outcome = outcome(
            "subscribers_refused",
            "a subscriber was disconnected: it has more than \(Subscribers.mostOpen) subscriptions, or does nothing but subscribe"
        )
        outcome.isWarning = true
        return outcome
    }

    /// Takes in that a peer to which everything is sent was hung up on because of what it has sent itself.
    mutating func noteIntrusion() -> Outcome {
        var outcome = outcome(
            "peers_refused", "a peer was disconnected: it sends without end to a push, to which nothing should come")
        outcome.isWarning = true
        return outcome
    }

    /// Takes in that nobody else can be let in.
    mutating func noteCrowd(at endpoint: String, _ problem: String) -> Outcome {
        var outcome = outcome(
            "turned_away",
            "\(endpoint) has no room for another connection: \(problem). The newest are turned away; ulimit -n raises the limit"
        )
        outcome.isWarning = true
        return outcome
    }

    private mutating func handshakeFailed(_ event: ConnectionEvent) -> Outcome {
        let name: String
        let words: String
        switch event.number {
        case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH):
            name = "authentication_failed"
            words =
                isClient
                ? "authentication failed: \(event.endpoint) does not let this client in (its key is not allowed, or user name or password are wrong)"
                : "authentication failed: a peer at \(event.endpoint) was not let in"
        case _ where event.value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH && isProtocol(event):
            name = "authentication_failed"
            words =
                "authentication failed: the other side of \(event.endpoint) uses another security mechanism (curve, plain or none)"
        case _ where event.value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC && isProtocol(event):
            name = "authentication_failed"
            words = "authentication failed: the other side of \(event.endpoint) has another server_key than this one's"
        case _ where isClient:
            name = "authentication_failed"
            words =
                "authentication failed: \(event.endpoint) ended the connection in the handshake (server_key is not its key, it does not allow this client, or it is no such server)"
        case _ where onlyConnects:
            name = "handshake_failed"
            words =
                "handshake failed: \(event.endpoint) ended the connection in the handshake, or was silent for handshake_ms (it hangs, wants security, curve or plain, or does not speak ZeroMQ)"
        default:
            name = "handshake_failed"
            words =
                "handshake failed: a peer at \(event.endpoint) went, does not speak ZeroMQ, or uses another security mechanism"
        }
        var outcome = outcome(name, words)
        outcome.isWarning = true
        outcome.turn = isClient || onlyConnects ? .refused : nil
        return outcome
    }

    private func isProtocol(_ event: ConnectionEvent) -> Bool {
        event.number == Int32(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
    }

    /// Counts, and says the first five of a kind, then each tenfold.
    private mutating func outcome(_ name: String, _ line: String) -> Outcome {
        let count = counts[name, default: 0] + 1
        counts[name] = count
        var power = 10
        while power < count { power *= 10 }
        let isSaid = count <= 5 || count == power
        return Outcome(count: name, line: isSaid ? line + (count > 5 ? " (\(count) so far)" : "") : nil)
    }
}
