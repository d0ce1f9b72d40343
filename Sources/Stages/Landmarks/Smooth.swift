import Pipeline
import PipelineComponents

/// Removes jitter from landmarks, pen samples and vectors.
public struct Smooth: Stage {
    private var points: NumberSmoother
    private var world: NumberSmoother
    private let scalesByBox: Bool
    private let isOff: Bool
    private var output = Landmarks.empty

    /// Creates a stage that smooths landmarks.
    public init(_ options: Options = Options()) {
        points = NumberSmoother(options)
        world = NumberSmoother(options)
        scalesByBox = options.scaleBy != Scale.none
        isOff = options.method == .none
    }

    /// - Throws: A frame error for numbers that are not finite. The state of the filters has then not changed.
    public mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        try landmarks.check()
        if isOff { return emitter.emit(landmarks) }
        if landmarks.topology != output.topology || landmarks.points.count != output.points.count
            || landmarks.space != output.space || landmarks.hasDepth != output.hasDepth
        {
            points.reset()
        }
        if landmarks.world.count != output.world.count { world.reset() }
        let size = scalesByBox ? landmarks.points.boxSize : 1
        // Without extent there is nothing to scale by, and speeds would overflow.
        let scale = size > 1e-9 ? 1 / size : 1
        output.copy(landmarks)
        output.points.withNumbers { points.apply($0, at: header.timestamp, scale: scale) }
        output.world.withNumbers { world.apply($0, at: header.timestamp) }
        emitter.emit(output)
    }
}

extension Smooth {
    /// The smoothing method.
    public enum Method: String, OptionChoice {
        /// The 1€ filter.
        case oneEuro = "one_euro"
        /// MediaPipe's velocity filter.
        case velocity
        /// The moving median of the last few values.
        case median
        /// No smoothing.
        case none
    }

    /// The unit of length in which speeds are measured.
    public enum Scale: String, OptionChoice {
        /// The size of the landmarks' bounding box.
        case box
        /// The unit of the coordinates.
        case none
    }

    public struct Options: ComponentOptions {
        @Option("Method of smoothing.")
        public var method = Method.oneEuro

        @Option(
            "Unit of length for speeds. box: the mean of width and height of the landmarks' bounding box, so that tuning does not depend on size; world coordinates are not scaled. none: the unit of the coordinates. box by default for landmarks; only none for points and vectors.",
            example: "box")
        public var scaleBy: Scale?

        @Option("For one_euro: cutoff at rest. A lower one removes more jitter.", in: 1e-6...1e6)
        public var minCutoffHz = 1.0

        @Option("For one_euro: increase of the cutoff per unit of speed. A larger one removes lag.", in: 0...1e6)
        public var beta = 0.0

        @Option("For one_euro: cutoff for the speed.", in: 1e-6...1e6)
        public var derivativeCutoffHz = 1.0

        @Option("For velocity and median: number of steps or values in the window.", in: 1...101)
        public var window = 5

        @Option("For velocity: how much the weight of a new value grows with its speed.", in: 0...1e6)
        public var velocityScale = 10.0

        @Option("Longest pause to smooth over. After a longer one, smoothing starts over.", in: 0...3_600_000)
        public var maxGapMs = 500.0

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            // With none, the options stay for when smoothing is switched on again.
            guard method != .none else { return }
            let users: [(name: String, methods: [Method])] = [
                ("min_cutoff_hz", [.oneEuro]), ("beta", [.oneEuro]), ("derivative_cutoff_hz", [.oneEuro]),
                ("window", [.velocity, .median]), ("velocity_scale", [.velocity]),
            ]
            for (name, methods) in users where node[name] != nil && !methods.contains(method) {
                context.findings.warning(
                    "option.unused", "\"\(name)\" has no effect for \(method.rawValue)", at: node[name]?.span,
                    path: context.descending(name).path)
            }
        }
    }
}

extension [Landmarks.Point] {
    /// Calls a closure with the coordinates as one contiguous buffer of numbers.
    fileprivate mutating func withNumbers(_ body: (UnsafeMutableBufferPointer<Double>) -> Void) {
        withUnsafeMutableBytes { bytes in
            // A point is laid out as three consecutive doubles.
            bytes.withMemoryRebound(to: Double.self) { body($0) }
        }
    }
}
