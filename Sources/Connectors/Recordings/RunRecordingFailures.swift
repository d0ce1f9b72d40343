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
    /// Creates a failed frame from its canonical form, or returns `nil` if the bytes are not a failed frame.
    fileprivate init?(canonical bytes: [UInt8], _ kinds: [PayloadKind]) {
        guard let line = ConfigNode.parse(yaml: String(decoding: bytes, as: UTF8.self)) else { return nil }
        func text(_ key: String) -> String? { line[key]?.scalar?.text }
        guard let node = text("node"), let code = text("code"), let message = text("message"),
            let time = text("t_us").flatMap(Int64.init), let sequence = text("seq").flatMap(Int64.init)
        else { return nil }
        self.init(
            FailedFrame(
                node: node, error: .frame(code, message, location: text("location")),
                frame: Self.payload(of: line["frame"]?["kind"]?.scalar?.text, in: bytes, kinds)),
            at: Timestamp(rawValue: time), stream: StreamID(text("stream") ?? ""), sequence: sequence,
            origin: text("file").map { Origin(file: $0, line: text("line").flatMap(Int64.init)) })
    }

    /// Returns the payload that was refused.
    private static func payload(
        of kind: String?, in bytes: [UInt8], _ kinds: [PayloadKind]
    ) -> (any Pipeline.Payload)? {
        guard let kind = kind.flatMap({ kinds[$0] }), let text = object(of: "frame", in: bytes) else {
            return nil
        }
        return decode(kind.type, Array(text))
    }

    private static func decode<P: WirePayload>(_ type: P.Type, _ bytes: [UInt8]) -> (any Pipeline.Payload)? {
        let memory = InputMemory(bytes.count)
        memory.base.copyMemory(from: bytes, byteCount: bytes.count)
        var decoder = try? MessageDecoder<P>(DecodeOptions(), defaultStream: "")
        return try? decoder?.decode(
            UnsafeRawBufferPointer(start: memory.base, count: bytes.count), stream: "", receivedAt: 0
        ).frame?.payload
    }

    /// Returns the text of the object with a given key. The search for the key cannot match inside a string, because quotes are
    /// escaped in strings.
    private static func object(of key: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let mark = Array(",\"\(key)\":{".utf8)
        guard let range = bytes.firstRange(of: mark) else { return nil }
        var (depth, isString, isEscaped) = (0, false, false)
        for place in (range.upperBound - 1)..<bytes.count {
            let byte = bytes[place]
            if isEscaped {
                isEscaped = false
            } else if isString {
                isEscaped = byte == UInt8(ascii: "\\")
                isString = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return bytes[(range.upperBound - 1)...place] }
            }
        }
        return nil
    }
}
