import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes frames to standard output.
public enum StdoutSink: SinkComponent {
    public struct Options: ComponentOptions {
        @Option("How frames are written: pretty for people, jsonl or msgpack for other programs, csv for tables.")
        public var format = TextFormat.pretty

        public init() {}
    }

    public static let manifest = Manifest(
        name: "stdout",
        summary: "Writes frames to standard output",
        details: """
            `pretty` shows the time, the stream and the main content of the frame. For a recognition, that is the best \
            category, its score and, if the input was labeled, ✓ or ✗ with the label. `jsonl` writes canonical JSON, \
            `msgpack` writes the same objects as a sequence of MessagePack objects, and `csv` writes a header and rows.

            When the reader closes the pipe (`pipectl run … | head`), the run ends normally.
            """,
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl, kind: stroke }
            sinks:
              - stdout: { format: jsonl }
            """)

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try Maker(options: options).sink(for: input)
    }

    struct Maker: SinkMaker {
        let options: Options

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(DescriptorSink<P>(options.format, descriptor: STDOUT_FILENO))
        }
    }
}

/// Writes frames as text to a descriptor, which it does not close.
struct DescriptorSink<P: WireEncodable>: Sink {
    typealias Input = P

    private let descriptor: Int32
    private var text: FrameText<P>

    init(_ format: TextFormat, descriptor: Int32) {
        self.descriptor = descriptor
        text = FrameText(format)
    }

    var unwritten: Int { text.count }

    mutating func write(_ frame: Frame<P>) throws {
        if text.isFull { try flush() }
        try text.add(frame)
    }

    mutating func discard() { text.discard() }

    mutating func flush() throws {
        do {
            try text.empty(into: descriptor)
        } catch {
            if error.number == EPIPE { throw ReaderGone() }
            throw error.writing("standard output")
        }
    }

    mutating func close() async throws { try flush() }
}
