import Pipeline
import PipelineComponents

/// Lets every N-th frame of each stream pass. `sample` in a configuration; a ``Sample`` is one of a pen.
public struct SampleFrames<Passing: Payload>: Stage {
    let every: Int
    /// How many frames are still to be let go.
    private var toSkip = 0

    /// Passes one frame of `every`.
    public init(every: Int) { self.every = max(every, 1) }

    public mutating func process(
        _ payload: consuming Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        guard toSkip == 0 else {
            toSkip -= 1
            return emitter.drop("sampled")
        }
        toSkip = every - 1
        emitter.emit(payload)
    }
}

/// The `sample` of configurations: its options, its manifest and its factory.
public enum SampleFramesComponent: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "One of how many frames of each stream passes: the first, then each N-th after it.", in: 1...1_000_000_000,
            isRequired: true, example: "10")
        public var every = 2

        public init() {}

        /// One of so many passes.
        public init(every: Int) { self.every = every }
    }

    /// What it says about itself.
    public static let manifest = Manifest(
        name: "sample",
        summary: "Lets every N-th frame of each stream pass",
        details: "The first frame passes. The others are dropped as `sampled`, which is no loss.",
        takes: "any kind whose frames stand alone", makes: "what it takes",
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

    /// Takes any payload; `make` refuses those whose frames continue one another.
    public static func accepts(_ options: Options) -> Acceptance { .any }

    /// Makes the stage for what arrives.
    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try requireStandingAlone(input, for: "sample")
        return open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        SampleFrames<P>(every: options.every)
    }
}
