import MCAP
import Pipeline

/// The properties of a recording, read from the beginning of its file. A recording is JSON Lines or MCAP, as the `file` sink writes
/// them.
public struct Recording: Sendable {
    /// The value that serves as the arrival time of a frame.
    public enum Arrivals: Sendable {
        /// The time of receipt, `recv_us`.
        case receipt

        /// The frame's timestamp, because the recording has no times of receipt.
        case timestamp

        /// The log time of the message in MCAP: the time of day.
        case log
    }

    /// The path of the file.
    public let path: String

    /// The kind that the first frame declares or that all MCAP channels share. `nil` if none is declared, or if the channels have
    /// several kinds.
    public let kind: PayloadKind?

    /// The value that serves as the arrival time of each frame.
    public let arrivals: Arrivals

    /// The arrival time of the first frame, in microseconds of the clock given by ``arrivals``.
    public let firstArrival: Int64

    /// The largest number of unreadable lines before the first frame of a recording.
    private static let mostUnreadable = 1000

    /// Reads the properties of a recording from the first frame of a file. Skips messages that only end a stream. Also skips
    /// damaged lines, which the source that later reads the frames counts.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - kinds: The kinds of frames that the file may contain.
    /// - Throws: An environment error if the file cannot be read. If the file is not a recording, the error describes the first
    ///   unreadable line. A configuration error if the path leads to a pipe, which can be read only once.
    public init(readingFrom path: String, among kinds: [PayloadKind] = PayloadKind.standard) throws {
        self.path = path
        try MCAPFile.refusePipe(path)
        let lines = LineReader(descriptor: try SystemCalls.openToRead(path), packing: FileCompression(path: path))
        let reader = try JSONReader()
        var wrong: PipelineError?
        var unreadable = 0
        do {
            if try lines.peek().starts(with: MCAPFile.beginning) {
                kind = try Self.onlyKind(in: path, kinds)
                arrivals = .log
                firstArrival = try Self.firstLogTime(of: path)
                return
            }
            try FileFormat.refuseOther(FileFormat.format(.auto, path: path, lines), path, lines)
            wrong = binaryError(in: try lines.peek())?.located(in: path)
            while unreadable < Self.mostUnreadable, wrong?.code != "decode.binary", let line = try lines.next() {
                do {
                    guard case .bytes(let bytes) = line else {
                        throw PipelineError.frame("decode.line_too_long", "a line is longer than 64 MiB")
                    }
                    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                    let kind = try Self.kind(of: bytes, reader, kinds)
                    guard let first = try (kind ?? .stroke).firstFrame(in: bytes) else { continue }
                    self.kind = kind
                    arrivals = first.receivedAt == nil ? .timestamp : .receipt
                    firstArrival = first.receivedAt ?? first.timestamp.rawValue
                    return
                } catch let error as PipelineError where error.category == .frame {
                    wrong = wrong ?? error.located(in: "\(path), line \(lines.lineNumber)")
                    unreadable += 1
                }
            }
        } catch let error as SystemError {
            throw error.reading(path)
        }
        guard var wrong else { throw PipelineError.environment("recording.empty", "\(path) holds no frame") }
        // Report this as a problem with the file, not with a single frame: it is probably the wrong file.
        wrong.category = .environment
        wrong.help = wrong.help ?? Self.help(path)
        throw wrong
    }

    /// Returns what to do with a file that is not a recording.
    private static func help(_ path: String) -> String {
        let whole = FileCompression.unpacked(path)
        guard [.csv, .msgpack].contains(FileFormat.named(path)), let point = whole.lastIndex(of: ".") else {
            return "a recording is JSON Lines or MCAP, as the file sink writes them"
        }
        return "a recording is JSON Lines or MCAP: pipectl convert \(path) \(whole[..<point]).mcap"
    }

    private static func onlyKind(in path: String, _ kinds: [PayloadKind]) throws -> PayloadKind? {
        let kinds = try RecordingKinds.read(path, among: kinds)
        return kinds.count == 1 ? kinds.first : nil
    }

    /// Returns the log time of the first message of an MCAP file, in microseconds.
    private static func firstLogTime(of path: String) throws -> Int64 {
        let input = FileInput(descriptor: try SystemCalls.openToRead(path))
        do throws(MCAPError) {
            var first: UInt64?
            if let index = try? IndexedReader(input), var cursor = try? index.messages() {
                first = try cursor.next()?.logTime
            } else {
                var reader = RecoveringReader(input)
                while first == nil, let record = try reader.next() {
                    if case .message(let message) = record { first = message.logTime }
                }
            }
            if let first { return Int64(clamping: first / 1000) }
        } catch {
            throw PipelineError.environment(error.codeOfReading, "\(path): \(error)")
        }
        throw PipelineError.environment("recording.empty", "\(path) holds no message")
    }

    private static func kind(
        of line: UnsafeRawBufferPointer, _ reader: JSONReader, _ kinds: [PayloadKind]
    ) throws -> PayloadKind? {
        var message = WireMessage()
        try reader.begin(line)
        try message.read(reader, keys: .envelope, keepsUnknown: false)
        guard let name = message.value(.kind, message.kind) else { return nil }
        guard let kind = kinds[name] else {
            throw PipelineError.frame(
                "decode.kind", "\"kind\": no source emits \(quote(name))",
                help: suggestion(for: name, among: kinds.map(\.name), list: "kinds"))
        }
        return kind
    }
}

extension PayloadKind {
    /// Returns the timestamp and time of receipt of the frame in a line, or `nil` if the line only ends a stream.
    fileprivate func firstFrame(
        in line: UnsafeRawBufferPointer
    ) throws -> (timestamp: Timestamp, receivedAt: Int64?)? {
        func read<P: WirePayload>(_ payload: P.Type) throws -> (timestamp: Timestamp, receivedAt: Int64?)? {
            var decoder = try CanonicalDecoder<P>(defaultStream: "")
            return try decoder.decode(line).frame.map { ($0.timestamp, $0.origin?.receivedAt) }
        }
        let payload: any WirePayload.Type = type
        return try read(payload)
    }
}
