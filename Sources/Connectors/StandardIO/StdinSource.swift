import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads frames from standard input.
public enum StdinSource: SourceComponent {
    public struct Options: LandmarkSourceOptions {
        @Option("Kind of the frames on the input. A line with a frame of another kind is an error.")
        public var kind = PayloadKind.stroke

        public var landmarks = LandmarkTraits()

        @Option("How messages are read.")
        public var decode = DecodeOptions()

        @Option("Largest line. A longer one is an error and is skipped.", in: 64...(4 << 30))
        public var maxLineBytes = 64 << 20

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            decode.check(kind, isTable: decode.format == .csv, node, context)
            decode.checkLines(node, context)
            checkLandmarks(node, context)
            checkIsOnly(node, context)
        }

        /// Reports a second source that reads standard input. Each of the two would get parts of the lines.
        private func checkIsOnly(_ node: ConfigNode, _ context: DecodingContext) {
            let path = "/dev/stdin"
            if let other = context.files?.all.first(where: { $0.purpose == .input && $0.paths() == [path] }) {
                context.findings.error(
                    "input.shared", "\"\(context.owner)\" reads standard input, \(other.clause)", at: node.span,
                    path: context.path, help: "keep one of the two, and let it feed both: from: \(other.owner)")
            }
            context.noteInput(at: node) { [path] }
        }
    }

    public static let manifest = Manifest(
        name: "stdin",
        summary: "Reads frames from standard input",
        details: """
            The input is JSON Lines (canonical JSON, one object per line), MessagePack (the same objects in sequence), CSV \
            with one sample per row, or the format that `decode` describes. Each frame is passed on as soon as its line \
            has arrived. The end of the input ends the run.
            """,
        drops: [.empty, "duplicate"],
        example: """
            version: 1
            sources:
              - stdin: { kind: stroke }
            sinks:
              - stdout
            """)

    public static let makes = Production.registered

    public static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        options.kind.source(Maker(options: options, defaultStream: StreamID(context.id)))
    }

    struct Maker: SourceMaker {
        let options: Options
        let defaultStream: StreamID

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(
                LineSource<P>(
                    options, descriptor: STDIN_FILENO, name: "standard input", defaultStream: defaultStream))
        }
    }
}

/// The implementation of ``StdinSource`` for one payload type.
struct LineSource<P: WirePayload>: Source {
    typealias Output = P

    private let options: StdinSource.Options
    private let descriptor: Int32
    private let name: String
    private let defaultStream: StreamID
    private var context: SourceContext?
    private var frames: LineFrames<P>?
    private var watch: PathWatch?

    init(_ options: StdinSource.Options, descriptor: Int32, name: String, defaultStream: StreamID) {
        self.options = options
        self.descriptor = descriptor
        self.name = name
        self.defaultStream = defaultStream
    }

    // The source is live, because the process that writes to the pipe decides when lines arrive.
    var timing: SourceTiming { .live }
    var output: PortType { PortType(P.self, attributes: options.knownLandmarks.attributes) }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        guard SystemCalls.isReadable(descriptor) else {
            throw PipelineError.environment("file.unreadable", "\(name) is closed")
        }
        let waker = try Waker()
        context.stop.onRequest { waker.wake() }
        let lines = LineReader(
            descriptor: descriptor, ownsDescriptor: false, maxLineBytes: options.maxLineBytes, waker: waker)
        watch = PathWatch(options.decode, context.log, isLive: true)
        frames = try LineFrames(
            lines, isTable: options.decode.format == .csv, origins: FileOrigins(file: name), decode: options.decode,
            defaultStream: defaultStream, landmarks: options.landmarks, clock: context.clock, watch: watch,
            timeline: GestureTimeline.Shared())
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        while !batch.isFull, frames != nil, context?.stop.isRequested == false {
            // Returns the frames that have already arrived before it waits for more.
            if !batch.isEmpty, frames?.hasItem != true { return true }
            let item: ReadItem<P>?
            do { item = try frames?.next() } catch { throw error.reading(name) }
            switch item {
            case .frame(let frame): batch.append(frame)
            case .empty(let stream, let time, let number):
                batch.drop(stream: stream, at: time, sequence: number, .empty)
            case .failure(let error, let stream): batch.fail(error, stream: stream)
            case .end(let stream, let end): batch.append(.end(stream, end))
            case nil: frames = nil
            }
        }
        if context?.stop.isRequested != false { frames = nil }
        return !batch.isEmpty || frames != nil
    }

    mutating func close() async {
        frames = nil
        watch?.finish()
        watch = nil
    }
}
