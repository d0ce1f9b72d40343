import CZMQ

extension ZMQSocket {
    /// The role of a socket.
    enum Pattern {
        case sub, pull, xpub, push, dealer
        /// The receiving and the sending end of a pair.
        case pairSource, pairSink

        var sends: Bool { self == .xpub || self == .push || self == .pairSink }

        /// Whether the socket receives data messages, all of which are read.
        var isRead: Bool { self == .sub || self == .pull || self == .pairSource || self == .dealer }

        /// Whether the socket stops reading from its connections while the messages that it has received are not taken.
        var maySuspend: Bool { self == .sub || self == .pull || self == .pairSource || self == .pairSink }

        /// The socket types that are compatible with this one, in human-readable form.
        var partners: String {
            switch self {
            case .sub: "a sub receives only from a pub or xpub"
            case .pull: "a pull receives only from a push"
            case .xpub: "a pub sends only to a sub"
            case .push: "a push sends only to a pull"
            case .pairSource, .pairSink: "a pair connects only to a pair"
            case .dealer: "workers are rep or router"
            }
        }

        var type: Int32 {
            switch self {
            case .sub: ZMQ_SUB
            case .pull: ZMQ_PULL
            case .xpub: ZMQ_XPUB
            case .push: ZMQ_PUSH
            case .pairSource, .pairSink: ZMQ_PAIR
            case .dealer: ZMQ_DEALER
            }
        }
    }
}
