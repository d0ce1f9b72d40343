import Pipeline
import Synchronization

/// A message as it came: for looking at what a sender sends.
package struct ReceivedMessage: Sendable {
    /// Its frames.
    package let parts: [[UInt8]]

    /// When it came, in nanoseconds of the system's monotonic clock.
    package let arrival: Int64

    /// Describes a message.
    package init(parts: [[UInt8]], arrival: Int64) {
        self.parts = parts
        self.arrival = arrival
    }

    /// Why nothing can be read from it, whatever a source says; `nil` when it is a document or text. O(bytes).
    var problem: PipelineError? {
        guard parts.count <= 2, let payload = parts.last else {
            return .frame(
                "zmq.frames", "a message of \(parts.count) frames; a source reads a payload, or a topic and a payload")
        }
        guard let first = payload.first(where: { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }) else {
            return .frame("zmq.payload", "an empty payload")
        }
        if let error = payload.withUnsafeBytes({ pickleError(in: $0) }) { return error }
        if (try? DocumentValue(payload, .messagePack)) != nil { return nil }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            do { _ = try DocumentValue(payload, .json) } catch { return error as? PipelineError }
        }
        guard String(validating: payload, as: UTF8.self) != nil, !payload.contains(0) else {
            return .frame("zmq.payload", "\(payload.count) bytes that are neither JSON, MessagePack nor text")
        }
        return nil
    }
}

/// Takes messages off a socket as they are. Everything but ``stop()`` is called on one thread.
package final class MessageListener: @unchecked Sendable {
    /// Where to listen, and how.
    package struct Place: Sendable {
        /// The endpoint.
        package var endpoint: ZMQEndpoint
        /// Whether others connect to it.
        package var isBound = false
        /// What kind of socket.
        package var socket = ZMQSource.Socket.sub
        /// The beginnings of the topics wanted; all when empty.
        package var subscriptions: [String] = []

        /// Listens to what publishers at an endpoint send.
        package init(_ endpoint: ZMQEndpoint) { self.endpoint = endpoint }
    }

    private let socket: ZMQSocket
    private let wake: WakePipe
    private let isStopped = Atomic<Bool>(false)
    private let clock = SystemClock()

    /// Where it listens, with the port that was found where none was asked for.
    package let endpoint: String

    /// Opens the socket.
    ///
    /// - Parameter log: Where to tell what happens to connections.
    /// - Throws: An environment error: the port is taken, the host unknown.
    package init(_ place: Place, log: Log = .silent) throws {
        var options = ZMQSocketOptions()
        options.ipv6 = place.endpoint.isIPv6
        if place.isBound { options.bind = [place.endpoint] } else { options.connect = [place.endpoint] }
        wake = try WakePipe()
        socket = try ZMQSocket(
            place.socket.pattern, options, SocketReport(id: "listen", log: log))
        if place.socket == .sub {
            for prefix in place.subscriptions.isEmpty ? [""] : place.subscriptions { try socket.subscribe(prefix) }
        }
        endpoint = try socket.attach(options).first ?? place.endpoint.text
    }

    /// Ends a wait, and every later one, from any thread.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
    }

    /// The next message; `nil` when a time has passed on the system's clock (in nanoseconds), or when it was stopped.
    package func next(before deadline: Int64) throws -> ReceivedMessage? {
        while !isStopped.load(ordering: .acquiring) {
            if let message = try socket.reading({ try receive() }) { return message }
            guard clock.now < deadline else { return nil }
            try socket.waitToReceive(wake, until: deadline / 1_000_000 + 1)
        }
        return nil
    }

    private func receive() throws -> ReceivedMessage? {
        // Of a message of many frames only the first are kept.
        try socket.receive().map { count in
            ReceivedMessage(parts: (0..<count).map { $0 < 2 ? Array(socket.part($0)) : [] }, arrival: clock.now)
        }
    }

    /// Whom it has met so far.
    package enum Acquaintance: Sendable {
        case nobody
        /// Somebody whose socket does not fit, or who speaks something else.
        case stranger
        case sender
    }

    /// Whether anybody was ever connected.
    package func hasMet() throws -> Acquaintance {
        let peers = try socket.peers()
        return peers.there + peers.gone > 0 ? .sender : socket.strangers > 0 ? .stranger : .nobody
    }

    /// Closes the socket.
    package func close() { socket.close(discardingUnsent: true) }
}
