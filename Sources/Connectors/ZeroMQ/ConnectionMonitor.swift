import CZMQ
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Receives libzmq's events about the connections of a socket. Also disconnects peers, for which libzmq has no function.
///
/// For a socket that should receive almost nothing, the monitor tracks how much arrives on each connection. For a publisher, a
/// dedicated thread (the watch) disconnects peers that send too much. Without the watch, such a flood would block the thread that
/// uses the socket for as long as the flood lasts, and several floods could block the threads of all tasks.
// `@unchecked Sendable`: one thread at a time uses the socket that delivers the events, under the lock of `state`.
final class ConnectionMonitor: @unchecked Sendable {
    /// The events that have not been taken yet, and how much has arrived on each connection.
    private struct State: Sendable {
        var events: [ConnectionEvent] = []
        var received = ReceivedBytes()
        /// The number of connections that were closed because of floods.
        var floods = 0
    }

    private let state = Lock(State())
    private var monitor: UnsafeMutableRawPointer?
    /// Ends the watch, which is the thread that disconnects peers that send too much. `nil` if there is no watch.
    private var watch: WakePipe?

    /// The time between two checks for floods, in milliseconds.
    static let watchIntervalMs = 50

    /// Starts to monitor a socket that is not bound or connected yet.
    init(of socket: UnsafeMutableRawPointer, in context: ZMQContext) throws {
        let name = "inproc://connections-\(UInt(bitPattern: socket))"
        guard zmq_socket_monitor(socket, name, ConnectionEvent.asked | AcceptLimiter.events) == 0 else {
            throw ZMQCode.last.unexpected("zmq_socket_monitor")
        }
        monitor = zmq_socket(context.pointer, ZMQ_PAIR)
        guard monitor != nil else { throw ZMQCode.last.unexpected("zmq_socket") }
        // The queue is large, because libzmq blocks when it is full, and a sink with nothing to send reads it only occasionally.
        var room: Int32 = 100_000
        zmq_setsockopt(monitor, ZMQ_RCVHWM, &room, MemoryLayout<Int32>.size)
        guard zmq_connect(monitor, name) == 0 else {
            zmq_close(monitor)
            throw ZMQCode.last.unexpected("zmq_connect")
        }
    }

    /// Ends the monitoring. Call it before the socket is closed.
    func close(_ socket: UnsafeMutableRawPointer) {
        watch?.signal()
        // Takes the lock because the watch may be reading from the monitor.
        state.withLock { _ in
            guard let monitor else { return }
            zmq_socket_monitor(socket, nil, 0)
            var zero: Int32 = 0
            zmq_setsockopt(monitor, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
            zmq_close(monitor)
            self.monitor = nil
        }
    }

    /// The item to poll for new events, or `nil` when the watch reads the events. In that case, call ``nextEvent()`` every
    /// ``watchIntervalMs`` milliseconds.
    var pollItem: zmq_pollitem_t? {
        watch == nil ? zmq_pollitem_t(socket: monitor, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0) : nil
    }

    /// The time of the system clock, in milliseconds.
    private static var now: Int64 { SystemClock().now / 1_000_000 }

    // MARK: Events

    /// Returns the next event, if there is one.
    func nextEvent() throws -> ConnectionEvent? {
        try state.withLock { state in
            if !state.events.isEmpty { return state.events.removeFirst() }
            guard let event = try readEvent() else { return nil }
            state.received.note(event, at: Self.now)
            return event
        }
    }

    /// Returns the number of connections closed because of floods since the last call.
    func removeExcessive() -> Int {
        state.withLock { state in
            defer { state.floods = 0 }
            return state.floods
        }
    }

    /// Reads an event from libzmq. The first part of its message contains its number and value, the second part the endpoint.
    private func readEvent() throws -> ConnectionEvent? {
        guard let monitor else { return nil }
        var head: (UInt64, UInt64) = (0, 0)
        var event: ConnectionEvent?
        while true {
            let size = withUnsafeMutableBytes(of: &head) { zmq_recv(monitor, $0.baseAddress, 16, ZMQ_DONTWAIT) }
            if size < 0 {
                switch ZMQCode.last {
                case .again: return nil
                case .interrupted: continue
                case let code: throw code.unexpected("zmq_recv")
                }
            }
            guard size == 6 else { continue }
            // A number of 16 bits, followed by a value of 32 bits.
            event = .init(
                number: Int32(truncatingIfNeeded: head.0 & 0xFFFF), value: Int32(truncatingIfNeeded: head.0 >> 16))
            break
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let size = zmq_recv(monitor, &text, text.count, ZMQ_DONTWAIT)
        if size > 0 { event?.endpoint = String(decoding: text.prefix(min(Int(size), text.count)), as: UTF8.self) }
        return event
    }

    // MARK: Disconnecting peers

    /// Starts a thread that disconnects peers that send too much.
    func watchFloods() throws {
        let wake = try WakePipe()
        watch = wake
        startThread { [weak self] in
            while !wake.wait(forMs: Self.watchIntervalMs) { self?.hangUpOnFloods() }
        }
    }

    /// Disconnects the peers that have sent too much.
    func hangUpOnFloods() { hangUp { $0.removeExcessive(at: Self.now, ReceivedBytes.bytesReceived) } }

    /// Disconnects a peer, unless it is already gone or was disconnected before.
    func hangUp(on connection: Int32) { hangUp { $0.take(connection) ? [connection] : [] } }

    private func hangUp(_ choose: (inout ReceivedBytes) -> [Int32]) {
        state.withLock { state in
            while let event = try? readEvent() {
                state.received.note(event, at: Self.now)
                state.events.append(event)
            }
            let chosen = choose(&state.received)
            chosen.forEach(Self.shutDown)
            state.floods += chosen.count
        }
    }

    /// Shuts a connection down. To libzmq, this looks as if the other side had closed it. The other side is notified immediately,
    /// even if it is blocked because this side does not read.
    static func shutDown(_ connection: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        shutdown(connection, Int32(SHUT_RDWR))
    }
}
