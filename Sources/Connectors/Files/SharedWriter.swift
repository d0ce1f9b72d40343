import MCAP
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread-safe MCAP writer. Messages wait in memory until a chunk is full. If messages have waited too long, a background thread
/// writes them to the file.
final class SharedWriter: Sendable {
    private struct State {
        let writer: Writer
        /// The time at which the oldest message in memory arrived, in nanoseconds of the run's clock.
        var oldest: Int64?
        /// An error of the background thread. The next call of `write`, `flush`, `flushIfOld` or `finish` throws it.
        var error: MCAPError?
        /// The number of frames in memory. Companion messages do not count.
        var pending = 0
        /// The number of lost frames that the engine has not counted yet.
        var lost = 0
        var isOver = false

        /// Performs an operation on the writer, and updates the numbers of pending and lost frames.
        mutating func change(_ body: (Writer) throws(MCAPError) -> Void) throws(MCAPError) {
            let before = writer.lostMessages
            defer {
                if writer.lostMessages > before { lost += pending }
                if writer.pendingMessages == 0 { (pending, oldest) = (0, nil) }
            }
            try body(writer)
        }

        /// Writes the messages in memory to the file.
        mutating func flush() throws(MCAPError) {
            try change { (writer) throws(MCAPError) in try writer.flush() }
        }
    }

    private let state: Lock<State>
    /// The age at which a message in memory is written to the file, in nanoseconds.
    private static let age: Int64 = 500_000_000
    /// The interval at which the background thread checks the age of the oldest message, in microseconds.
    private static let interval: UInt32 = 200_000

    /// Creates a shared writer.
    ///
    /// - Parameter flushesByItself: Whether a background thread writes old messages to the file. In simulated time, only calls of
    ///   the writer's methods do.
    init(_ writer: sending Writer, flushesByItself: Bool) {
        state = Lock(State(writer: writer))
        guard flushesByItself else { return }
        // Uses a dedicated thread, because a write may wait for the reader of a pipe, and tasks must not block.
        startThread { [weak self] in
            let clock = SystemClock()
            while true {
                usleep(Self.interval)
                guard let self, self.flushQuietly(now: clock.now) else { return }
            }
        }
    }

    /// The number of frames that are in memory, or that are lost and not counted yet.
    var unwritten: Int { state.withLock { $0.pending + $0.lost } }

    /// The size of the file including the messages in memory, in bytes.
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

    /// Writes the message of a frame.
    ///
    /// - Parameter companion: The channel and the data of a second message that belongs to the frame.
    func write(
        _ channel: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64, _ data: UnsafeRawBufferPointer,
        companion: (channel: UInt16, data: UnsafeRawBufferPointer)? = nil, now: Int64
    ) throws(MCAPError) {
        let (message, other) = (LentMessage(channel, data), companion.map { LentMessage($0.channel, $0.data) })
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            if state.oldest == nil { state.oldest = now }
            state.pending += 1
            let lost = state.lost
            do throws(MCAPError) {
                // Each message has its own call of `change`. If a chunk ends between the two messages, the first call finds that
                // the frame is written.
                try state.change { (writer) throws(MCAPError) in
                    try writer.write(
                        channel: message.channel, sequence: sequence, logTime: logTime, publishTime: publishTime,
                        data: message.bytes)
                }
                guard let other else { return }
                try state.change { (writer) throws(MCAPError) in
                    try writer.write(
                        channel: other.channel, sequence: sequence, logTime: logTime, publishTime: publishTime,
                        data: other.bytes)
                }
            } catch {
                // This frame is lost with the others, but the thrown error already accounts for it.
                if state.lost > lost { state.lost -= 1 } else if state.pending > 0 { state.pending -= 1 }
                throw error
            }
        }
    }

    /// Writes the messages in memory to the file if the oldest one has waited long enough. Also throws the last error of the
    /// background thread.
    func flushIfOld(now: Int64) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            guard let oldest = state.oldest, now - oldest >= Self.age else { return }
            try state.flush()
        }
    }

    /// Writes the messages in memory to the file. Also throws the last error of the background thread.
    func flush() throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            try state.flush()
        }
    }

    private func flushQuietly(now: Int64) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            guard let oldest = state.oldest, now - oldest >= Self.age else { return true }
            do throws(MCAPError) { try state.flush() } catch { state.error = error }
            return true
        }
    }

    /// Discards the messages in memory. The engine has already counted them as failed or dropped.
    func discard() {
        state.withLock {
            $0.writer.discard()
            ($0.oldest, $0.pending, $0.lost) = (nil, 0, 0)
        }
    }

    /// Writes the end of the file. Also throws the last error of the background thread. If the end could not be written, a later
    /// call tries it again.
    func finish() throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            let error = state.error.take()
            try state.change { (writer) throws(MCAPError) in try writer.finish() }
            state.isOver = true
            if let error { throw error }
        }
    }
}

extension WriterOptions {
    /// Returns the options that all recordings use.
    static func recording(_ compression: Compression = WriterOptions().compression) -> WriterOptions {
        var options = WriterOptions()
        options.library = "pipeline"
        options.compression = compression
        options.selfContainedChunks = true
        return options
    }
}

/// A message whose bytes are valid only during a call.
// `@unchecked Sendable`: the call uses the bytes only until it returns, and does not keep them.
private struct LentMessage: @unchecked Sendable {
    let channel: UInt16
    let bytes: UnsafeRawBufferPointer

    init(_ channel: UInt16, _ bytes: UnsafeRawBufferPointer) { (self.channel, self.bytes) = (channel, bytes) }
}
