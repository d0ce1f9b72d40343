import Pipeline
import PipelineComponents

/// Limits the rate of each stream, in event time.
public struct Throttle<Passing: Payload>: Stage {
    /// Microseconds from one frame to the next.
    let interval: Double
    /// When the next frame is due.
    private var due = -Double.infinity

    /// Makes the stage.
    public init(_ options: ThrottleComponent.Options) { interval = 1e6 / options.maxHz }

    /// At most `maxHz` frames a second of each stream.
    public init(maxHz: Double) { self.init(ThrottleComponent.Options { $0.maxHz = maxHz }) }

    public mutating func process(
        _ payload: consuming Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        let time = Double(header.timestamp.rawValue)
        guard time >= due - interval / 20 else { return emitter.drop("throttled") }
        // Counted from when it was due, so that being early or late by a little does not add up.
        due = (time - due < interval ? due : time) + interval
        emitter.emit(payload)
    }
}

/// The `throttle` of configurations: its options, its manifest and its factory.
public enum ThrottleComponent: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Largest number of frames per second of each stream.", in: 1e-6...1e6, isRequired: true, example: "10")
        public var maxHz = 30.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "throttle",
        summary: "Limits the rate of each stream",
        details: """
            Counted in the timestamps of the stream, so the same input gives the same output at any speed. A frame may be a \
            twentieth of the interval early, so that a jittering clock at just the rate loses nothing; over time the rate holds. What does \
            not pass is dropped as `throttled`, which is no loss.
            """,
        takes: "any kind whose frames stand alone",
        example: """
            version: 1
            name: throttle-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - throttle: { max_hz: 10 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    /// Any payload; `make` refuses those whose frames continue one another.
    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try requireStandingAlone(input, for: "throttle")
        return open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        Throttle<P>(options)
    }
}
