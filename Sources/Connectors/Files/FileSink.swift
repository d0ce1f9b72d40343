import MCAP
import Pipeline
import PipelineComponents
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes frames to a file.
public enum FileSink: SinkComponent {
    /// How a file is written.
    public enum Format: String, OptionChoice {
        /// By the end of its name; canonical JSON where that tells nothing.
        case auto
        /// Canonical JSON, one object a line.
        case jsonl
        /// The same objects in MessagePack, one behind the other.
        case msgpack
        /// Comma-separated values with a header line.
        case csv
        /// A recording in MCAP, with a channel for every stream.
        case mcap

        /// The same as a format of text.
        var text: TextFormat {
            switch self {
            case .auto, .jsonl, .mcap: .jsonl
            case .msgpack: .msgpack
            case .csv: .csv
            }
        }
    }

    /// How a file is packed.
    public enum Packing: String, OptionChoice {
        /// By the end of its name, and Zstandard in MCAP.
        case auto
        /// Not at all.
        case none
        /// As gzip does.
        case gzip
        /// As Zstandard does.
        case zstd
        /// As LZ4 does, which only MCAP knows.
        case lz4
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

    public struct Options: ComponentOptions {
        @Option(
            "File to write. {stream}, {file} (the file that a frame was read from) and {date} (UTC) are replaced: each frame goes to the file of its own values.",
            isRequired: true, example: "session.jsonl")
        public var path = OutputPath("")

        @Option(
            "Format of the file: JSON Lines and MessagePack (canonical messages), CSV or MCAP. auto goes by the extension (.msgpack, .csv, .mcap), and is JSON Lines otherwise."
        )
        public var format = Format.auto

        @Option(
            "Compression of the file: gzip and zstd of the whole file, zstd and lz4 of each chunk in MCAP. auto goes by the extension (.gz, .zst), and is zstd in MCAP.",
            example: "zstd")
        public var compression = Packing.auto

        @Option("What happens to an existing file. With fail, the run does not begin (exit code 3).")
        public var ifExists = IfExists.fail

        @Option(
            "In MCAP, also writes what each stream shows, for Foxglove's 3D panel: a channel /scene/STREAM of foxglove.SceneUpdate."
        )
        public var scene = false

        /// Into how many files a recording is split; into one where that is not said.
        package var split: RecordingSplit?
        /// What keeps the end of a recording in memory, in place of a file.
        package var ring: RecordingRing?

        public init() {}

        /// How the file is written, by the end of its name where nothing else is said.
        package var knownFormat: Format {
            guard format == .auto else { return format }
            switch FileFormat.named(path.path) {
            case .mcap: return .mcap
            case .csv: return .csv
            case .msgpack: return .msgpack
            default: return .jsonl
            }
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            let isRecording = knownFormat == .mcap
            if let unknown = OutputPattern.unknown(in: path.path) {
                context.findings.error(
                    "file.placeholder", "{\(unknown)} is not a placeholder",
                    at: (node["path"] ?? node).span, path: context.path + ".path",
                    help: suggestion(
                        for: unknown, among: OutputPattern.Placeholder.allCases.map(\.rawValue), list: "placeholders"))
            }
            if isRecording, ifExists == .append {
                context.findings.error(
                    "file.append", "an MCAP file cannot be added to: its index is at its end",
                    at: (node["if_exists"] ?? node).span, path: context.path + ".if_exists",
                    help: "write another file, and join the two with pipectl convert")
            }
            if scene, !isRecording {
                context.findings.error(
                    "file.scene", "only MCAP files hold scenes",
                    at: (node["scene"] ?? node).span, path: context.path + ".scene",
                    help: "end the name in .mcap, or leave scene out")
            }
            if isRecording ? compression == .gzip : compression == .lz4 {
                context.findings.error(
                    "file.compression",
                    isRecording ? "an MCAP file is not packed with gzip" : "only MCAP files are packed with lz4",
                    at: (node["compression"] ?? node).span, path: context.path + ".compression",
                    help: isRecording ? "write compression: zstd, lz4 or none" : "write compression: zstd, gzip or none"
                )
            }
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

            A file whose name ends in .mcap is a recording that Foxglove and the MCAP libraries of other languages open: a channel \
            for each stream with a JSON Schema, the messages of JSON Lines, the time of arrival as log time and the frame's own as publish \
            time. Its chunks are written every second at least, so that a program that is killed loses no more than that. With `scene` it \
            can be looked at in Foxglove's 3D panel as it is.

            With {stream}, {file} or {date} in the path there are as many files as streams, files read, and days, each begun with its first \
            frame, at most 500 at a time. In names every character but letters, digits and . _ - becomes -: pen/1 is pen-1.
            """,
        example: """
            version: 1
            sources:
              - stdin: { kind: stroke }
            sinks:
              - file: { path: session.jsonl, if_exists: overwrite }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        if options.scene, !(input.payload is any ScenePayload.Type) {
            throw PipelineError(
                .configuration, "file.no_scene", "a payload of kind \(input.kind) has no scene",
                help: "strokes, points, ink, landmarks, hands and results have; leave scene out for others")
        }
        return try Maker(
            options: options, receipt: context.mode == .live ? .ofRun : .asRead,
            yGrows: input.verticalDirection ?? .down
        ).sink(for: input)
    }

    struct Maker: SinkMaker {
        let options: Options
        let receipt: CanonicalEncoder.Receipt
        let yGrows: VerticalDirection

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            if let ring = options.ring {
                return CompiledSink(RingWriter<P>(ring, receipt: receipt, scenes: options.scene ? yGrows : nil))
            }
            if let pattern = OutputPattern(options.path.path) { return files(pattern) }
            if options.knownFormat == .mcap {
                return CompiledSink(RecordingWriter<P>(options, receipt: receipt, yGrows: yGrows))
            }
            return CompiledSink(FileWriter<P>(options, receipt: receipt))
        }

        private func files<P: WireEncodable>(_ pattern: OutputPattern) -> CompiledSink<P> {
            let (options, receipt, yGrows) = (options, receipt, yGrows)
            @Sendable func named(_ path: String) -> FileSink.Options {
                var named = options
                named.path = OutputPath(path)
                return named
            }
            if options.knownFormat == .mcap {
                return CompiledSink(
                    PatternFiles(pattern) { RecordingWriter<P>(named($0), receipt: receipt, yGrows: yGrows) })
            }
            return CompiledSink(PatternFiles(pattern) { FileWriter<P>(named($0), receipt: receipt) })
        }
    }
}

/// The sink behind ``FileSink``, for one payload type.
struct FileWriter<P: WireEncodable>: FileWriting {
    typealias Input = P

    private let options: FileSink.Options
    private let receipt: CanonicalEncoder.Receipt
    private var descriptor: Int32 = -1
    private var text: FrameText<P>
    private var packer: PackedOutput?

    init(_ options: FileSink.Options, receipt: CanonicalEncoder.Receipt = .asRead) {
        self.options = options
        self.receipt = receipt
        text = FrameText(options.knownFormat.text, receipt: receipt)
    }

    private var opening: OutputOpening { OutputOpening(path: options.path.path, ifExists: options.ifExists) }

    mutating func open(_ context: SinkContext) async throws {
        guard let opened = try await opening.descriptor(context) else { return }
        try begin(opened)
    }

    mutating func openAtOnce(_ context: SinkContext) throws { try begin(opening.descriptorAtOnce()) }

    private mutating func begin(_ opened: Int32) throws {
        descriptor = opened
        packer = try options.packing.map { try PackedOutput($0) }
        guard options.ifExists == .append else { return }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { return }
        text = FrameText(options.knownFormat.text, hasHeader: true, receipt: receipt)
        // Packed pieces stand one behind the other, and are read as one.
        if options.knownFormat == .msgpack || packer != nil { return }
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

    var unwritten: Int { text.count }

    mutating func write(_ frame: Frame<P>) throws {
        guard descriptor >= 0 else { throw Refusal("no_peer") }
        if text.isFull { try flush() }
        try text.add(frame)
    }

    mutating func flush() throws {
        do throws(SystemError) {
            guard let packer else { return try text.empty(into: descriptor) }
            try text.empty(
                writing: { bytes in packer.write(bytes, to: descriptor) }, takingBack: { _ in false })
        } catch {
            throw error.writing(options.path.path)
        }
    }

    mutating func discard() { text.discard() }

    mutating func close() async throws { try closeAtOnce() }

    mutating func closeAtOnce() throws {
        guard descriptor >= 0 else { return }
        defer {
            SystemCalls.close(descriptor)
            descriptor = -1
        }
        try flush()
        if let error = packer?.finish(descriptor) { throw error.writing(options.path.path) }
    }
}

extension FileSink.Options {
    /// How a file that is no recording is packed; `nil` for not at all.
    fileprivate var packing: FilePacking? {
        switch compression {
        case .auto: FilePacking(path: path.path)
        case .gzip: .gzip
        case .zstd: .zstd
        case .none, .lz4: nil
        }
    }
}

extension FileSink.Packing {
    /// The same for the chunks of a recording.
    package var ofChunks: Compression {
        switch self {
        case .none: .none
        case .lz4: .lz4
        case .auto, .gzip, .zstd: .zstd
        }
    }
}
