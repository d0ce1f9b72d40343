import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ZMQSocket {
    /// Returns the number of connected peers (`there`) and of peers that have disconnected so far (`gone`). Peers over `inproc` do
    /// not count, because libzmq reports nothing about them.
    func peers() throws -> (there: Int, gone: Int) {
        try noteConnections()
        return (connections.peers, connections.gone)
    }

    /// How many times a connection was lost or could not be opened, according to the events that have been processed.
    var breaks: Int { connections.breaks }

    /// The number of connections that ended before the handshake had completed.
    var strangers: Int { connections.strangers }

    /// Records that the workers at the other end have not answered for the given time, in milliseconds.
    func noteSilence(of endpoint: String, forMs time: Int) {
        tell(connections.noteSilence(of: endpoint, forMs: time))
    }

    /// Counts and logs the outcome of an event, with the pause before the next attempt to connect, if there is one.
    private func tell(_ outcome: ConnectionLog.Outcome, nextTryInMs pause: Int64? = nil) {
        if let count = outcome.count { report.count(count) }
        guard var line = outcome.line else { return }
        if let pause { line += "; next try in \(Double(pause) / 1000) s" }
        report.say(outcome.isWarning ? .warning : .info, line)
    }

    /// Processes the connection events from libzmq, and opens the connections and addresses that are due to be reopened.
    func noteConnections() throws {
        guard let monitor else { return }
        if pattern == .push { monitor.hangUpOnFloods() }
        for _ in 0..<monitor.removeExcessive() {
            tell(pattern == .xpub ? connections.noteFlood() : connections.noteIntrusion())
        }
        let before = connections.peersAt
        while let event = try monitor.nextEvent() {
            unread?.note(event)
            note(crowding: event)
            guard event.number & ConnectionEvent.asked != 0 else { continue }
            let outcome = connections.note(event)
            var pause: Int64?
            // Handles only connections that this side opened. All other peers reconnect by themselves.
            if let turn = outcome.turn, let endpoint = dialled(event.endpoint) {
                switch turn {
                case .tried: reconnection.tried(endpoint)
                case .accepted: reconnection.accepted()
                case .lost: reconnection.lost(endpoint, at: Self.now)
                case .refused:
                    pause = reconnection.refused(endpoint, at: Self.now)
                    if pause != nil { scheduleDisconnect(endpoint, andReturn: false) }
                }
            }
            tell(outcome, nextTryInMs: pause)
        }
        if connections.peersAt != before { tellPeers() }
        for endpoint in reconnection.abandoned(at: Self.now) {
            tell(connections.noteBreach(of: endpoint))
            scheduleDisconnect(endpoint, andReturn: true)
        }
        for endpoint in reconnection.due(at: Self.now) where !pendingDisconnects.returns(to: endpoint) {
            zmq_connect(socket, endpoint)
        }
        for endpoint in acceptLimiter.due(at: Self.now) where zmq_bind(socket, endpoint) != 0 {
            acceptLimiter.closed(endpoint, at: Self.now)
        }
    }

    /// Reports the endpoints that this socket is bound or connected to, and the number of peers at each.
    func tellPeers() {
        func peers(at isMeant: (String) -> Bool) -> Int {
            connections.peersAt.reduce(0) { $0 + (isMeant($1.key) ? $1.value : 0) }
        }
        report.note(
            bound.map { endpoint in
                SocketPeers(endpoint: endpoint, isBound: true, peers: peers { $0 == endpoint })
            }
                + endpoints.map { endpoint in
                    SocketPeers(
                        endpoint: endpoint, isBound: false,
                        peers: peers { !bound.contains($0) && dialled($0) == endpoint })
                }, of: self)
    }

    /// Closes a connection that this side opened.
    ///
    /// A receiving socket closes the connection only when all earlier messages have been read, because libzmq discards the unread
    /// messages of a closed connection. Worse, libzmq aborts the process if it has prefetched the first part of a message, as it
    /// does in a poll, and the next part is gone.
    private func scheduleDisconnect(_ endpoint: String, andReturn returns: Bool) {
        if pattern.isRead {
            pendingDisconnects.add(endpoint, andReturn: returns)
        } else {
            disconnect(.init(endpoint: endpoint, returns: returns))
        }
    }

    /// Closes a connection immediately, and connects again if the peer is to return.
    func disconnect(_ peer: PendingDisconnects.Peer) {
        zmq_disconnect(socket, peer.endpoint)
        if peer.returns { zmq_connect(socket, peer.endpoint) }
    }

    /// Records connections that were accepted or have ended. When the process cannot accept a connection, closes the newest one or
    /// the address, as ``AcceptLimiter`` decides. Otherwise, libzmq would try to accept the connection again without a pause.
    private func note(crowding event: ConnectionEvent) {
        if pattern == .xpub, event.number == Int32(ZMQ_EVENT_DISCONNECTED) { ended.append(event.value) }
        let isFull = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(event.value)
        switch event.number {
        case Int32(ZMQ_EVENT_ACCEPTED): acceptLimiter.accepted(event.value)
        case Int32(ZMQ_EVENT_DISCONNECTED): acceptLimiter.ended(event.value)
        case Int32(ZMQ_EVENT_ACCEPT_FAILED) where isFull:
            switch acceptLimiter.isFull() {
            case nil: break
            case .closeConnection(let descriptor):
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                ConnectionMonitor.shutDown(descriptor)
            case .closeAddress:
                // No accepted connection is left to close. The addresses are opened again later.
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                for endpoint in bound where !endpoint.hasPrefix("inproc:") && zmq_unbind(socket, endpoint) == 0 {
                    acceptLimiter.closed(endpoint, at: Self.now)
                }
            }
        default: break
        }
    }

    /// Disconnects a subscriber, unless it is already gone or was disconnected before.
    func hangUp(on connection: Int32) { monitor?.hangUp(on: connection) }

    /// Returns the connections of a publisher that have ended since the last call.
    func takeEnded() -> [Int32] {
        defer { ended = [] }
        return ended
    }

    /// Returns the element of `endpoints` that matches an endpoint reported by libzmq, which may contain an IP address instead of a
    /// name. Returns `nil` if no element or several elements may match.
    private func dialled(_ endpoint: String) -> String? {
        if endpoints.contains(endpoint) { return endpoint }
        if endpoints.count == 1 { return endpoints[0] }
        guard let colon = endpoint.lastIndex(of: ":") else { return nil }
        let alike = endpoints.filter { $0.hasSuffix(endpoint[colon...]) }
        return alike.count == 1 ? alike[0] : nil
    }

    /// The time of the system clock, in milliseconds.
    static var now: Int64 { SystemClock().now / 1_000_000 }
}
