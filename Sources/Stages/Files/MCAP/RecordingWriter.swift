import MCAP
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sink behind ``FileSink`` where it writes MCAP, for one payload type.
///
/// Each stream has a channel. The log time of a message is when its frame came, its publish time the frame's timestamp. A chunk is
/// written when it is full or a second old: who kills the program takes away no more than that.
struct RecordingWriter<P: WireEncodable>: Sink {
    typealias Input = P

    private let options: FileSink.Options
    private let receipt: CanonicalEncoder.Receipt
    private let encoder: CanonicalEncoder
    private var text = TextBuffer()
    private var writer: SharedWriter?
    private var clock: (any RunClock)?
    /// What is added to the run's clock to have the time of day, in nanoseconds; 0 where time is simulated.
    private var clockOffset: Int64 = 0
    private var channels = RecentStreams<UInt16>()
    private var last: (stream: StreamID, channel: UInt16)?
    private var channelCount = 0

    init(_ options: FileSink.Options, receipt: CanonicalEncoder.Receipt) {
        self.options = options
        self.receipt = receipt
        encoder = CanonicalEncoder(receipt: receipt)
    }

    mutating func open(_ context: SinkContext) async throws {
        let file = OutputOpening(path: options.path.path, ifExists: options.ifExists)
        guard let descriptor = try await file.descriptor(context) else { return }
        clock = context.clock
        let isReal = context.clock is SystemClock
        if isReal { clockOffset = timeOfDay() - context.clock.now }
        var settings = WriterOptions()
        settings.library = "pipeline"
        settings.compression = options.compression.ofChunks
        settings.selfContainedChunks = true
        do throws(MCAPError) {
            let writer = try Writer(FileOutput(descriptor: descriptor), settings)
            try writer.add(FrameSchema.schema(of: P.kind.rawValue, keys: P.wireKeys, id: 1))
            if isReal, receipt == .ofRun {
                // What turns the times of receipt in the messages into times of the day.
                try writer.add(
                    Metadata(name: "pipeline.clock", values: [StringPair("recv_us_offset", "\(clockOffset / 1000)")]))
            }
            self.writer = SharedWriter(writer, flushesByItself: isReal)
        } catch {
            throw error.writing(options.path.path)
        }
    }

    var unwritten: Int { writer?.unwritten ?? 0 }

    mutating func write(_ frame: Frame<P>) throws {
        guard let writer else { throw Refusal("no_peer") }
        let channel = try channel(of: frame.stream, writer)
        text.clear()
        try encoder.encode(frame, into: &text)
        let publishTime = UInt64(clamping: frame.timestamp.rawValue).multipliedSaturated(by: 1000)
        let arrival =
            receipt == .ofRun && frame.arrival > 0
            ? UInt64(clamping: frame.arrival.addingSaturated(clockOffset))
            : frame.origin?.receivedAt.map { UInt64(clamping: $0).multipliedSaturated(by: 1000) } ?? publishTime
        do {
            try text.withBytes { bytes in
                try writer.write(
                    channel, sequence: UInt32(truncatingIfNeeded: frame.sequence), logTime: arrival,
                    publishTime: publishTime, bytes, now: clock?.now ?? 0)
            }
        } catch let error as MCAPError {
            throw error.writing(options.path.path)
        }
    }

    private mutating func channel(of stream: StreamID, _ writer: SharedWriter) throws -> UInt16 {
        if let last, last.stream == stream { return last.channel }
        var channel: UInt16?
        if let known = channels.change(stream, { $0 }) { channel = known }
        if channel == nil {
            // Numbers are 16 bits; of more streams the rest is refused and counted.
            guard channelCount < Int(UInt16.max) else { throw Refusal("too_many_streams") }
            let new = UInt16(channelCount)
            do throws(MCAPError) {
                try writer.add(Channel(id: new, schemaID: 1, topic: stream.name, messageEncoding: "json"))
            } catch {
                throw error.writing(options.path.path)
            }
            channelCount += 1
            channels.update(stream, new)
            channel = new
        }
        last = (stream, channel ?? 0)
        return channel ?? 0
    }

    mutating func flush() throws {
        do throws(MCAPError) { try writer?.flushIfOld(now: clock?.now ?? 0) } catch {
            throw error.writing(options.path.path)
        }
    }

    mutating func discard() { writer?.discard() }

    mutating func close() async throws {
        defer { writer = nil }
        do throws(MCAPError) { try writer?.finish() } catch { throw error.writing(options.path.path) }
    }

    /// Nanoseconds since 1970.
    private func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension MCAPError {
    /// The error of a file that was to be written.
    func writing(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).writing(path) }
        return .environment("file.unwritable", "\(path) cannot be written: \(message)")
    }
}
