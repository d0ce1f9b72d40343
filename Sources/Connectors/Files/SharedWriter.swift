import MCAP
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A writer that one thread gives messages, while another writes them out when nothing more comes.
final class SharedWriter: Sendable {
    private struct State {
        let writer: Writer
        /// When the oldest message that is in memory came, in nanoseconds of the run's clock.
        var oldest: Int64?
        /// What the other thread could not do.
        var error: MCAPError?
        /// How many frames are in memory. What goes with a frame is none.
        var pending = 0
        /// How many frames are lost, and not yet counted by the engine.
        var lost = 0
        var isOver = false

        /// Does something to the writer, and notes what became of the frames in memory.
        mutating func change(_ body: (Writer) throws(MCAPError) -> Void) throws(MCAPError) {
            let before = writer.lostMessages
            defer {
                if writer.lostMessages > before { lost += pending }
                if writer.pendingMessages == 0 { (pending, oldest) = (0, nil) }
            }
            try body(writer)
        }

        /// Writes what is in memory.
        mutating func flush() throws(MCAPError) {
            try change { (writer) throws(MCAPError) in try writer.flush() }
        }
    }

    private let state: Lock<State>
    /// How long a message stays in memory, in nanoseconds.
    private static let age: Int64 = 500_000_000
    /// How often this is looked at, in microseconds.
    private static let interval: UInt32 = 200_000

    /// - Parameter flushesByItself: Whether messages are written out when the time has come though nobody calls. On a clock of
    ///   simulated time they are written out by calls only.
    init(_ writer: sending Writer, flushesByItself: Bool) {
        state = Lock(State(writer: writer))
        guard flushesByItself else { return }
        // On a thread of its own: a write may wait for the reader of a pipe, and no task may block.
        startThread { [weak self] in
            let clock = SystemClock()
            while true {
                usleep(Self.interval)
                guard let self, self.flushQuietly(now: clock.now) else { return }
            }
        }
    }

    /// How many frames are in memory, or lost and not yet counted.
    var unwritten: Int { state.withLock { $0.pending + $0.lost } }

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

    /// Writes the message of a frame.
    ///
    /// - Parameter companion: The channel and the data of a message that goes with it.
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
                // One after the other: a chunk may end between them, and the frame is written then.
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
                // This frame is lost with the others, and the error tells of it.
                if state.lost > lost { state.lost -= 1 } else if state.pending > 0 { state.pending -= 1 }
                throw error
            }
        }
    }

    /// Writes out what has been in memory for long enough.
    func flushIfOld(now: Int64) throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            if let error = state.error.take() { throw error }
            guard let oldest = state.oldest, now - oldest >= Self.age else { return }
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

    /// Forgets what is in memory: it has been counted.
    func discard() {
        state.withLock {
            $0.writer.discard()
            ($0.oldest, $0.pending, $0.lost) = (nil, 0, 0)
        }
    }

    /// Writes the end of the file.
    func finish() throws(MCAPError) {
        try state.withLock { (state) throws(MCAPError) in
            state.isOver = true
            try state.change { (writer) throws(MCAPError) in try writer.finish() }
        }
    }
}

extension WriterOptions {
    /// How all recordings are written.
    static func recording(_ compression: Compression = WriterOptions().compression) -> WriterOptions {
        var options = WriterOptions()
        options.library = "pipeline"
        options.compression = compression
        options.selfContainedChunks = true
        return options
    }
}

/// A message whose bytes are lent for the time of a call.
// The caller waits until the call is over, and nobody keeps them.
private struct LentMessage: @unchecked Sendable {
    let channel: UInt16
    let bytes: UnsafeRawBufferPointer

    init(_ channel: UInt16, _ bytes: UnsafeRawBufferPointer) { (self.channel, self.bytes) = (channel, bytes) }
}
