import MCAP
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// A source that replays the frames that a node of a recorded run refused. It replaces the error output of that node.
struct RunRecordingFailures: Source {
    typealias Output = FailedFrame

    private let path: String
    private let node: String
    let timing: SourceTiming
    private var clock: (any RunClock)?
    private var messages: ArraySlice<(time: UInt64, bytes: [UInt8])> = []
    /// The beginning of the run, in nanoseconds of the run's clock.
    private var begin: Int64 = 0
    private let origin: UInt64
    /// The kinds of payloads that may have been refused.
    private let kinds: [PayloadKind]

    var mayBlock: Bool { true }

    /// Creates a replay of the failures of `node`.
    ///
    /// - Parameter origin: The log time that corresponds to the beginning of the run, in nanoseconds.
    init(_ path: String, _ node: String, origin: UInt64, timing: SourceTiming, kinds: [PayloadKind]) {
        (self.path, self.node, self.origin, self.timing, self.kinds) = (path, node, origin, timing, kinds)
    }

    mutating func open(_ context: SourceContext) async throws {
        clock = context.clock
        begin = context.clock.now
        let node = node
        do throws(MCAPError) {
            var cursor = try IndexedReader(try FileInput(path: path)).messages { channel in
                RunRecording.role(of: channel).map { $0.role == .failure && $0.node == node } ?? false
            }
            while let message = try cursor.next() { messages.append((message.logTime, Array(message.data))) }
        } catch {
            throw error.reading(path)
        }
    }

    mutating func read(into batch: inout SourceBatch<FailedFrame>) async throws -> Bool {
        guard let message = messages.popFirst() else { return false }
        if timing == .live, let clock {
            try await clock.sleep(
                until: begin.addingSaturated(Int64(clamping: message.time.subtractingSaturated(origin))))
        }
        guard let frame = Frame<FailedFrame>(canonical: message.bytes, kinds) else {
            throw PipelineError.environment(
                "box.damaged",
                "\(path) contains a message that is not a failed frame, among the failed frames of \(node)")
        }
        batch.append(frame)
        return true
    }

    mutating func close() async { messages = [] }
}

extension Frame<FailedFrame> {
    /// Creates a failed frame from its canonical form, or returns `nil` if the bytes are not a failed frame. A key that failed
    /// frames do not have is an unknown key of the frame that failed.
    fileprivate init?(canonical bytes: [UInt8], _ kinds: [PayloadKind]) {
        guard let line = try? FailedFrameLine(bytes), let node = line.node, let code = line.code,
            let message = line.message, let time = line.time, let sequence = line.sequence
        else { return nil }
        let hasOrigin = line.clock != nil || line.file != nil || line.line != nil || !line.unknown.isEmpty
        self.init(
            FailedFrame(
                node: node, error: .frame(code, message, location: line.location),
                frame: line.frame.flatMap { Self.payload(in: $0, kinds) }),
            at: Timestamp(rawValue: time), stream: StreamID(line.stream), sequence: sequence,
            origin: hasOrigin
                ? Origin(clock: line.clock, file: line.file, line: line.line, unknown: line.unknown) : nil)
    }

    /// Returns the payload in the JSON text of a frame that was refused.
    private static func payload(in frame: String, _ kinds: [PayloadKind]) -> (any Pipeline.Payload)? {
        guard let name = ConfigNode.parse(yaml: frame)?["kind"]?.scalar?.text, let kind = kinds[name] else {
            return nil
        }
        return decode(kind.type, Array(frame.utf8))
    }

    private static func decode<P: WirePayload>(_ type: P.Type, _ bytes: [UInt8]) -> (any Pipeline.Payload)? {
        let memory = InputMemory(bytes.count)
        memory.base.copyMemory(from: bytes, byteCount: bytes.count)
        var decoder = try? MessageDecoder<P>(DecodeOptions(), defaultStream: "")
        return try? decoder?.decode(
            UnsafeRawBufferPointer(start: memory.base, count: bytes.count), stream: "", receivedAt: 0
        ).frame?.payload
    }
}

/// The keys of a failed frame in its canonical form, and their values.
private struct FailedFrameLine {
    private(set) var node: String?
    private(set) var code: String?
    private(set) var message: String?
    private(set) var location: String?
    private(set) var stream = ""
    private(set) var time: Int64?
    private(set) var sequence: Int64?
    private(set) var clock: String?
    private(set) var file: String?
    private(set) var line: Int64?
    /// The frame that was refused, as JSON.
    private(set) var frame: String?
    private(set) var unknown: [Origin.Unknown] = []

    /// Reads a line. O(bytes).
    init(_ bytes: [UInt8]) throws {
        let memory = InputMemory(bytes.count)
        memory.base.copyMemory(from: bytes, byteCount: bytes.count)
        let reader = try JSONReader()
        try reader.begin(UnsafeRawBufferPointer(start: memory.base, count: bytes.count))
        try reader.enterObject()
        while let field = try reader.nextField() {
            switch WireKey.named(field.key) {
            case .v, .kind: continue
            case .stream: stream = try reader.string()
            case .seq: sequence = try reader.integer()
            case .tUs: time = try reader.integer()
            case .clock: clock = try reader.string()
            case .file: file = try reader.string()
            case .line: line = try reader.integer()
            case .node: node = try reader.string()
            case .code: code = try reader.string()
            case .message: message = try reader.string()
            case .location: location = try reader.string()
            case .frame: frame = try reader.rawValue()
            default:
                let key = String(decoding: field.key, as: UTF8.self)
                unknown.append(Origin.Unknown(key: key, json: try reader.rawValue()))
            }
        }
        // Keeps the text alive until the reader is done with it.
        try withExtendedLifetime(memory) { try reader.end() }
    }
}
