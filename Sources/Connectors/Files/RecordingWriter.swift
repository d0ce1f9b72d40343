import MCAP
import Pipeline
import PipelineComponents
import Stages

/// The implementation of ``FileSink`` for MCAP, for one payload type.
///
/// Each stream has a channel, and a second one for its scenes if scenes are enabled. The log time of a message is the frame's
/// arrival time, and its publish time is the frame's timestamp. A chunk is written when it is full, and at the latest after a
/// second, so that a killed program loses at most the messages of the last second.
struct RecordingWriter<P: WireEncodable>: FileWriting {
    typealias Input = P

    private let options: FileSink.Options
    private let receipt: CanonicalEncoder.Receipt
    private let encoder: CanonicalEncoder
    private var text = TextBuffer()
    /// The converter of frames into scenes; `nil` if scenes are disabled.
    private var scene: Scene?
    private var sceneText = TextBuffer()
    private var writer: SharedWriter?
    /// The number of frames that were lost when the last file was closed and that the engine has not counted yet.
    private var lost = 0
    private var context: SinkContext?
    private var stamps: MessageTimes?
    /// The path of the current file.
    private var path = ""
    /// The time at which the current file was started, in nanoseconds of the run's clock.
    private var began: Int64 = 0
    /// The numbers of the channels of all streams in the current file: at most 65,535.
    private var channels: [StreamID: UInt16] = [:]
    private var last: (stream: StreamID, channel: UInt16)?
    /// The number of channels in the current file, including those of scenes.
    private var channelCount = 0

    /// The ID of the schema of scenes.
    private static var sceneSchema: UInt16 { 2 }

    /// Creates a writer.
    ///
    /// - Parameter yGrows: The direction in which y grows in the frames.
    init(_ options: FileSink.Options, receipt: CanonicalEncoder.Receipt, yGrows: VerticalDirection = .down) {
        self.options = options
        self.receipt = receipt
        encoder = CanonicalEncoder(receipt: receipt)
        scene = options.scene && P.self is any ScenePayload.Type ? Scene(yGrows: yGrows) : nil
    }

    mutating func open(_ context: SinkContext) async throws {
        guard let descriptor = try await opening().descriptor(context) else { return }
        try begin(descriptor, context)
    }

    mutating func openAtOnce(_ context: SinkContext) throws {
        try begin(opening().descriptorAtOnce(), context)
    }

    /// Returns the path and mode with which to open the first file.
    private mutating func opening() -> OutputOpening {
        path = options.split?.next(of: options.path.path) ?? options.path.path
        return opening(of: path)
    }

    private func opening(of path: String) -> OutputOpening {
        OutputOpening(path: path, ifExists: options.ifExists, existingHelp: options.existingHelp)
    }

    private mutating func begin(_ descriptor: Int32, _ context: SinkContext) throws {
        self.context = context
        let stamps = MessageTimes(receipt, context.clock)
        self.stamps = stamps
        try begin(descriptor, stamps, context)
    }

    /// Starts a file that was opened, and writes its schemas and metadata.
    private mutating func begin(_ descriptor: Int32, _ stamps: MessageTimes, _ context: SinkContext) throws {
        options.split?.start(path)
        do throws(MCAPError) {
            let writer = try Writer(
                FileOutput(descriptor: descriptor), .recording(options.compression.ofChunks))
            try writer.add(FrameSchema.schema(of: P.self, id: 1))
            if scene != nil { try writer.add(SceneSchema.schema(id: Self.sceneSchema)) }
            if let metadata = stamps.metadata { try writer.add(metadata) }
            if let metadata = context.recordedRun { try writer.add(metadata) }
            self.writer = SharedWriter(writer, flushesByItself: context.clock is SystemClock)
        } catch {
            throw error.writing(path)
        }
        began = context.clock.now
        (channels, last, channelCount) = ([:], nil, 0)
    }

    /// Starts the next file if the current one is large or old enough.
    private mutating func splitIfDue(_ writer: SharedWriter) throws {
        guard let split = options.split, let stamps, let context,
            split.isOver(writer.size, context.clock.now.subtractingSaturated(began))
        else { return }
        do throws(MCAPError) { try writer.finish() } catch { throw error.writing(path) }
        let next = split.next(of: options.path.path)
        let descriptor = try opening(of: next).descriptorAtOnce()
        path = next
        try begin(descriptor, stamps, context)
    }

    var unwritten: Int { lost + (writer?.unwritten ?? 0) }

    mutating func write(_ frame: Frame<P>) throws {
        if let writer, options.split != nil { try splitIfDue(writer) }
        guard let writer, let stamps else { throw Refusal("no_peer") }
        let channel = try channel(of: frame.stream, writer)
        text.clear()
        try encoder.encode(frame, into: &text)
        let times = stamps.times(of: frame)
        sceneText.clear()
        scene?.write(frame, at: times.publish, into: &sceneText)
        do {
            try text.withBytes { bytes in
                try sceneText.withBytes { picture in
                    try writer.write(
                        channel, sequence: UInt32(truncatingIfNeeded: frame.sequence), logTime: times.log,
                        publishTime: times.publish, bytes,
                        companion: scene == nil ? nil : (channel + 1, picture), now: context?.clock.now ?? 0)
                }
            }
        } catch let error as MCAPError {
            throw error.writing(path)
        }
    }

    /// Returns the number of a stream's channel, and opens the channel if needed. The channel of the stream's scenes has the next
    /// number.
    private mutating func channel(of stream: StreamID, _ writer: SharedWriter) throws -> UInt16 {
        if let last, last.stream == stream { return last.channel }
        var channel = channels[stream]
        if channel == nil {
            // Channel numbers have 16 bits. Frames of further streams are refused, and counted as dropped.
            let wanted = scene == nil ? 1 : 2
            guard channelCount + wanted <= Int(UInt16.max) else { throw Refusal("too_many_streams") }
            let new = UInt16(channelCount)
            do throws(MCAPError) {
                try writer.add(
                    Channel(
                        id: new, schemaID: 1, topic: stream.name, messageEncoding: "json",
                        metadata: context?.recordedSources ?? []))
                if scene != nil {
                    try writer.add(RecordedScenes.channel(id: new + 1, schema: Self.sceneSchema, of: stream.name))
                }
            } catch {
                throw error.writing(path)
            }
            channelCount += wanted
            channels[stream] = new
            channel = new
        }
        last = (stream, channel ?? 0)
        return channel ?? 0
    }

    mutating func flush() throws {
        do throws(MCAPError) { try writer?.flushIfOld(now: context?.clock.now ?? 0) } catch {
            throw error.writing(path)
        }
    }

    mutating func drain() throws {
        do throws(MCAPError) { try writer?.flush() } catch { throw error.writing(path) }
    }

    mutating func discard() {
        lost = 0
        writer?.discard()
    }

    mutating func close() async throws { try closeAtOnce() }

    mutating func closeAtOnce() throws {
        defer { (lost, writer) = (unwritten, nil) }
        do throws(MCAPError) { try writer?.finish() } catch { throw error.writing(path) }
    }
}
