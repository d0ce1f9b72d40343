import Pipeline
import PipelineComponents
import Stages

extension FileSink: SinkComponent {
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
