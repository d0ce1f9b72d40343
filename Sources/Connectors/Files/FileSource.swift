import Pipeline
import PipelineComponents
import Stages

/// Replays recorded data: a file, all files of a folder, or the files that match a pattern.
public enum FileSource: SourceComponent {
    /// The format of a file to read.
    public enum Format: String, OptionChoice {
        /// By the file extension, or else by the first character.
        case auto
        /// One message per line: canonical JSON, or the format that `decode` describes.
        case jsonl
        /// MessagePack, one message after the other.
        case msgpack
        /// Comma-separated values, one sample per row.
        case csv
        /// A gesture file of the $-family, in XML.
        case xml
        /// Landmarks of one image, as MediaPipe writes them in the text format of Protocol Buffers.
        case pbtxt
        /// The people in one video frame, as OpenPose writes them in JSON.
        case openpose
        /// An MCAP recording with a channel for every stream.
        case mcap
    }

    /// The times that a replay follows.
    public enum Pace: String, OptionChoice {
        /// The frames' own timestamps.
        case source
        /// The times of receipt, if the recording has them.
        case arrival
    }

    public struct Options: LandmarkSourceOptions {
        @Option(
            "File, folder (with its subfolders), or pattern with * ? [ ], where ** stands for any number of folders.",
            isRequired: true, example: "session.jsonl")
        public var path = FilePath("")

        @Option("Kind of frames in the files. A line of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option(
            "Format of the files: JSON Lines, MessagePack, CSV, $-family gesture XML, MediaPipe's protobuf text, OpenPose's JSON, or MCAP. auto goes by decode and by the extension."
        )
        public var format = Format.auto

        @Option("How messages and rows are read.")
        public var decode = DecodeOptions()

        @Option(
            "Speed of the replay: max for as fast as frames can be processed, 1 for the recorded speed, 2 for twice that."
        )
        public var rate = ReplayRate.max

        @Option("Time that a replay follows: that of the frames, or that of their receipt.")
        public var pace = Pace.source

        @Option("Time after the first frame at which the replay begins. Earlier frames are left out.", in: 0...1e12)
        public var startOffsetMs = 0.0

        @Option("Time after the start offset at which the replay ends. Later frames are left out.", in: 0...1e12)
        public var durationMs: Double?

        @Option("Whether to begin again at the end. Every pass is a new epoch of its streams.")
        public var loop = false

        @Option(
            "Streams to replay, by name or by pattern (* for any characters, ? for one); all when empty.",
            example: "[pen/1, hand/*]")
        public var streams: [String] = []

        @Option(
            "New names of streams, by name or by pattern. The first that fits counts.", example: "{ pen/1: pen/left }")
        public var renameStreams = StreamNames()

        @Option(
            "Whether every frame carries the file and line that it was read from, and passes them on: `file` and `line` in JSON and MessagePack."
        )
        public var origin = false

        @Option("Largest line. A longer one is an error, and is skipped; an XML file is one line.", in: 64...(4 << 30))
        public var maxLineBytes = 64 << 20

        public init() {}

        /// The format of the files. If it is `auto`, it follows from an `.mcap` extension or from the format of the messages.
        var wantedFormat: Format {
            guard format == .auto else { return format }
            if FileFormat.named(path.path) == .mcap { return .mcap }
            switch decode.format ?? decode.preset?.options(for: kind).format {
            case .json, .text, .float32, .float64: return .jsonl
            case .msgpack: return .msgpack
            case .csv: return .csv
            case nil: return .auto
            }
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            let known = wantedFormat == .auto ? FileFormat.named(path.path) : wantedFormat
            decode.check(kind, isTable: known == .csv, isKnown: known != nil, node, context)
            decode.checkLines(node, context)
            checkLandmarks(node, context)
            checkKind(node, context)
            let (path, extensions) = (path.path, FileFormat.extensions(wantedFormat))
            context.noteInput(at: node["path"] ?? node) {
                ((try? FileListing.files(path, extensions: extensions)) ?? []).map(\.path)
            }
        }

        private func checkKind(_ node: ConfigNode, _ context: DecodingContext) {
            let known = format == .auto ? FileFormat.named(path.path) ?? .auto : format
            if known.isLandmarks, kind != .landmarks, kind != .hands {
                context.findings.error(
                    "file.kind", "\(known.rawValue) files hold landmarks, not \(kind.name)",
                    at: (node["kind"] ?? node).span, path: context.path + ".kind",
                    help: "write kind: hands, or kind: landmarks where every file holds one hand, body or face")
            }
            if format == .xml, kind != .stroke {
                context.findings.error(
                    "file.kind", "gesture files hold strokes, not \(kind.name)", at: (node["kind"] ?? node).span,
                    path: context.path + ".kind", help: "leave kind out, or write kind: stroke")
            }
        }
    }

    public static let manifest = Manifest(
        name: "file",
        summary: "Replays recorded data: a file, a folder or a pattern",
        details: """
            Reads JSON Lines (canonical JSON, one object a line, or other messages that `decode` describes), MessagePack (one \
            message behind the other), CSV (one sample a row, or a whole set of landmarks; see `decode`), $-family gesture \
            files (XML), and landmarks as MediaPipe (protobuf text) and OpenPose (JSON, one file a video frame) write \
            them. Files are read in blocks, so that memory does not grow with their size, in natural \
            order of their names (2 before 10). The end of the last file ends the run.

            Files that hold one gesture each form one stream: each gesture starts one second after the last sample \
            of the one before. Its label is the name in the file without the sample number at its end. Its subject and the \
            name of its file stay with it, and are written with what is made of it (`subject`, `file`); the name begins with \
            the folder that `path` names. Sample times inside a gesture may repeat; one that goes back is \
            raised to the one before it, and how often that happened is logged. Sets of landmarks without times follow one \
            another in the same way, or at `decode: { hz: … }`.

            Of an MCAP recording each topic is a stream, in the order of their log times; messages in JSON and MessagePack are read, \
            canonical or as `decode` says, and one without a timestamp has that of its publication. `streams` names the topics to \
            read where some are in another encoding; scenes (`foxglove.SceneUpdate`) are passed over. JSON Lines, MessagePack and CSV can \
            be packed: .gz and .zst at the end of a name.

            With `origin: true` every frame carries its `file` and the `line` it began on, from 1: of a gesture in a table its first row, of a \
            gesture file its element; in MessagePack and MCAP the number of its message, of those that are read. What is \
            made of a frame carries the same. A frame that was recorded with its file keeps that.

            What cannot be read is one error, located by file, line and byte; `on_error` decides what becomes of it. \
            A binary file is one error, not one a line; an empty file is none. A path that leads nowhere or may not \
            be read is an error before anything runs.
            """,
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl, kind: stroke }
            sinks:
              - stdout
            """)

    public static let makes = Production.registered

    public static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        make(options, context, nil)
    }

    /// Returns a source that a person can pause, step, and run faster or slower.
    package static func make(_ options: Options, _ context: BuildContext, _ control: ReplayControl?) -> any Source {
        options.kind.source(Maker(options: options, defaultStream: StreamID(context.id), control: control))
    }

    struct Maker: SourceMaker {
        let options: Options
        let defaultStream: StreamID
        let control: ReplayControl?

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(FileReplay<P>(options, defaultStream: defaultStream, control: control))
        }
    }
}
