import CZMQ
import Pipeline
import Synchronization

/// Makes peers wait (TCP backpressure) while the reader of a socket is behind, by stopping the libzmq threads that move its bytes.
///
/// libzmq has its own mechanism: a bounded queue (`ZMQ_RCVHWM`), and connections that stop reading when it is full. But a defect of
/// libzmq (4.3.4, still present in 4.3.5) then lets a peer end the process: the peer fills the queue, sends a heartbeat and resets
/// the connection. When the queue is read again, libzmq answers the heartbeat on a connection that it has already given up, and an
/// assertion fails. For this reason, the queue of a socket that is read has no bound, and no single connection ever stops. When
/// connections have to stop, all connections of the context stop together: their threads stop between two tasks, and notice what
/// happened to their peers when they continue.
///
/// To stop a thread, libzmq is given a message whose memory that thread has to free. The function that frees the memory returns only
/// when the reader is no longer behind. The message is sent through a socket without a peer, which is closed immediately.
///
/// The reader is behind when it has not found the queue empty for a whole interval, or in many consecutive readings. The waiting
/// messages then move to a bounded queue of our own, and when that queue is full, the threads stop. So libzmq's own queue holds at
/// most what libzmq receives within two intervals.
// `@unchecked Sendable`: the reader and the watch use the state and the socket only under the lock.
final class Backpressure: @unchecked Sendable {
    /// The time between two checks of the reader, in milliseconds, and the number of consecutive checks that find the reader
    /// waiting after which the checks stop.
    private static let intervalMs = 10
    private static let longestWait = 50

    /// The number of consecutive readings that leave messages in the queue after which the reader counts as behind, however short
    /// the readings were. The waiting messages should not outgrow the CPU caches.
    private static let mostReadings = 32

    private let context: ZMQContext
    private let ioThreads: Int
    private let lock = Lock(())
    private let gate: WakePipe
    private let wake: WakePipe
    private let ended: WakePipe
    /// Whether the reader should do the check itself, because it was busy when the watch wanted to.
    private let isDue = Atomic<Bool>(false)

    /// Moves the waiting messages out of the socket. Returns whether there is room for more.
    private let takeOver: () -> Bool
    /// Sockets without a peer, one for each libzmq thread. They are created in advance, for when there is no more room.
    private var spares: [UnsafeMutableRawPointer] = []
    /// Whether the reader is waiting or has not started yet.
    private var isWaiting = true
    private var isParked = false
    private var isHeld = false
    private var hasEnded = false
    /// How many times the reader has found the queue empty: now, and at the last check.
    private var emptied = 0
    private var seen = 0
    private var waits = 0
    /// The number of readings since the reader last found the queue empty or was found to be behind.
    private var readings = 0

    /// Creates the backpressure for the reader of a socket.
    ///
    /// - Parameters:
    ///   - context: The context of the socket. No other socket may use it.
    ///   - ioThreads: The number of libzmq threads of the context.
    ///   - takeOver: Moves the waiting messages out of the socket, and returns whether there is room for more. Called while nothing
    ///     else uses the socket.
    init(in context: ZMQContext, ioThreads: Int, takeOver: @escaping () -> Bool) throws {
        self.context = context
        self.ioThreads = max(1, ioThreads)
        self.takeOver = takeOver
        (gate, wake, ended) = (try WakePipe(), try WakePipe(), try WakePipe())
        gate.signal()
        refill()
    }

    /// Starts the watch. Call ``end()`` to end it.
    func start() { startThread { self.watch() } }

    /// Releases the stopped threads and ends the watch.
    func end() {
        lock.withLock { _ in
            hasEnded = true
            gate.signal()
        }
        wake.signal()
        ended.wait()
    }

    // MARK: The reader

    /// Uses the socket. Nothing else uses it during the call.
    func reading<Result, E: Error>(_ body: () throws(E) -> sending Result) throws(E) -> sending Result {
        try lock.withLock { _ throws(E) in
            if isWaiting { endWaiting() }
            if isDue.exchange(false, ordering: .relaxed) { look() }
            readings += 1
            if readings == Self.mostReadings { stop() }
            return try body()
        }
    }

    /// Records, during a reading, that the queue is empty.
    func foundNothing() {
        emptied &+= 1
        readings = 0
        release()
    }

    /// Records that the reader waits until its next reading. Until then, it has the socket to itself.
    func beginWaiting() {
        lock.withLock { _ in
            isWaiting = true
            release()
        }
    }

    private func endWaiting() {
        isWaiting = false
        emptied &+= 1
        waits = 0
        if isParked {
            isParked = false
            wake.signal()
        }
    }

    // MARK: The watch

    private func watch() {
        var isParked = false
        while true {
            let isSignaled = wake.wait(forMs: isParked ? -1 : Self.intervalMs)
            isParked = false
            let outcome = lock.withLockIfAvailable { _ -> Bool in
                if hasEnded { return true }
                if !isSignaled { look() }
                isParked = waits >= Self.longestWait
                self.isParked = isParked
                return false
            }
            switch outcome {
            case nil: isDue.store(true, ordering: .relaxed)
            case true?:
                for spare in spares { zmq_close(spare) }
                spares = []
                return ended.signal()
            case false?: break
            }
        }
    }

    /// Checks the reader: stops incoming messages when the reader is behind and there is no more room.
    private func look() {
        guard !isWaiting else { return waits += 1 }
        guard emptied == seen else { return seen = emptied }
        stop()
    }

    private func stop() {
        readings = 0
        if !isHeld, !takeOver() { hold() }
    }

    private func hold() {
        refill()
        guard spares.count == ioThreads else { return }
        isHeld = true
        gate.drain()
        for spare in spares {
            let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
            defer { message.deallocate() }
            let gate = Unmanaged.passRetained(gate)
            zmq_msg_init_data(
                message, Self.nothing.pointer, 1,
                { _, gate in
                    guard let gate else { return }
                    Unmanaged<WakePipe>.fromOpaque(gate).takeRetainedValue().pass()
                }, gate.toOpaque())
            if zmq_msg_send(message, spare, ZMQ_DONTWAIT) < 0 {
                // Closing the message would otherwise block this thread.
                release()
                zmq_msg_close(message)
            }
            zmq_close(spare)
        }
        spares = []
    }

    private func release() {
        guard isHeld else { return }
        isHeld = false
        gate.signal()
    }

    private func refill() {
        while spares.count < ioThreads, let spare = zmq_socket(context.pointer, ZMQ_PUSH) {
            var zero: Int32 = 0
            zmq_setsockopt(spare, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
            var thread = UInt64(1) << UInt64(spares.count)
            zmq_setsockopt(spare, ZMQ_AFFINITY, &thread, MemoryLayout<UInt64>.size)
            // Nothing can ever listen at this address.
            guard zmq_connect(spare, "ipc:///dev/null/nowhere") == 0 else {
                zmq_close(spare)
                return
            }
            spares.append(spare)
        }
    }

    /// The memory of the messages that stop a thread.
    private static let nothing = Nothing()

    private final class Nothing: @unchecked Sendable {
        let pointer = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        deinit { pointer.deallocate() }
    }
}
