import MCAP
import Pipeline
import PipelineComponents
import Stages

/// A sink that writes frames to a file.
public enum FileSink {
    /// The format of a written file.
    public enum Format: String, OptionChoice {
        /// The format that the file extension implies, or else canonical JSON.
        case auto
        /// Canonical JSON, one object per line.
        case jsonl
        /// The same objects in MessagePack, one after the other.
        case msgpack
        /// Comma-separated values with a header line.
        case csv
        /// An MCAP recording with a channel for every stream.
        case mcap

        /// The format of the messages in the file. An MCAP recording contains JSON messages.
        var text: TextFormat {
            switch self {
            case .auto, .jsonl, .mcap: .jsonl
            case .msgpack: .msgpack
            case .csv: .csv
            }
        }
    }

    /// The compression of a written file.
    public enum Packing: String, OptionChoice {
        /// The compression that the file extension implies; Zstandard in MCAP.
        case auto
        /// No compression.
        case none
        /// The gzip format.
        case gzip
        /// The Zstandard format.
        case zstd
        /// The LZ4 format, in MCAP only.
        case lz4
    }

    /// What happens to an existing file.
    public enum IfExists: String, OptionChoice {
        /// The run does not start.
        case fail
        /// The file is truncated.
        case overwrite
        /// The frames are appended to the file.
        case append
    }

    public struct Options: ComponentOptions {
        @Option(
            "File to write. {stream}, {file} (the file that a frame was read from) and {date} (UTC) are replaced: each frame goes to the file that its own values name.",
            isRequired: true, example: "session.jsonl")
        public var path = OutputPath("")

        @Option(
            "Format of the file: JSON Lines and MessagePack (canonical messages), CSV or MCAP. auto goes by the extension (.msgpack, .csv, .mcap), and is JSON Lines otherwise."
        )
        public var format = Format.auto

        @Option(
            "Compression of the file. gzip and zstd compress the whole file; in MCAP, zstd and lz4 compress each chunk. auto goes by the extension (.gz, .zst), and is zstd in MCAP.",
            example: "zstd")
        public var compression = Packing.auto

        @Option("What happens to an existing file. With fail, the run does not begin (exit code 3).")
        public var ifExists = IfExists.fail

        @Option(
            "In MCAP, also writes a scene of each stream for Foxglove's 3D panel: a channel /scene/STREAM of foxglove.SceneUpdate."
        )
        public var scene = false

        /// How the recording is split into several files; `nil` for a single file.
        package var split: RecordingSplit?
        /// The ring that keeps the end of the recording in memory; `nil` to write a file.
        package var ring: RecordingRing?

        /// What to do about a file that already exists, if the sink was not configured by `if_exists`; otherwise `nil`.
        package var existingHelp: String?

        public init() {}

        /// The format of the file. If the option is `auto`, the format follows from the file extension.
        package var knownFormat: Format {
            guard format == .auto else { return format }
            switch FileFormat.named(path.path) {
            case .mcap: return .mcap
            case .csv: return .csv
            case .msgpack: return .msgpack
            default: return .jsonl
            }
        }

        /// Whether the extension of a file implies a format that the sink writes. An extension such as `.gz` may follow.
        package static func impliesFormat(_ path: String) -> Bool {
            switch FileFormat.named(path) {
            case .mcap, .csv, .msgpack, .jsonl: true
            default: false
            }
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            let isRecording = knownFormat == .mcap
            if ifExists == .fail { context.noteKeepsExisting() }
            if let unknown = OutputPattern.unknown(in: path.path) {
                context.findings.error(
                    "file.placeholder", "{\(unknown)} is not a placeholder",
                    at: (node["path"] ?? node).span, path: context.path + ".path",
                    help: suggestion(
                        for: unknown, among: OutputPattern.Placeholder.allCases.map(\.rawValue), list: "placeholders"))
            }
            if isRecording, ifExists == .append {
                context.findings.error(
                    "file.append", "frames cannot be appended to an MCAP file: its index is at its end",
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
                    isRecording
                        ? "an MCAP file cannot be compressed with gzip" : "only MCAP files can be compressed with lz4",
                    at: (node["compression"] ?? node).span, path: context.path + ".compression",
                    help: isRecording ? "write compression: zstd, lz4 or none" : "write compression: zstd, gzip or none"
                )
            } else {
                checkName(node, context)
            }
        }
    }
}

extension FileSink.Options {
    /// Reports a name that says something else about the file than the options, so that readers would not understand the file.
    private func checkName(_ node: ConfigNode, _ context: DecodingContext) {
        let name = path.path
        let ending = FileCompression(path: name)
        if knownFormat == .mcap, let ending {
            context.findings.error(
                "file.compression",
                "the name of \(name) ends like a file compressed with \(ending.rawValue), but MCAP is compressed in chunks",
                at: (node["path"] ?? node).span, path: context.path + ".path", help: "end the name in .mcap")
        }
        if knownFormat != .mcap, compression != .auto, ending?.rawValue != compression.rawValue {
            if let ending {
                context.findings.error(
                    "file.compression",
                    "the name of \(name) ends like a file compressed with \(ending.rawValue), not \(compression.rawValue)",
                    at: (node["compression"] ?? node).span, path: context.path + ".compression",
                    help: "leave compression out, or change the name")
            } else if let extra = compression.nameEnding {
                context.findings.warning(
                    "file.compression",
                    "the name of \(name) does not end like a file compressed with \(compression.rawValue), so it is not decompressed when it is read",
                    at: (node["compression"] ?? node).span, path: context.path + ".compression",
                    help: "end the name in \(extra)")
            }
        }
        var named = self
        named.format = .auto
        // A recording is recognized by its first bytes, whatever its name.
        guard knownFormat != .mcap, Self.impliesFormat(name), named.knownFormat != knownFormat else { return }
        let text = "the name of \(name) ends like a file of \(named.knownFormat.rawValue), not \(knownFormat.rawValue)"
        let span = (node["format"] ?? node).span
        let help = "leave format out, or change the name"
        if named.knownFormat == .mcap {
            context.findings.error("file.format", text, at: span, path: context.path + ".format", help: help)
        } else {
            context.findings.warning("file.format", text, at: span, path: context.path + ".format", help: help)
        }
    }
}

extension FileSink.Packing {
    /// The ending of the names of files that are compressed as a whole; `nil` for other compressions.
    package var nameEnding: String? {
        switch self {
        case .gzip: ".gz"
        case .zstd: ".zst"
        case .auto, .none, .lz4: nil
        }
    }

    /// The compression of the chunks of a recording.
    package var ofChunks: Compression {
        switch self {
        case .none: .none
        case .lz4: .lz4
        case .auto, .gzip, .zstd: .zstd
        }
    }
}
