import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes frames to a file.
public enum FileSink: SinkComponent {
    /// How a file is written.
    public enum Format: String, OptionChoice {
        /// Canonical JSON, one object a line.
        case jsonl
        /// The same objects in MessagePack, one behind the other.
        case msgpack
        /// Comma-separated values with a header line.
        case csv

        /// The same as a format of text.
        var text: TextFormat {
            switch self {
            case .jsonl: .jsonl
            case .msgpack: .msgpack
            case .csv: .csv
            }
        }
    }

    /// What becomes of a file that is already there.
    public enum IfExists: String, OptionChoice {
        /// The run does not begin.
        case fail
        /// It is emptied.
        case overwrite
        /// It is added to.
        case append
    }

    /// The options.
    public struct Options: ComponentOptions {
        /// The file.
        public var path = OutputPath("")
        /// How it is written.
        public var format = Format.jsonl
        /// What becomes of a file that is already there.
        public var ifExists = IfExists.fail

        public init() {}

        public static var options: [Option<Options>] {
            Option("path", \.path, "The file to write.", isRequired: true, example: "session.jsonl")
            Option(
                "format", \.format,
                "How the file is written: canonical JSON, one object a line; the same in MessagePack; or CSV.")
            Option(
                "if_exists", \.ifExists,
                "What becomes of a file that is already there; with fail the run does not begin (exit code 3).")
        }
    }

    public static let manifest = Manifest(
        name: "file",
        summary: "Writes frames to a file",
        details: """
            JSON Lines, and MessagePack, hold everything a frame has, with the keys that came with it unknown to us; the `file` source \
            reads them back. In live mode they hold the time of receipt as well (`recv_us`, from the monotonic clock), \
            so that a replay or a simulation can bring every frame when it came. What has been written can be read by others as soon as a \
            batch is done.
            """,
        takes: "any payload",
        example: """
            version: 1
            sources:
              - stdin: { kind: stroke }
            sinks:
              - file: { path: session.jsonl, if_exists: overwrite }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try Maker(options: options, receipt: context.mode == .live ? .ofRun : .asRead).sink(for: input)
    }

    private struct Maker: SinkMaker {
        let options: Options
        let receipt: CanonicalEncoder.Receipt

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(FileWriter<P>(options, receipt: receipt))
        }
    }
}

/// The sink behind ``FileSink``, for one payload type.
struct FileWriter<P: WireEncodable>: Sink {
    typealias Input = P

    private let options: FileSink.Options
    private let receipt: CanonicalEncoder.Receipt
    private var descriptor: Int32 = -1
    private var text: FrameText<P>

    init(_ options: FileSink.Options, receipt: CanonicalEncoder.Receipt = .asRead) {
        self.options = options
        self.receipt = receipt
        text = FrameText(options.format.text, receipt: receipt)
    }

    mutating func open(_ context: SinkContext) async throws {
        guard let opened = try await descriptor(of: options.path.path, context) else { return }
        descriptor = opened
        guard options.ifExists == .append else { return }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { return }
        text = FrameText(options.format.text, hasHeader: true, receipt: receipt)
        if options.format == .msgpack { return }
        // A last line that was cut off must not run into the first of ours.
        guard try lastByte(of: options.path.path, size) != 0x0A else { return }
        let feed: [UInt8] = [0x0A]
        do { try feed.withUnsafeBytes { try SystemCalls.write(descriptor, $0).get() } } catch let error as SystemError {
            throw error.writing(options.path.path)
        }
    }

    /// The last byte of a file of `size` bytes. It is read by another descriptor: one that may also read would be the reader of
    /// a named pipe that nobody reads.
    private func lastByte(of path: String, _ size: off_t) throws -> UInt8? {
        let reader = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(reader) }
        var last: UInt8 = 0
        return pread(reader, &last, 1, size - 1) == 1 ? last : nil
    }

    /// Opens the file. Waits until somebody reads a named pipe, or the run is told to stop: `nil` then.
    private func descriptor(of path: String, _ context: SinkContext) async throws -> Int32? {
        let flags: Int32 =
            switch options.ifExists {
            case .fail: O_WRONLY | O_CREAT | O_EXCL
            case .overwrite: O_WRONLY | O_CREAT | O_TRUNC
            case .append: O_WRONLY | O_CREAT | O_APPEND
            }
        var isWaiting = false
        while !context.stop.isRequested {
            switch SystemCalls.openToWrite(path, flags) {
            case .success(let opened): return opened
            case .failure(let error) where error.number == ENXIO && SystemCalls.isPipe(path):
                if !isWaiting { context.log(.info, "\(context.id): waiting for a reader of \(path)") }
                isWaiting = true
                try await context.clock.sleep(until: context.clock.now + Self.pipePause)
            case .failure(let error):
                guard error.number == EEXIST else { throw error.writing(path) }
                throw PipelineError.environment(
                    "file.exists", "\(path) is already there", help: "if_exists: overwrite or append, or another path"
                )
            }
        }
        return nil
    }

    /// How long to wait before looking again whether a pipe has a reader, in nanoseconds.
    private static var pipePause: Int64 { 20_000_000 }

    var unwritten: Int { text.count }

    mutating func write(_ frame: Frame<P>) throws {
        guard descriptor >= 0 else { throw Refusal("no_peer") }
        if text.isFull { try flush() }
        try text.add(frame)
    }

    mutating func flush() throws {
        do { try text.empty(into: descriptor) } catch { throw error.writing(options.path.path) }
    }

    mutating func discard() { text.discard() }

    mutating func close() async throws {
        guard descriptor >= 0 else { return }
        defer {
            SystemCalls.close(descriptor)
            descriptor = -1
        }
        try flush()
    }
}
