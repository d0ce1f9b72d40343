import MCAP
import Pipeline
import PipelineComponents
import Stages

/// Writes frames to a file.
public enum FileSink {
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
