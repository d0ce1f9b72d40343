import CZMQ
import Pipeline

extension ZMQSocket {
    // MARK: Receiving

    /// Calls a closure that receives messages. Nothing else uses the socket during the call.
    func reading<Result, E: Error>(_ body: () throws(E) -> sending Result) throws(E) -> sending Result {
        guard let backpressure else { return try body() }
        return try backpressure.reading(body)
    }

    /// Receives a message if there is one. Call this method only within ``reading(_:)``.
    ///
    /// - Returns: The number of parts, or `nil` when there is no message. Only the first two parts and the last part are kept, for
    ///   ``part(_:)``.
    func receive() throws -> Int? {
        // Reads the property only once, because each access to a stored property costs an exclusivity check.
        let socket = socket
        guard try receive(into: first, from: socket) else {
            pendingDisconnects.allRead().forEach(disconnect)
            backpressure?.foundNothing()
            return nil
        }
        var count = 1
        var last = first
        // All parts of a message arrive together, so the other parts are already there.
        while zmq_msg_more(last) != 0 {
            last = count == 1 ? second : third
            guard try receive(into: last, from: socket) else { break }
            count += 1
        }
        return count
    }

    /// Returns a part of the message received last: the first, the second or the last part. It is valid until the next message is
    /// received.
    func part(_ index: Int) -> UnsafeRawBufferPointer {
        let message = index == 0 ? first : index == 1 ? second : third
        return UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))
    }

    /// The number of the connection on which the last message was received. Negative for a connection over `inproc`, which has no
    /// number.
    var peer: Int32 { zmq_msg_get(first, ZMQ_SRCFD) }

    private func receive(
        into message: UnsafeMutablePointer<zmq_msg_t>, from socket: UnsafeMutableRawPointer?
    ) throws -> Bool {
        if waiting.take(into: message) { return true }
        return try receiveNew(into: message, from: socket)
    }

    private func receiveNew(
        into message: UnsafeMutablePointer<zmq_msg_t>, from socket: UnsafeMutableRawPointer?
    ) throws -> Bool {
        while zmq_msg_recv(message, socket, ZMQ_DONTWAIT) < 0 {
            switch ZMQCode.last {
            case .again: return false
            case .interrupted: continue
            case let code: throw code.unexpected("zmq_msg_recv")
            }
        }
        return true
    }

    /// Moves messages from libzmq's unbounded queue to the bounded queue ``waiting`` until that is full.
    ///
    /// - Returns: Whether there is room for more messages.
    func takeOver() -> Bool {
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        while waiting.count < waiting.room {
            repeat {
                // Ignores errors, because the reader will get the same error and report it.
                guard (try? receiveNew(into: &message, from: socket)) == true else { return true }
                waiting.add(&message)
            } while waiting.endsWithin
        }
        return false
    }

    // MARK: Sending

    /// Sends a message of two parts if there is room. Returns whether it was sent.
    func send(_ topic: String, _ payload: UnsafeRawBufferPointer) throws -> Bool {
        var topic = topic
        while true {
            let sent = topic.withUTF8 { zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
            if sent >= 0 { break }
            if try lacksRoom() { return false }
        }
        while zmq_send(socket, payload.baseAddress, payload.count, ZMQ_DONTWAIT) < 0 {
            // Sending fails here if the peer has disconnected between the two parts. libzmq has then discarded the first part.
            if try lacksRoom() { return false }
        }
        return true
    }

    /// Sends a message of several parts if there is room. Returns whether it was sent.
    func send(_ parts: [[UInt8]]) throws -> Bool {
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            while part.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | more) }) < 0 {
                if try lacksRoom() { return false }
            }
        }
        return true
    }

    /// Returns whether the last call of `zmq_send` failed for lack of room; `false` if a signal interrupted it.
    ///
    /// - Throws: An environment error for any other failure.
    private func lacksRoom() throws -> Bool {
        switch ZMQCode.last {
        case .again: return true
        case .interrupted: return false
        case let code: throw code.unexpected("zmq_send")
        }
    }

    // MARK: Waiting

    /// Waits until one of the sockets can send a message, `wake` is signaled or the `deadline` is reached (in milliseconds of the
    /// system clock).
    static func waitToSend(on sockets: [ZMQSocket], _ wake: WakePipe, until deadline: Int64? = nil) throws {
        try wait(for: sockets, ZMQ_POLLOUT, wake, until: deadline)
    }

    /// Processes the connection events, and then waits until a message can be received, another event arrives or `wake` is
    /// signaled. That event is processed by the next call, so that no event delays a message that has arrived. Does not wait if
    /// connections are to be closed, which the next call of ``receive()`` does.
    func waitToRead(_ wake: WakePipe) throws {
        backpressure?.beginWaiting()
        try noteConnections()
        if pendingDisconnects.isEmpty { try Self.poll([self], ZMQ_POLLIN, wake) }
    }

    /// Waits until a message can be received, a connection event arrives, `wake` is signaled or the `deadline` is reached (in
    /// milliseconds of the system clock). Then processes the connection events.
    func waitToReceive(_ wake: WakePipe, until deadline: Int64? = nil) throws {
        try Self.wait(for: [self], ZMQ_POLLIN, wake, until: deadline)
    }

    /// Waits as ``waitToReceive(_:until:)`` does, for several sockets at once.
    ///
    /// - Parameters:
    ///   - sockets: The sockets to wait for.
    ///   - orToSend: Whether to also wait until a message can be sent.
    ///   - wake: The pipe that ends the wait when it is signaled.
    ///   - deadline: The time at which the wait ends, in milliseconds of the system clock.
    static func wait(for sockets: [ZMQSocket], orToSend: Bool, _ wake: WakePipe, until deadline: Int64?) throws {
        try wait(for: sockets, orToSend ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN, wake, until: deadline)
    }

    private static func wait(
        for sockets: [ZMQSocket], _ events: Int32, _ wake: WakePipe, until deadline: Int64? = nil
    ) throws {
        try poll(sockets, events, wake, until: deadline)
        for socket in sockets { try socket.noteConnections() }
    }

    /// Waits until a socket is ready, a connection event arrives, `wake` is signaled or the deadline is reached.
    private static func poll(
        _ sockets: [ZMQSocket], _ events: Int32, _ wake: WakePipe, until deadline: Int64? = nil
    ) throws {
        var items = [zmq_pollitem_t(socket: nil, fd: wake.readEnd, events: Int16(ZMQ_POLLIN), revents: 0)]
        items.reserveCapacity(1 + 2 * sockets.count)
        let now = now
        var pause = deadline.map { max(0, $0 - now) }
        for socket in sockets {
            socket.backpressure?.beginWaiting()
            if socket.waiting.count > 0 { pause = 0 }
        }
        for socket in sockets {
            items.append(zmq_pollitem_t(socket: socket.socket, fd: 0, events: Int16(events), revents: 0))
            var next = [socket.reconnection.wait(at: now), socket.acceptLimiter.wait(at: now)]
            let item = socket.monitor?.pollItem
            if let item { items.append(item) }
            if item == nil || socket.pattern == .push { next.append(Int64(ConnectionMonitor.watchIntervalMs)) }
            for next in next {
                if let next { pause = min(pause ?? next, next) }
            }
        }
        while zmq_poll(&items, Int32(items.count), pause.map { Int(clamping: $0) } ?? -1) < 0 {
            guard ZMQCode.last == .interrupted else { throw ZMQCode.last.unexpected("zmq_poll") }
        }
        if items[0].revents != 0 { wake.drain() }
    }
}
