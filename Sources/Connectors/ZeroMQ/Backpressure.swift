import CZMQ
import Pipeline
import Synchronization

/// Lets peers wait (backpressure of TCP) while the reader of a socket is behind, by stopping the threads that move its bytes.
///
/// libzmq has a way of its own: a bounded queue (`ZMQ_RCVHWM`), behind which a connection stops to read. But a peer can then end
/// the process, by a defect of libzmq (4.3.4; 4.3.5 has it still): it fills the queue, sends a heartbeat and resets the
/// connection. When the queue is read again, libzmq answers the heartbeat by a connection that it has given up, and an assertion
/// fails. So the queue of a socket that is read has no bound, and no connection ever stops by itself: where it has to, all of the
/// context stop, between two things that their thread does, and notice what has become of their peers when they go on.
///
/// A thread of libzmq is stopped by a message whose memory it has to give back: the function that does so returns when the
/// reader is no longer behind. It is the message of a socket that goes nowhere and is closed at once.
///
/// The reader is behind when it has not found the queue empty for a whole interval, or in many readings in a row. What waits is then taken over by a queue of
/// ours, which is counted, and when that is full the threads stop. So what waits beside is what libzmq takes in within two intervals.
// The reader and the watch use what is here, and the socket, under the lock.
final class Backpressure: @unchecked Sendable {
    /// How often to look after the reader, in milliseconds, and after how many looks at one that waits to stop that.
    private static let intervalMs = 10
    private static let longestWait = 50

    /// After how many readings in a row that leave something the reader is behind, however short they were: what waits should not
    /// outgrow the caches.
    private static let mostReadings = 32

    private let context: ZMQContext
    private let ioThreads: Int
    private let lock = Lock(())
    private let gate: WakePipe
    private let wake: WakePipe
    private let ended: WakePipe
    /// Whether the reader should look after itself: it was busy when the watch wanted to.
    private let isDue = Atomic<Bool>(false)

    /// Takes over what waits in the socket; says whether there is room for more.
    private let takeOver: () -> Bool
    /// Sockets that go nowhere, one for each thread of libzmq: made in advance, for when there is no room for more.
    private var spares: [UnsafeMutableRawPointer] = []
    /// Whether the reader waits, or has not begun yet.
    private var isWaiting = true
    private var isParked = false
    private var isHeld = false
    private var hasEnded = false
    /// How often the reader has found nothing, now and when that was looked at last.
    private var emptied = 0
    private var seen = 0
    private var waits = 0
    /// How often the reader has read since it found nothing, or was found to be behind.
    private var readings = 0

    /// Looks after the reader of a socket from now on.
    ///
    /// - Parameters:
    ///   - context: The socket's, which no other socket uses.
    ///   - takeOver: Takes over what waits in the socket; says whether there is room for more. Called while nobody else uses the socket.
    init(in context: ZMQContext, ioThreads: Int, takeOver: @escaping () -> Bool) throws {
        self.context = context
        self.ioThreads = max(1, ioThreads)
        self.takeOver = takeOver
        (gate, wake, ended) = (try WakePipe(), try WakePipe(), try WakePipe())
        gate.signal()
        refill()
    }

    /// Starts the watch. Follow with ``end()``.
    func start() { startThread { self.watch() } }

    /// Lets everything move and ends the watch.
    func end() {
        lock.withLock { _ in
            hasEnded = true
            gate.signal()
        }
        wake.signal()
        ended.wait()
    }

    // MARK: The reader

    /// Uses the socket: nobody else does meanwhile.
    func reading<Result, E: Error>(_ body: () throws(E) -> sending Result) throws(E) -> sending Result {
        try lock.withLock { _ throws(E) in
            if isWaiting { endWaiting() }
            if isDue.exchange(false, ordering: .relaxed) { look() }
            readings += 1
            if readings == Self.mostReadings { stop() }
            return try body()
        }
    }

    /// Notes, while reading, that nothing is left.
    func foundNothing() {
        emptied &+= 1
        readings = 0
        release()
    }

    /// The reader waits from now on until it reads again, and has the socket to itself.
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

    /// Stops what comes when the reader is behind and there is no more room.
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
                // It would stop this thread.
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
            // Nobody can ever listen there.
            guard zmq_connect(spare, "ipc:///dev/null/nowhere") == 0 else {
                zmq_close(spare)
                return
            }
            spares.append(spare)
        }
    }

    /// What messages hold that hold nothing.
    private static let nothing = Nothing()

    private final class Nothing: @unchecked Sendable {
        let pointer = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        deinit { pointer.deallocate() }
    }
}
