import Pipeline
import PipelineComponents
import Stages

extension FileSink: SinkComponent {
    public static let manifest = Manifest(
        name: "file",
        summary: "Writes frames to a file",
        details: """
            JSON Lines and MessagePack contain everything that a frame has, including unknown keys that it was read with; the \
            `file` source reads them back. In live mode, they also contain the time of receipt (`recv_us`, from the monotonic \
            clock), so that a replay or a simulation can emit every frame at its arrival time. When no more frames are waiting, \
            everything is written out, so that other programs can read it.

            A file whose name ends in .mcap is a recording that Foxglove and the MCAP libraries of other languages can open. \
            Each stream has a channel with a JSON Schema. The messages are those of JSON Lines, with the arrival time as log \
            time and the frame's own timestamp as publish time. Chunks are written at least every second, so that a program that \
            is killed loses no more than that. With `scene`, Foxglove's 3D panel can show the recording directly.

            With {stream}, {file} or {date} in the path, there is one file for each stream, each input file, or each day. Each \
            file is started with its first frame, and at most 500 are open at a time. In the replaced names, every character \
            except letters, digits and . _ - becomes -, so pen/1 becomes pen-1.
            """,
        drops: ["no_peer", "too_many_streams"],
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
                help: "strokes, points, ink, landmarks, hands and results have one; leave scene out for other kinds")
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
