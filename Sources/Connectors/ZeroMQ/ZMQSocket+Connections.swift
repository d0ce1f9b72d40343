import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ZMQSocket {
    /// Which peers are connected and have gone, over `tcp` or `ipc`: of `inproc` libzmq tells nothing.
    func peers() throws -> (there: Int, gone: Int) {
        try noteConnections()
        return (connections.peers, connections.gone)
    }

    /// How often a connection was lost or could not be made, as far as has been noted.
    var breaks: Int { connections.breaks }

    /// How many connections have ended that were none of peers.
    var strangers: Int { connections.strangers }

    /// Notes that those at the other end have answered nothing for so long.
    func noteSilence(of endpoint: String, forMs time: Int) {
        tell(connections.noteSilence(of: endpoint, forMs: time))
    }

    private func tell(_ outcome: ConnectionLog.Outcome, nextTryInMs pause: Int64? = nil) {
        if let count = outcome.count { report.count(count) }
        guard var line = outcome.line else { return }
        if let pause { line += "; next try in \(Double(pause) / 1000) s" }
        report.say(outcome.isWarning ? .warning : .info, line)
    }

    /// Takes in what libzmq has told of connections, and tries again where that is due.
    func noteConnections() throws {
        guard let monitor else { return }
        if pattern == .push { monitor.hangUpOnFloods() }
        for _ in 0..<monitor.takeFloods() {
            tell(pattern == .xpub ? connections.noteFlood() : connections.noteIntrusion())
        }
        let before = connections.peersAt
        while let event = try monitor.nextEvent() {
            unread?.note(event)
            note(crowding: event)
            guard event.number & ConnectionEvent.asked != 0 else { continue }
            let outcome = connections.note(event)
            var pause: Int64?
            // Where others have come to us, it is for them to come again.
            if let turn = outcome.turn, let endpoint = dialled(event.endpoint) {
                switch turn {
                case .tried: reconnection.tried(endpoint)
                case .letIn: reconnection.letIn()
                case .lost: reconnection.lost(endpoint, at: Self.now)
                case .refused:
                    pause = reconnection.refused(endpoint, at: Self.now)
                    if pause != nil { leave(endpoint, andReturn: false) }
                }
            }
            tell(outcome, nextTryInMs: pause)
        }
        if connections.peersAt != before { tellPeers() }
        for endpoint in reconnection.abandoned(at: Self.now) {
            tell(connections.noteBreach(of: endpoint))
            leave(endpoint, andReturn: true)
        }
        for endpoint in reconnection.due(at: Self.now) where !departures.returns(to: endpoint) {
            zmq_connect(socket, endpoint)
        }
        for endpoint in crowd.due(at: Self.now) where zmq_bind(socket, endpoint) != 0 {
            crowd.closed(endpoint, at: Self.now)
        }
    }

    /// Says where this socket listens and goes to, and how many are connected there.
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

    /// Ends what goes by a connection that this side has made.
    ///
    /// libzmq throws away what has come by it and has not been read. Worse: when it has begun to look at a message, as it does
    /// while one waits, it ends the process when the next part is gone. So a socket that is read is left only between two
    /// messages, when all that came before has been read.
    private func leave(_ endpoint: String, andReturn returns: Bool) {
        if pattern.isRead {
            departures.add(endpoint, andReturn: returns)
        } else {
            depart(.init(endpoint: endpoint, returns: returns))
        }
    }

    func depart(_ departure: Departures.Departure) {
        zmq_disconnect(socket, departure.endpoint)
        if departure.returns { zmq_connect(socket, departure.endpoint) }
    }

    /// Turns somebody away when the process has no room for more connections: libzmq would ask the system for them without
    /// a pause.
    private func note(crowding event: ConnectionEvent) {
        if pattern == .xpub, event.number == Int32(ZMQ_EVENT_DISCONNECTED) { ended.append(event.value) }
        let isFull = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(event.value)
        switch event.number {
        case Int32(ZMQ_EVENT_ACCEPTED): crowd.came(event.value)
        case Int32(ZMQ_EVENT_DISCONNECTED): crowd.went(event.value)
        case Int32(ZMQ_EVENT_ACCEPT_FAILED) where isFull:
            switch crowd.isFull() {
            case nil: break
            case .turnAway(let descriptor):
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                ConnectionMonitor.shutDown(descriptor)
            case .close:
                // Nobody came by this address who could be turned away. It is looked at again later.
                tell(connections.noteCrowd(at: event.endpoint, ZMQCode(rawValue: event.value).message))
                for endpoint in bound where !endpoint.hasPrefix("inproc:") && zmq_unbind(socket, endpoint) == 0 {
                    crowd.closed(endpoint, at: Self.now)
                }
            }
        default: break
        }
    }

    /// Hangs up on a subscriber, if it is there and that was not done before.
    func hangUp(on connection: Int32) { monitor?.hangUp(on: connection) }

    /// Takes the connections that have ended since this was last called, of a socket that is subscribed to.
    func takeEnded() -> [Int32] {
        defer { ended = [] }
        return ended
    }

    /// The address that this side was told to go to, of one that libzmq tells of: numbers may stand there in place of names.
    private func dialled(_ endpoint: String) -> String? {
        if endpoints.contains(endpoint) { return endpoint }
        if endpoints.count == 1 { return endpoints[0] }
        guard let colon = endpoint.lastIndex(of: ":") else { return nil }
        let alike = endpoints.filter { $0.hasSuffix(endpoint[colon...]) }
        return alike.count == 1 ? alike[0] : nil
    }

    static var now: Int64 { SystemClock().now / 1_000_000 }
}
