import MCAP
import Pipeline
import Synchronization

/// A writer that one thread gives messages, while another writes them out when nothing more comes.
final class SharedWriter: Sendable {
    private struct State {
        let writer: Writer
        /// When the oldest message that is in memory came, in nanoseconds of the run's clock.
        var oldest: Int64?
        /// What the other thread could not do.
        var error: MCAPError?
        /// How many lost messages the engine has counted.
        var told: UInt64 = 0
        var isOver = false
    }

    private let state: Lock<State>
    /// How long a message stays in memory, and how often this is looked at, in nanoseconds.
    private static let age: Int64 = 500_000_000
    private static let interval: Int64 = 200_000_000

    /// - Parameter flushesByItself: Whether messages are written out when the time has come though nobody calls. On a clock of
    ///   simulated time they are written out by calls only.
    init(_ writer: sending Writer, flushesByItself: Bool) {
        state = Lock(State(writer: writer))
        guard flushesByItself else { return }
        // A chunk a second, at most, into a file: the task keeps its thread for no longer than a sink's write.
        Task.detached { [weak self] in
            let clock = SystemClock()
            while let self, self.flushQuietly(now: clock.now) {
                try? await clock.sleep(until: clock.now + Self.interval)
            }
        }
    }

    /// How many messages are in memory, or lost and not yet counted.
    var unwritten: Int {
        state.withLock { Int(clamping: $0.writer.pendingMessages + $0.writer.lostMessages - $0.told) }
    }

    /// How large the file is, with what is in memory.
    var size: UInt64 { state.withLock { $0.writer.bytesWritten + UInt64($0.writer.pendingBytes) } }

    func add(_ schema: Schema) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in try state.writer.add(schema) }
    }

    func add(_ channel: Channel) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in try state.writer.add(channel) }
    }

    func add(_ attachment: Attachment) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in try state.writer.add(attachment) }
    }

    func add(_ metadata: Metadata) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in try state.writer.add(metadata) }
    }

    /// Writes a message.
    func write(
        _ channel: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64, _ data: UnsafeRawBufferPointer,
        now: Int64
    ) throws(MCAPError) {
        let data = SendableBytes(data)
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            if state.oldest == nil { state.oldest = now }
            let lost = state.writer.lostMessages
            do throws(MCAPError) {
                try state.writer.write(
                    channel: channel, sequence: sequence, logTime: logTime, publishTime: publishTime, data: data.bytes)
            } catch {
                // This message is lost with the others, and the error tells of it.
                if state.writer.lostMessages > lost { state.told += 1 }
                throw error
            }
            if state.writer.pendingMessages == 0 { state.oldest = nil }
        }
    }

    /// Writes out what has been in memory for long enough.
    func flushIfOld(now: Int64) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            guard let oldest = state.oldest, now - oldest >= Self.age else { return }
            state.oldest = nil
            try state.writer.flush()
        }
    }

    private func flushQuietly(now: Int64) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            guard let oldest = state.oldest, now - oldest >= Self.age else { return true }
            state.oldest = nil
            do throws(MCAPError) { try state.writer.flush() } catch { state.error = error }
            return true
        }
    }

    /// Forgets what is in memory: it has been counted.
    func discard() {
        state.withLock {
            $0.writer.discard()
            $0.oldest = nil
            $0.told = $0.writer.lostMessages
        }
    }

    /// Writes the end of the file.
    func finish() throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            state.isOver = true
            try state.writer.finish()
        }
    }
}

/// Bytes that are lent for the time of a call.
// The caller waits until the call is over, and nobody keeps them.
private struct SendableBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }
}
