import CZMQ

/// An event that libzmq reports about a connection.
struct ConnectionEvent: Sendable, Hashable {
    /// The type of the event, one of the `ZMQ_EVENT_…` constants.
    var number: Int32
    /// The value of the event, such as an error number or a status.
    var value: Int32 = 0
    /// The endpoint to which the event belongs, as libzmq reports it.
    var endpoint = ""

    /// The event types that a ``ConnectionLog`` records, as a bit mask.
    static let asked = Int32(
        ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED)
}
