import Pipeline
import PipelineComponents

/// Limits the frame rate of each stream, in event time.
public struct Throttle<Passing: Payload>: Stage {
    /// The interval between frames, in microseconds.
    let interval: Double
    /// The time at which the next frame is due, in microseconds.
    private var due = -Double.infinity

    /// Creates a stage from its options.
    public init(_ options: ThrottleComponent.Options) { interval = 1e6 / options.maxHz }

    /// Creates a stage that passes at most `maxHz` frames per second of each stream.
    public init(maxHz: Double) { self.init(ThrottleComponent.Options { $0.maxHz = maxHz }) }

    public mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        let time = Double(header.timestamp.rawValue)
        guard time >= due - interval / 20 else { return emitter.drop("throttled") }
        // Count from the due time, not from the frame's time: otherwise small deviations would add up.
        due = (time - due < interval ? due : time) + interval
        emitter.emit(payload)
    }
}

/// The `throttle` component of configurations: options, manifest and factory.
public enum ThrottleComponent: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Largest number of frames per second of each stream.", in: 1e-6...1e6, isRequired: true, example: "10")
        public var maxHz = 30.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "throttle",
        summary: "Limits the frame rate of each stream",
        details: """
            The rate is measured in the timestamps of the stream, so the same input gives the same output at any speed. A frame \
            is due one interval after the previous one was due, so a late frame does not delay those after it, and over time the \
            rate holds. After a pause of an interval, counting starts over. A frame may be early by a twentieth of the interval, \
            so that a jittering clock at exactly this rate loses nothing. Frames above the rate are dropped as `throttled`, which \
            does not count as a loss.
            """,
        takes: "any kind whose frames stand alone",
        drops: ["throttled"],
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

    /// Accepts any payload; `make` rejects those whose frames continue one another.
    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try requireIndependentFrames(input, for: "throttle")
        return open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        Throttle<P>(options)
    }
}
