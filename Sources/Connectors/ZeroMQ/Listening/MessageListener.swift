import Pipeline
import Synchronization

/// A message as it was received, before it is interpreted.
package struct ReceivedMessage: Sendable {
    /// The frames of the message.
    package let parts: [[UInt8]]

    /// The arrival time, in nanoseconds of the system's monotonic clock.
    package let arrival: Int64

    /// Creates a message from its frames and its arrival time.
    package init(parts: [[UInt8]], arrival: Int64) {
        self.parts = parts
        self.arrival = arrival
    }

    /// The reason why no source can read the message, whatever the source's options. `nil` when the message is a document or text.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes.
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

/// Receives messages from a socket without interpreting them. Call everything except ``stop()`` on one thread.
// `@unchecked Sendable`: its caller uses it on one thread at a time, except for `stop()`, which any thread may call.
package final class MessageListener: @unchecked Sendable {
    /// The endpoint to listen at, and how to listen.
    package struct Place: Sendable {
        /// The endpoint.
        package var endpoint: ZMQEndpoint
        /// Whether the socket is bound to the endpoint, so that others connect to it.
        package var isBound = false
        /// The type of the socket.
        package var socket = ZMQSource.Socket.sub
        /// The prefixes of the topics to receive. An empty array means all topics.
        package var subscriptions: [String] = []

        /// Creates a place whose socket connects to an endpoint and subscribes to all topics.
        package init(_ endpoint: ZMQEndpoint) { self.endpoint = endpoint }
    }

    private let socket: ZMQSocket
    private let wake: WakePipe
    private let isStopped = Atomic<Bool>(false)
    private let clock = SystemClock()

    /// The endpoint of the socket. If no port was specified, it contains the port that the system chose.
    package let endpoint: String

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - place: The endpoint to listen at, and how to listen.
    ///   - log: The log for the events of connections.
    /// - Throws: An environment error, for example when the port is taken or the host is unknown.
    package init(_ place: Place, log: Log = .silent) throws {
        var options = ZMQSocketOptions()
        options.ipv6 = place.endpoint.isIPv6
        if place.isBound { options.bind = [place.endpoint] } else { options.connect = [place.endpoint] }
        wake = try WakePipe()
        socket = try ZMQSocket(
            place.socket.pattern, options, SocketReport(id: "listen", log: log))
        // The limits of a source with default options, so that a sender cannot fill the memory.
        let usual = ZMQSource.Options()
        try socket.limit(received: usual.receiveHWM, messageBytes: usual.maxMessageBytes)
        if place.socket == .sub {
            for prefix in place.subscriptions.isEmpty ? [""] : place.subscriptions { try socket.subscribe(prefix) }
        }
        endpoint = try socket.attach(options).first ?? place.endpoint.text
    }

    /// Ends the current wait and every later one. May be called from any thread.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
    }

    /// Returns the next message. Returns `nil` when the deadline, in nanoseconds of the system clock, has passed or when the
    /// listener was stopped.
    package func next(before deadline: Int64) throws -> ReceivedMessage? {
        while !isStopped.load(ordering: .acquiring) {
            if let message = try socket.reading({ try receive() }) { return message }
            guard clock.now < deadline else { return nil }
            try socket.waitToReceive(wake, until: deadline / 1_000_000 + 1)
        }
        return nil
    }

    private func receive() throws -> ReceivedMessage? {
        // Copies only the first two frames of a message. Messages with more frames cannot be read anyway.
        try socket.receive().map { count in
            ReceivedMessage(parts: (0..<count).map { $0 < 2 ? Array(socket.part($0)) : [] }, arrival: clock.now)
        }
    }

    /// Whether a sender, or at least some other program, has connected so far.
    package enum PeerStatus: Sendable {
        case nobody
        /// A peer that has an incompatible socket or uses another protocol.
        case stranger
        case sender
    }

    /// Returns whether a sender, or at least some other program, has connected so far.
    package func peerStatus() throws -> PeerStatus {
        let peers = try socket.peers()
        return peers.there + peers.gone > 0 ? .sender : socket.strangers > 0 ? .stranger : .nobody
    }

    /// Closes the socket.
    package func close() { socket.close(discardingUnsent: true) }
}
