import MCAP
import Pipeline

/// A decoder of the messages in an MCAP file. It reads them in the order of log times if the file has an index, or else in the
/// order of the file.
///
/// A channel is a stream that is named after its topic. Messages are JSON or MessagePack, in canonical form or as `decode`
/// describes. A message without a timestamp gets its publish time. If a file is cut off, all whole chunks are read, and a warning
/// reports where the data ends.
///
/// From the recording of a whole run, only the frames of the sources are read. If no source has frames of this kind, the frames of
/// the first sink that received such frames are read: the results. The replay of a run also reads the frames of asynchronous stages.
// `@unchecked Sendable`: one source owns the decoder and calls it from one thread at a time.
final class MCAPFrames<P: WirePayload>: @unchecked Sendable {
    /// The settings of a reader.
    struct Settings {
        /// The names of the file in frames and errors, and whether frames carry the number of their message.
        var origins: FileOrigins
        var decode: DecodeOptions
        var defaultStream: StreamID
        var landmarks: LandmarkTraits
        /// Whether to read the frames of a channel.
        var isWanted: (Channel) -> Bool
        /// Whether to read the frames of asynchronous stages, too, in the recording of a run.
        var readsAnswers = false
        var log: Log
        /// Finds out which paths of `decode` lead to nothing.
        var watch: PathWatch?
        /// Counts the files that are cut off, as ``Counts/cutOff``.
        var counts = Counts()
    }

    /// How the messages of a channel are handled.
    private enum Treatment {
        case decoded(StreamID, isBinary: Bool)
        case refused(StreamID, PipelineError)
        case skipped
    }

    private let settings: Settings
    /// The sink whose frames are read, in the recording of a run whose sources have no frames of this kind.
    private var sink: String?
    private let size: UInt64?
    /// The cursor of an indexed file. It is mutated in place, because a copy would copy its contents for every message.
    private var indexed: MessageCursor?
    /// The number of messages according to the index.
    private var total: UInt64 = 0
    /// The reader of a file without an index.
    private var recovering: RecoveringReader?
    private var json: MessageDecoder<P>
    private var packed: MessageDecoder<P>
    private var treatments: [UInt16: Treatment] = [:]
    private var last: (id: UInt16, treatment: Treatment)?
    /// A copy of the message that is being decoded, followed by the padding that the parsers require.
    private var memory = InputMemory(1 << 12)
    /// The number of messages read so far from channels that are not skipped.
    private var count: UInt64 = 0
    /// The log time of the last message, in nanoseconds.
    private(set) var logTime: UInt64 = 0
    /// The log time of the last message, in microseconds.
    var loggedAt: Int64 { Int64(clamping: logTime / 1000) }
    /// The number of losses that were reported so far.
    private var lossesTold = 0
    /// A message that was already read. The losses before it are returned first.
    private var pendingMessage: Message?
    /// The stream that the last message ends. Its end is the next item, after the frame of that message.
    private var pendingEnd: ReadItem<P>?
    private var isOver = false

    /// Creates a reader of an input.
    init(_ input: FileInput, _ settings: Settings) throws {
        self.settings = settings
        size = input.size
        var decode = settings.decode
        decode.format = .json
        json = try MessageDecoder(
            decode, defaultStream: settings.defaultStream, landmarks: settings.landmarks,
            watch: settings.watch)
        decode.format = .msgpack
        packed = try MessageDecoder(
            decode, defaultStream: settings.defaultStream, landmarks: settings.landmarks,
            watch: settings.watch)
        do throws(MCAPError) {
            let index = try IndexedReader(input)
            let sink = Self.sink(among: index.channels, index.schemas)
            self.sink = sink
            indexed = try index.messages { Self.passes($0, index.schemas, sink, settings) }
            total = index.statistics?.messageCount ?? 0
            try Self.check(index, settings)
        } catch {
            if error.code == .system { throw SystemError(number: error.systemError ?? 0) }
            (indexed, recovering) = (nil, RecoveringReader(input))
        }
    }

    /// The approximate number of bytes read.
    var bytesRead: Int64 {
        if let place = recovering?.readUpTo { return Int64(clamping: place) }
        guard total > 0, !isOver else { return Int64(clamping: size ?? 0) }
        return Int64(saturating: Double(size ?? 0) * min(1, Double(count) / Double(total)))
    }

    /// Returns the next item, or `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        if let end = pendingEnd.take() { return end }
        while true {
            if let loss = nextLoss() { return loss }
            guard !isOver else { return nil }
            let next: Message?
            do throws(MCAPError) {
                next = if let message = pendingMessage.take() { message } else { try nextMessage() }
            } catch {
                if let number = error.systemError { throw SystemError(number: number) }
                return .failure(located(error), settings.defaultStream)
            }
            isOver = next == nil
            guard let message = next, !hasLoss else {
                pendingMessage = next
                continue
            }
            logTime = message.logTime
            switch treatment(of: message.channelID) {
            case .skipped: continue
            case .refused(let stream, let error):
                count += 1
                return .failure(error, stream)
            case .decoded(let stream, let isBinary):
                count += 1
                if let item = decode(message, stream, isBinary) { return item }
            }
        }
    }

    private func nextMessage() throws(MCAPError) -> Message? {
        if indexed != nil { return try indexed?.next() }
        while let record = try recovering?.next() {
            switch record {
            case .message(let message): return message
            case .schema, .channel: (treatments, last) = ([:], nil)
            default: break
            }
        }
        return nil
    }

    /// Whether there is a loss that was not reported.
    private var hasLoss: Bool { recovering.map { lossesTold < $0.losses.count } ?? false }

    /// Returns the next loss that was not reported: an error for damaged data. If the file is cut off, only logs a warning. Losses
    /// that the reader has counted but not kept are reported together at the end.
    private func nextLoss() -> ReadItem<P>? {
        guard let recovering else { return nil }
        while lossesTold < recovering.losses.count {
            let loss = recovering.losses[lossesTold]
            lossesTold += 1
            let isCutOff = loss.reason.code == .truncated && loss.offset + loss.length >= size ?? 0
            guard isCutOff else { return .failure(located(loss.reason), settings.defaultStream) }
            // If the last record is cut off, the reader also reports the missing end, as a loss of length 0. Only that is logged.
            guard loss.length == 0 else { continue }
            let lost = (size ?? 0) - min(size ?? 0, recovering.readUpTo)
            settings.counts.add(Counts.cutOff)
            if lost > 0 { settings.counts.add(Counts.unknownLoss) }
            settings.log(
                .warning,
                "\(settings.origins.path) is cut off: its end is missing, and it was read up to byte \(recovering.readUpTo)"
                    + (lost > 0 ? "; the \(lost) bytes after that are lost" : "")
            )
        }
        guard isOver, lossesTold < recovering.lossCount else { return nil }
        let rest = MCAPError(.malformed, "\(recovering.lossCount - lossesTold) more parts of the file cannot be read")
        lossesTold = recovering.lossCount
        return .failure(located(rest), settings.defaultStream)
    }

    // MARK: - Messages

    private func decode(_ message: Message, _ stream: StreamID, _ isBinary: Bool) -> ReadItem<P>? {
        if memory.capacity < message.data.count { memory = InputMemory(2 * message.data.count) }
        message.data.withUnsafeBytes {
            if let start = $0.baseAddress { memory.base.copyMemory(from: start, byteCount: $0.count) }
        }
        let bytes = UnsafeRawBufferPointer(start: memory.base, count: message.data.count)
        let time = Int64(clamping: message.publishTime / 1000)
        do {
            var found =
                isBinary
                ? try packed.decode(bytes, stream: stream, receivedAt: time)
                : try json.decode(bytes, stream: stream, receivedAt: time)
            if found.isQuiet { return nil }
            if let frame = found.frame, settings.decode.isMapped || frame.origin?.isStamped == true {
                let origin = frame.origin
                found.frame?.origin = Origin(
                    receivedAt: loggedAt,
                    clock: origin?.clock == Origin.clockOfReceipt ? nil : origin?.clock, file: origin?.file,
                    line: origin?.line, unknown: origin?.unknown ?? [])
            }
            let end = ReadItem<P>.end(found.stream, found.end)
            if let frame = found.frame {
                if found.endsStream { pendingEnd = end }
                return .frame(settings.origins.recording(frame, line: Int(clamping: count)))
            }
            if let time = found.emptyAt {
                if found.endsStream { pendingEnd = end }
                return .empty(found.stream, time, found.sequence ?? 0)
            }
            return end
        } catch {
            return .failure(error.located(in: "\(settings.origins.path), message \(count) (\(stream.name))"), stream)
        }
    }

    private func treatment(of id: UInt16) -> Treatment {
        if let last, last.id == id { return last.treatment }
        let treatment = treatments[id] ?? newTreatment(of: id)
        treatments[id] = treatment
        last = (id, treatment)
        return treatment
    }

    private func newTreatment(of id: UInt16) -> Treatment {
        let schemas = indexed?.schemas ?? recovering?.schemas ?? [:]
        // Without an index, the channels become known one by one. Those of sources come first, because results are made from frames.
        if sink == nil, let recovering { sink = Self.sink(among: recovering.channels, schemas) }
        guard let channel = indexed?.channels[id] ?? recovering?.channels[id],
            Self.passes(channel, schemas, sink, settings)
        else { return .skipped }
        let stream = StreamID(channel.topic)
        switch channel.messageEncoding {
        case "json": return .decoded(stream, isBinary: false)
        case "msgpack": return .decoded(stream, isBinary: true)
        default:
            return .refused(
                stream,
                .frame(
                    "decode.encoding",
                    channel.messageEncoding.isEmpty
                        ? "the channel \"\(channel.topic)\" does not declare the encoding of its messages"
                        : "the messages of \"\(channel.topic)\" are in \(channel.messageEncoding), which is not read",
                    location: settings.origins.path,
                    help: "json and msgpack are read; to read only some of the topics, name them with streams:"))
        }
    }

    /// Whether a channel is wanted and may hold frames of this kind. A channel is skipped if its schema declares another kind, or
    /// scenes. A channel that another program wrote declares no kind, so it is read. In the recording of a run, only the channels
    /// of sources and of `sink` are read, and those of asynchronous stages as the settings say.
    private static func passes(
        _ channel: Channel, _ schemas: [UInt16: Schema], _ sink: String?, _ settings: Settings
    ) -> Bool {
        guard settings.isWanted(channel) else { return false }
        switch RunRecording.role(of: channel) {
        case nil, (.input, _)?: break
        case (.answer, _)?: if !settings.readsAnswers { return false }
        case (.result, let node)?: if node != sink { return false }
        default: return false
        }
        if SceneSchema.isScene(schemas[channel.schemaID]) { return false }
        guard let kind = schemas[channel.schemaID].flatMap(FrameSchema.kind(of:)) else { return true }
        return kind == P.kind.rawValue
    }

    /// Returns the first sink with frames of this kind in the recording of a run, or `nil` if a source has such frames.
    private static func sink(among channels: [UInt16: Channel], _ schemas: [UInt16: Schema]) -> String? {
        var sink: String?
        for (_, channel) in channels.sorted(by: { $0.key < $1.key }) {
            guard let (role, node) = RunRecording.role(of: channel),
                schemas[channel.schemaID].flatMap(FrameSchema.kind(of:)) == P.kind.rawValue
            else { continue }
            if role == .input { return nil }
            if role == .result, sink == nil { sink = node }
        }
        return sink
    }

    /// Logs a warning if every channel holds frames of other kinds, because this is probably the wrong file.
    private static func check(_ index: IndexedReader, _ settings: Settings) throws(MCAPError) {
        let channels = index.channels.values.filter { channel in
            if SceneSchema.isScene(index.schemas[channel.schemaID]) { return false }
            guard let role = RunRecording.role(of: channel)?.role else { return true }
            return role == .input || role == .result || role == .answer && settings.readsAnswers
        }
        let kinds = Set(channels.map { index.schemas[$0.schemaID].flatMap(FrameSchema.kind(of:)) })
        guard !kinds.isEmpty, !kinds.contains(nil), !kinds.contains(P.kind.rawValue) else { return }
        settings.log(
            .warning,
            "\(settings.origins.path) holds no \(P.kind.rawValue), only \(kinds.compactMap { $0 }.sorted().joined(separator: ", "))"
        )
    }

    private func located(_ error: MCAPError) -> PipelineError {
        .frame(
            error.codeOfReading, error.message,
            location: "\(settings.origins.path)\(error.offset.map { ", byte \($0)" } ?? "")")
    }
}

extension Counts {
    /// The name of a count of files whose end is missing.
    package static let cutOff = "cut_off"
}
