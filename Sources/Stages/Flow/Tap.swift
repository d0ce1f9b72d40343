import Pipeline
import PipelineComponents

/// Logs passing frames on standard error, and passes them on unchanged.
public struct Tap<Passing: Payload>: Stage {
    private let options: TapComponent.Options
    private var toSkip = 0
    private var next = Timestamp.beforeAll

    /// Creates a stage that writes to the log of the run.
    public init(_ options: TapComponent.Options = TapComponent.Options()) { self.options = options }

    public mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        if toSkip > 0 {
            toSkip -= 1
        } else {
            toSkip = options.every - 1
            if header.timestamp >= next {
                next = header.timestamp.advanced(byMilliseconds: 1000 / options.maxHz)
                emitter.log(.info, line(payload, header))
            }
        }
        emitter.emit(payload)
    }

    private func line(_ payload: Passing, _ header: borrowing Header) -> String {
        var line = options.label.isEmpty ? "" : "\(options.label): "
        line += "\(Passing.kind)"
        if !header.stream.name.isEmpty { line += " of \(header.stream)" }
        line += ", frame \(header.sequence) at \(header.timestamp)"
        if header.gap > 0 { line += ", \(header.gap) missing before it" }
        switch payload {
        case let stroke as Stroke:
            line += ", \(stroke.samples.count) samples" + (stroke.label.map { ", \($0)" } ?? "")
        case let points as Points:
            line += ", \(points.phase.rawValue), \(points.samples.count) samples"
        case let vector as FeatureVector:
            line += ", \(vector.values.count) numbers" + (vector.label.map { ", \($0)" } ?? "")
        case let recognition as Recognition:
            line += ", \(recognition.best.name) \((recognition.best.score * 1000).rounded() / 1000)"
        default: break
        }
        return line
    }
}

/// The `tap` component of configurations: options, manifest and factory.
public enum TapComponent: StageComponent {
    public struct Options: ComponentOptions {
        @Option("Logs every N-th frame of each stream, beginning with the first.", in: 1...1_000_000_000)
        public var every = 1

        @Option(
            "Maximum number of frames logged per second of each stream, in stream time.", in: 1e-6...1e6)
        public var maxHz = 10.0

        @Option("Text at the beginning of the line, after the id.")
        public var label = ""

        public init() {}
    }

    public static let manifest = Manifest(
        name: "tap",
        summary: "Logs passing frames on standard error, and passes them on unchanged",
        details:
            "For debugging. A line has the frame's kind, stream, number, time and gap, and its label or best category if there is one.",
        example: """
            version: 1
            name: tap-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - tap: { every: 100 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        Tap<P>(options)
    }
}
