import Pipeline
import PipelineComponents
import Stages

/// A source that replays recorded data: a file, all files of a folder, or the files that match a pattern.
public enum FileSource: SourceComponent {
    /// Whether a file with this name, or a file of this folder, can be a table in CSV.
    package static func canBeTable(_ path: String) -> Bool { [.csv, nil].contains(FileFormat.named(path)) }

    /// Returns the paths of the files that the source reads for a path, in order: the file itself, or those of a folder or a pattern.
    ///
    /// - Throws: An environment error if there are no files, or if one cannot be read.
    package static func files(of path: String) throws(PipelineError) -> [String] {
        try FileListing.files(path, extensions: FileFormat.extensions(.auto)).map(\.path)
    }

    /// The format of a file to read.
    public enum Format: String, OptionChoice {
        /// The first of these determines the format: the extension `.mcap`, the format or preset in `decode`, the magic bytes of
        /// MCAP, another known extension, the first character.
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

    /// The times that determine when a replay emits each frame.
    public enum Pace: String, OptionChoice {
        /// The frames' own timestamps.
        case source
        /// The times of receipt, if the recording has them.
        case arrival
    }

    public struct Options: LandmarkSourceOptions {
        @Option(
            "File, folder (with its subfolders), or pattern with * ? [ ], where ** matches any number of folders.",
            isRequired: true, example: "session.jsonl")
        public var path = FilePath("")

        @Option("Kind of frames in the files. A line of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option(
            "Format of the files: JSON Lines, MessagePack, CSV, $-family gesture XML, MediaPipe's protobuf text, OpenPose's JSON, or MCAP. auto goes by decode, then by the content (MCAP) and the extension, then by the first character."
        )
        public var format = Format.auto

        @Option("How messages and rows are read.")
        public var decode = DecodeOptions()

        @Option(
            "Speed of the replay: max for as fast as frames can be processed, 1 for the recorded speed, 2 for twice that."
        )
        public var rate = ReplayRate.max

        @Option("Time that a replay follows: the timestamps of the frames, or their times of receipt.")
        public var pace = Pace.source

        @Option(
            "Time after the first frame at which the replay begins. Earlier frames are left out. If several runs were appended to a recording, each begins one second after the end of the previous one.",
            in: 0...1e12)
        public var startOffsetMs = 0.0

        @Option("Time after the start offset at which the replay ends. Later frames are left out.", in: 0...1e12)
        public var durationMs: Double?

        @Option("Whether to start over at the end. Every pass is a new epoch of its streams.")
        public var loop = false

        @Option(
            "Streams to replay, by name or by pattern (* for any characters, ? for one); all when empty.",
            example: "[pen/1, hand/*]")
        public var streams: [String] = []

        @Option(
            "New names of streams, by name or by pattern. The first match counts.", example: "{ pen/1: pen/left }")
        public var renameStreams = StreamNames()

        @Option(
            "Whether every frame carries the file and line that it was read from, and passes them on to its results: `file` and `line` in JSON and MessagePack."
        )
        public var origin = false

        @Option(
            "Largest line. A longer line is an error and is skipped. An XML file counts as one line.",
            in: 64...(4 << 30))
        public var maxLineBytes = 64 << 20

        public init() {}

        /// The format of the files. If the option is `auto`, the format follows from an `.mcap` extension, or else from the format
        /// of the messages.
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
                    help: "write kind: hands, or kind: landmarks if every file holds one hand, body or face")
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
            Reads JSON Lines (canonical JSON with one object per line, or other messages that `decode` describes), MessagePack \
            (one message after the other), CSV (one sample per row, or a whole set of landmarks; see `decode`), $-family gesture \
            files (XML), and landmarks as MediaPipe (protobuf text) and OpenPose (JSON, one file per video frame) write them. \
            Files are read in blocks, so that memory does not grow with their size. They are read in the natural order of their \
            names (2 before 10). The end of the last file ends the run.

            Files that each hold one gesture form one stream: each gesture starts one second after the last sample of the \
            previous one. Its label is the name in the file without the sample number at its end. The subject and the name of \
            the file are passed on, and are written with the results (`subject`, `file`); the name begins with the folder that \
            `path` names. Sample times inside a gesture may repeat. A time that goes back is raised to the previous one, and the \
            number of such files is logged. Sets of landmarks without times follow one another in the same way, or at the rate \
            of `decode: { hz: … }`.

            Each topic of an MCAP recording is a stream. Messages are read in the order of their log times. They are JSON or \
            MessagePack, canonical or as `decode` describes, and a message without a timestamp gets its publish time. `streams` \
            selects the topics to read if some are in another encoding; scenes (`foxglove.SceneUpdate`) are skipped. JSON Lines, \
            MessagePack and CSV can be compressed, with .gz or .zst at the end of the name.

            With `origin: true`, every frame carries its `file` and the `line` on which it began, from 1: the first row of a \
            gesture in a table, the element in a gesture file, and in MessagePack and MCAP the number of the message among those \
            that are read. Results of a frame carry the same. A frame that was recorded with its file keeps that file.

            Each unreadable message is one error, located by file, line and byte; `on_error` decides how it is handled. A binary \
            file is one error, not one per line, and so is the rest of a compressed file that is damaged or cut off; an empty file \
            is no error. A path that does not exist or cannot be read is an error before anything runs.
            """,
        drops: [.empty, "duplicate"],
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

    /// Returns a source that a verb controls.
    ///
    /// - Parameters:
    ///   - control: Pauses the replay, steps it, and runs it faster or slower.
    ///   - unmatched: Collects the patterns of streams that match nothing, which are then not logged.
    ///   - others: Counts the messages of other kinds in JSON Lines and MessagePack, which are then skipped and no errors.
    package static func make(
        _ options: Options, _ context: BuildContext, _ control: ReplayControl?, unmatched: UnmatchedStreams? = nil,
        others: OtherKinds? = nil
    ) -> any Source {
        options.kind.source(
            Maker(
                options: options, defaultStream: StreamID(context.id), control: control, unmatched: unmatched,
                others: others))
    }

    struct Maker: SourceMaker {
        let options: Options
        let defaultStream: StreamID
        let control: ReplayControl?
        let unmatched: UnmatchedStreams?
        let others: OtherKinds?

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(
                FileReplay<P>(
                    options, defaultStream: defaultStream, control: control, unmatched: unmatched, others: others))
        }
    }
}
