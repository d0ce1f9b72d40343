import CZMQ
import Pipeline
import Synchronization

/// Applies backpressure to the peers of a socket while its reader is behind, by stopping the libzmq threads that move the bytes.
///
/// libzmq has its own mechanism: a bounded queue (`ZMQ_RCVHWM`), and connections that stop reading when the queue is full. But a
/// defect of libzmq (4.3.4, still present in 4.3.5) lets a peer crash a process that uses this mechanism: the peer fills the queue,
/// sends a heartbeat and resets the connection. When the queue is read again, libzmq answers the heartbeat on a connection that it
/// has already given up, and an assertion fails. For this reason, the libzmq queue of a socket that receives is unbounded, and no
/// single connection ever stops reading. Instead, all connections of the context stop together: their threads stop between two
/// tasks, and learn what happened to their peers when they continue.
///
/// To stop a thread, this type gives libzmq a message whose memory that thread has to free. The function that frees the memory
/// returns only when the reader is no longer behind. The message is sent through a socket without a peer, which is closed
/// immediately.
///
/// The reader is behind when it has not found the queue empty for a whole interval, or in many consecutive readings. In that case,
/// the waiting messages move from libzmq's queue to a bounded queue (``WaitingMessages``). When the bounded queue is full, the
/// threads stop. So libzmq's queue contains at most the messages that libzmq receives within two intervals.
// `@unchecked Sendable`: the reader and the watch use the state and the socket only while they hold the lock.
final class Backpressure: @unchecked Sendable {
    /// The time between two checks of the reader, in milliseconds.
    private static let intervalMs = 10
    /// The number of consecutive checks that find the reader waiting, after which the watch sleeps until the reader continues.
    private static let longestWait = 50

    /// The number of consecutive readings that did not empty the queue, after which the reader counts as behind, however short the
    /// readings were. This limit keeps the waiting messages small enough for the CPU caches.
    private static let mostReadings = 32

    private let context: ZMQContext
    private let ioThreads: Int
    private let lock = Lock(())
    /// Signaled while the libzmq threads may run. A stopped thread waits for this signal.
    private let gate: WakePipe
    /// Wakes the watch.
    private let wake: WakePipe
    /// Signaled when the watch has ended.
    private let ended: WakePipe
    /// Whether the reader must check at its next reading, because it held the lock when the watch tried to check.
    private let isDue = Atomic<Bool>(false)

    /// Moves the waiting messages out of the socket. Returns whether there is room for more.
    private let takeOver: () -> Bool
    /// Sockets without a peer, one for each libzmq thread. They are created in advance, so that the threads can be stopped at once.
    private var spares: [UnsafeMutableRawPointer] = []
    /// Whether the reader is waiting or has not started yet.
    private var isWaiting = true
    /// Whether the watch sleeps until the reader continues.
    private var isParked = false
    /// Whether the libzmq threads are stopped.
    private var isHeld = false
    private var hasEnded = false
    /// How many times the reader has found the queue empty so far.
    private var emptied = 0
    /// The value of `emptied` at the last check.
    private var seen = 0
    /// The number of consecutive checks that found the reader waiting.
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

    /// Calls a closure that uses the socket. Nothing else uses the socket during the call.
    func reading<Result, E: Error>(_ body: () throws(E) -> sending Result) throws(E) -> sending Result {
        try lock.withLock { _ throws(E) in
            if isWaiting { endWaiting() }
            if isDue.exchange(false, ordering: .relaxed) { look() }
            readings += 1
            if readings == Self.mostReadings { stop() }
            return try body()
        }
    }

    /// Records that the queue is empty. Call this method only within ``reading(_:)``.
    func foundNothing() {
        emptied &+= 1
        readings = 0
        release()
    }

    /// Records that the reader waits until its next call of ``reading(_:)``. Until then, the watch does not use the socket.
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

    /// Checks whether the reader is behind, and applies backpressure if so.
    private func look() {
        guard !isWaiting else { return waits += 1 }
        guard emptied == seen else { return seen = emptied }
        stop()
    }

    /// Moves the waiting messages from libzmq's queue to the bounded queue and, if that one is full, stops the libzmq threads.
    private func stop() {
        readings = 0
        if !isHeld, !takeOver() { hold() }
    }

    /// Stops the libzmq threads.
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
                // Closing the message frees its memory, which would block this thread while the gate is closed.
                release()
                zmq_msg_close(message)
            }
            zmq_close(spare)
        }
        spares = []
    }

    /// Lets stopped libzmq threads continue.
    private func release() {
        guard isHeld else { return }
        isHeld = false
        gate.signal()
    }

    /// Creates the missing spare sockets, one for each libzmq thread.
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

    // Nobody reads or writes the memory.
    private final class Nothing: @unchecked Sendable {
        let pointer = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        deinit { pointer.deallocate() }
    }
}
