import Pipeline
import PipelineComponents

/// Passes every N-th frame of each stream. Its name in a configuration is `sample`. It has nothing to do with ``Sample``, a sample
/// of a pen.
public struct SampleFrames<Passing: Payload>: Stage {
    let every: Int
    /// The number of frames to drop before the next one passes.
    private var toSkip = 0

    /// Creates a stage from its options.
    public init(_ options: SampleFramesComponent.Options) { every = options.every }

    /// Creates a stage that passes one of every `every` frames.
    public init(every: Int) { self.init(SampleFramesComponent.Options { $0.every = every }) }

    public mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        guard toSkip == 0 else {
            toSkip -= 1
            return emitter.drop("sampled")
        }
        toSkip = every - 1
        emitter.emit(payload)
    }
}

/// The `sample` component of configurations: options, manifest and factory.
public enum SampleFramesComponent: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Passes every N-th frame of each stream, beginning with the first.", in: 1...1_000_000_000,
            isRequired: true, example: "10")
        public var every = 2

        public init() {}
    }

    public static let manifest = Manifest(
        name: "sample",
        summary: "Passes every N-th frame of each stream",
        details: "The first frame passes. The others are dropped as `sampled`, which does not count as a loss.",
        takes: "any kind whose frames stand alone",
        drops: ["sampled"],
        example: """
            version: 1
            name: sample-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - sample: { every: 10 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    /// Accepts any payload; `make` rejects those whose frames continue one another.
    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try requireIndependentFrames(input, for: "sample")
        return open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        SampleFrames<P>(options)
    }
}
