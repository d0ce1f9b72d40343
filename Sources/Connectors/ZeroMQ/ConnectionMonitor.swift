import CZMQ
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What libzmq tells of the connections of a socket, and hanging up on them, for which libzmq has no call.
///
/// Of a socket that next to nothing should come to it knows how much does. Of one that is subscribed to, a thread looks after that: a
/// flood keeps whoever uses the socket for as long as it lasts, and several may keep the threads of all tasks.
// What libzmq tells by is used by one thread at a time, under the lock of `told`.
final class ConnectionMonitor: @unchecked Sendable {
    /// What was told and nobody has taken in yet, and how much has come by connections.
    private struct Told: Sendable {
        var events: [ConnectionEvent] = []
        var inflow = Inflow()
        /// On how many was hung up.
        var floods = 0
    }

    private let told = Lock(Told())
    private var monitor: UnsafeMutableRawPointer?
    /// Ends the thread that hangs up on floods.
    private var watch: WakePipe?

    /// How often to look for floods, in milliseconds.
    static let watchIntervalMs = 50

    /// Has libzmq tell of a socket that is bound and connected to nothing yet.
    init(of socket: UnsafeMutableRawPointer, in context: ZMQContext) throws {
        let name = "inproc://connections-\(UInt(bitPattern: socket))"
        guard zmq_socket_monitor(socket, name, ConnectionEvent.asked | Crowd.events) == 0 else {
            throw ZMQCode.last.unexpected("zmq_socket_monitor")
        }
        monitor = zmq_socket(context.pointer, ZMQ_PAIR)
        guard monitor != nil else { throw ZMQCode.last.unexpected("zmq_socket") }
        // libzmq waits when there is no room, and a sink with nothing to send looks only now and then.
        var room: Int32 = 100_000
        zmq_setsockopt(monitor, ZMQ_RCVHWM, &room, MemoryLayout<Int32>.size)
        guard zmq_connect(monitor, name) == 0 else {
            zmq_close(monitor)
            throw ZMQCode.last.unexpected("zmq_connect")
        }
    }

    /// Ends it; before the socket is closed.
    func close(_ socket: UnsafeMutableRawPointer) {
        watch?.signal()
        // Behind the lock: the watch may be reading it.
        told.withLock { _ in
            guard let monitor else { return }
            zmq_socket_monitor(socket, nil, 0)
            var zero: Int32 = 0
            zmq_setsockopt(monitor, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
            zmq_close(monitor)
            self.monitor = nil
        }
    }

    /// What to wait for to be told something; `nil` when the watch waits for it, and one has to look every ``watchIntervalMs``.
    var pollItem: zmq_pollitem_t? {
        watch == nil ? zmq_pollitem_t(socket: monitor, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0) : nil
    }

    private static var now: Int64 { SystemClock().now / 1_000_000 }

    // MARK: Events

    /// Takes in what was told next, if anything.
    func nextEvent() throws -> ConnectionEvent? {
        try told.withLock { told in
            if !told.events.isEmpty { return told.events.removeFirst() }
            guard let event = try readEvent() else { return nil }
            told.inflow.note(event, at: Self.now)
            return event
        }
    }

    /// On how many was hung up since this was last asked.
    func takeFloods() -> Int {
        told.withLock { told in
            defer { told.floods = 0 }
            return told.floods
        }
    }

    /// An event is two parts: its number and value, and the endpoint.
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
            // 16 bits of number and 32 of value, one behind the other.
            event = .init(
                number: Int32(truncatingIfNeeded: head.0 & 0xFFFF), value: Int32(truncatingIfNeeded: head.0 >> 16))
            break
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let size = zmq_recv(monitor, &text, text.count, ZMQ_DONTWAIT)
        if size > 0 { event?.endpoint = String(decoding: text.prefix(min(Int(size), text.count)), as: UTF8.self) }
        return event
    }

    // MARK: Hanging up

    /// Hangs up from now on on those who send too much.
    func watchFloods() throws {
        let wake = try WakePipe()
        watch = wake
        startThread { [weak self] in
            while !wake.wait(forMs: Self.watchIntervalMs) { self?.hangUpOnFloods() }
        }
    }

    /// Hangs up on those who have sent too much.
    func hangUpOnFloods() { hangUp { $0.takeFloods(at: Self.now, Inflow.bytesReceived) } }

    /// Hangs up on a peer, if it is there and that was not done before.
    func hangUp(on connection: Int32) { hangUp { $0.take(connection) ? [connection] : [] } }

    private func hangUp(_ choose: (inout Inflow) -> [Int32]) {
        told.withLock { told in
            while let event = try? readEvent() {
                told.inflow.note(event, at: Self.now)
                told.events.append(event)
            }
            let chosen = choose(&told.inflow)
            chosen.forEach(Self.shutDown)
            told.floods += chosen.count
        }
    }

    /// Hangs up, which libzmq takes for the other side's doing. The other side is told at once, even while it waits for us to read.
    static func shutDown(_ connection: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        shutdown(connection, Int32(SHUT_RDWR))
    }
}
