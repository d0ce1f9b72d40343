import CZMQ

/// How many peers are connected to a socket, by what libzmq tells of its connections. Pure state.
///
/// Only those count that have spoken ZMTP: whoever connects and says something else is no peer.
struct ConnectionCount: Sendable {
    /// The events to ask for.
    static let events = Int32(
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED)

    /// Those connected.
    private(set) var peers = 0

    /// How many have gone so far.
    private(set) var gone = 0

    /// Those that never were, whose end is still to be told.
    private var failed = 0

    /// Takes in an event.
    mutating func note(_ event: Int32) {
        switch event {
        case Int32(ZMQ_EVENT_HANDSHAKE_SUCCEEDED): peers += 1
        case Int32(ZMQ_EVENT_DISCONNECTED) where failed > 0: failed -= 1
        case Int32(ZMQ_EVENT_DISCONNECTED):
            gone += peers > 0 ? 1 : 0
            peers = max(0, peers - 1)
        default: failed += 1
        }
    }
}
