import CZMQ
import Pipeline

/// Counts the events that libzmq reports about a socket's connections, and describes them in human-readable text. Performs no I/O.
///
/// Only connections that have completed the ZMTP handshake count as peers.
struct ConnectionLog: Sendable {
    /// The consequences of an event.
    struct Outcome: Sendable, Hashable {
        /// The name of the counter to increment.
        var count: String?
        /// The human-readable message, if the event should be reported, and whether it is a warning.
        var line: String?
        var isWarning = false
        /// The change in the state of a connection that this side opened, or `nil` for a connection that it accepted.
        var turn: Turn?
    }

    /// A change in the state of a connection that this side opened.
    enum Turn: Sendable, Hashable {
        /// libzmq has opened a connection whose handshake follows, or will try again after a failed attempt.
        case tried
        /// The handshake succeeded.
        case accepted
        /// The other side rejects this one or has an incompatible socket type. An immediate retry would fail again.
        case refused
        /// The connection was lost. libzmq reconnects if the other side closed it, but not if the other side violated the protocol.
        case lost
    }

    /// Whether this side is a client of CURVE or PLAIN, which the other side accepts or rejects.
    private let isClient: Bool
    /// Whether this side only connects to others, so that every failure concerns one of those connections.
    private let onlyConnects: Bool
    /// The socket types that are compatible with this one, in human-readable form.
    private let partners: String
    /// The number of failed handshakes for which libzmq has not reported the end of the connection yet.
    private var failed = 0
    /// The endpoints that this side has connected to, by connection number.
    private var made: [Int32: String] = [:]
    /// The endpoints in `made` whose handshake has not completed yet.
    private var unshaken: Set<String> = []
    private var wasConnected = false
    private var counts: [String: Int] = [:]

    /// The number of connected peers.
    private(set) var peers = 0

    /// The number of connected peers at each endpoint that this side is bound to or has connected to.
    private(set) var peersAt: [String: Int] = [:]

    /// The number of peers that have disconnected so far.
    private(set) var gone = 0

    /// How many times a connection was lost or could not be opened so far.
    private(set) var breaks = 0

    /// The number of connections that ended before the handshake had completed, and for which libzmq reported no failed handshake.
    private(set) var strangers = 0

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - isClient: Whether this side is a client of CURVE or PLAIN, which the other side accepts or rejects.
    ///   - onlyConnects: Whether nothing is bound.
    ///   - partners: The socket types that are compatible with this one, in human-readable form.
    init(isClient: Bool = false, onlyConnects: Bool = false, partners: String = "") {
        self.isClient = isClient
        self.onlyConnects = onlyConnects
        self.partners = partners
    }

    /// The log for a socket that replaces this one. Keeps the totals and forgets the current connections.
    var renewed: ConnectionLog {
        var log = self
        (log.failed, log.peers) = (0, 0)
        (log.made, log.unshaken, log.peersAt) = ([:], [], [:])
        return log
    }

    /// Records that a worker, or all workers at a bound address, answered none of their requests within the given time in
    /// milliseconds.
    mutating func noteSilence(of endpoint: String, forMs time: Int) -> Outcome {
        var outcome = outcome("silent", "no answer in \(time) ms, skipped while other workers answer: \(endpoint)")
        outcome.isWarning = true
        return outcome
    }

    /// Records an event, and returns its consequences.
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
            outcome.turn = .accepted
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
        // For an incompatible socket type, and for other errors before the handshake has completed, libzmq reports only the end of
        // the connection.
        let isUnshaken = isMade && unshaken.remove(event.endpoint) != nil
        guard !isUnshaken, peers > 0 else {
            strangers += 1
            var outcome = outcome(
                "handshake_failed",
                "handshake failed: \(isMade ? "" : "a peer at ")\(event.endpoint) does not fit (\(partners)), or violates the protocol"
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

    /// Records that libzmq does not reconnect after a lost connection, because the other side violated the protocol.
    mutating func noteBreach(of endpoint: String) -> Outcome {
        var outcome = outcome(
            "broken_off",
            "\(endpoint) sent a message larger than max_message_bytes, or bytes that are not ZeroMQ; the connection is reopened"
        )
        outcome.isWarning = true
        return outcome
    }

    /// Records that a subscriber was disconnected because it has too many subscriptions, or sends them without end.
    mutating func noteFlood() -> Outcome {
        var outcome = outcome(
            "subscribers_refused",
            "a subscriber was disconnected: it has more than \(Subscribers.mostOpen) subscriptions, or does nothing but subscribe"
        )
        outcome.isWarning = true
        return outcome
    }

    /// Records that the peer of a push was disconnected because it sends data, although a push receives nothing.
    mutating func noteIntrusion() -> Outcome {
        var outcome = outcome(
            "peers_refused", "a peer was disconnected: it sends without end to a push, which should receive nothing")
        outcome.isWarning = true
        return outcome
    }

    /// Records that no further connection can be accepted.
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
                ? "authentication failed: \(event.endpoint) does not accept this client (its key is not allowed, or user name or password are wrong)"
                : "authentication failed: a peer at \(event.endpoint) was not accepted"
        case _ where event.value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH && isProtocol(event):
            name = "authentication_failed"
            words =
                "authentication failed: the other side of \(event.endpoint) uses another security mechanism (curve, plain or none)"
        case _ where event.value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC && isProtocol(event):
            name = "authentication_failed"
            words = "authentication failed: the other side of \(event.endpoint) does not use the same server_key"
        case _ where isClient:
            name = "authentication_failed"
            words =
                "authentication failed: \(event.endpoint) ended the connection in the handshake (server_key is not its key, it does not allow this client, or it uses another security mechanism)"
        case _ where onlyConnects:
            name = "handshake_failed"
            words =
                "handshake failed: \(event.endpoint) ended the connection in the handshake, or was silent for handshake_ms (it hangs, wants security, curve or plain, or does not speak ZeroMQ)"
        default:
            name = "handshake_failed"
            words =
                "handshake failed: a peer at \(event.endpoint) left, does not speak ZeroMQ, or uses another security mechanism"
        }
        var outcome = outcome(name, words)
        outcome.isWarning = true
        outcome.turn = isClient || onlyConnects ? .refused : nil
        return outcome
    }

    private func isProtocol(_ event: ConnectionEvent) -> Bool {
        event.number == Int32(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
    }

    /// Counts an event. Reports the first five events of a kind, and after that the events whose number is a power of ten.
    private mutating func outcome(_ name: String, _ line: String) -> Outcome {
        let count = counts[name, default: 0] + 1
        counts[name] = count
        var power = 10
        while power < count { power *= 10 }
        let isSaid = count <= 5 || count == power
        return Outcome(count: name, line: isSaid ? line + (count > 5 ? " (\(count) so far)" : "") : nil)
    }
}
