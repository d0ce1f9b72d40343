import CZMQ

extension ZMQSocket {
    /// What a socket does.
    enum Pattern {
        case sub, pull, xpub, push, dealer
        /// The end of a pair that takes, or gives.
        case pairSource, pairSink

        var sends: Bool { self == .xpub || self == .push || self == .pairSink }

        /// Whether somebody reads what comes, to the last message.
        var isRead: Bool { self == .sub || self == .pull || self == .pairSource || self == .dealer }

        /// Whether it stops to read from its connections when nobody takes what it has.
        var maySuspend: Bool { self == .sub || self == .pull || self == .pairSource || self == .pairSink }

        /// Which kinds of sockets fit it.
        var partners: String {
            switch self {
            case .sub: "a sub hears only what publishes: pub or xpub"
            case .pull: "a pull takes only from a push"
            case .xpub: "a pub is heard only by a sub"
            case .push: "a push gives only to a pull"
            case .pairSource, .pairSink: "a pair fits only a pair"
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
