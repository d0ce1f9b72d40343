import CZMQ

/// What libzmq tells of a connection.
struct ConnectionEvent: Sendable, Hashable {
    /// Which of `ZMQ_EVENT_…`.
    var number: Int32
    /// What belongs to it: an error number, a status.
    var value: Int32 = 0
    /// Where it happened.
    var endpoint = ""

    /// Those to ask for.
    static let asked = Int32(
        ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED)
}
