import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sets the width of ink by the speed of the pen.
public struct StrokeWidth: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option("Width at the highest speed of the pen, in the unit of the coordinates.", in: 0...1e9)
        public var minWidth = 1.0

        @Option("Width at the lowest speed of the pen, in the unit of the coordinates.", in: 0...1e9)
        public var maxWidth = 5.0

        @Option("Highest speed at which ink has max_width, in units of the coordinates per second.", in: 0...1e12)
        public var minSpeed = 50.0

        @Option("Lowest speed at which ink has min_width, in units of the coordinates per second.", in: 1e-9...1e12)
        public var maxSpeed = 1500.0

        @Option(
            "Time constant of the low-pass filter of the speed. A larger one makes the width change more slowly.",
            in: 0.1...10_000)
        public var smoothingMs = 40.0

        public init() {}

        /// Reports ranges whose bounds are reversed.
        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if minWidth > maxWidth {
                context.findings.error(
                    "option.conflict",
                    "min_width \(shortDecimal(minWidth)) is more than max_width \(shortDecimal(maxWidth))",
                    at: (node["min_width"] ?? node["max_width"] ?? node).span, path: context.path,
                    help: "a fast pen draws thin: min_width is the smaller one")
            }
            if minSpeed >= maxSpeed {
                context.findings.error(
                    "option.conflict",
                    "min_speed \(shortDecimal(minSpeed)) is not less than max_speed \(shortDecimal(maxSpeed))",
                    at: (node["min_speed"] ?? node["max_speed"] ?? node).span, path: context.path,
                    help: "a slow pen draws thick: min_speed is the smaller one")
            }
        }
    }

    public static let manifest = Manifest(
        name: "stroke_width",
        summary: "Sets the width of ink by the speed of the pen: thick when slow, thin when fast",
        details: """
            The width falls linearly from `max_width` at `min_speed` to `min_width` at `max_speed`. The speed is smoothed by a \
            first-order low-pass filter that works in time, not in samples, and starts at rest with every stroke: the same \
            movement gives the same widths at any sampling rate. Ink without times has no speed and is refused. Follows \
            SignatureDemo (Harwig, "Capture a Signature on iOS").
            """,
        drops: ["hover", "stroke_cancelled"],
        example: """
            version: 1
            name: stroke-width-example
            sources:
              - stdin: { kind: points }
            stages:
              - bezier
              - stroke_width: { min_width: 0.8, max_width: 4 }
            sinks:
              - stdout: { format: jsonl }
            """)

    /// The parameters of the linear function from speed to width: the width's bounds, the lowest speed, and the slope.
    private typealias Rule = (least: Double, most: Double, floor: Double, narrowing: Double)

    private let smoothing: Double
    private let rule: Rule
    private var speed: PenSpeed
    private var progress = StrokeProgress()
    private var output = Ink(points: [])

    public init(_ options: Options, _ context: BuildContext) throws { self.init(options) }

    /// Creates a stage from its options.
    public init(_ options: Options = Options()) {
        smoothing = options.smoothingMs * 1000
        let narrowing = (options.maxWidth - options.minWidth) / (options.maxSpeed - options.minSpeed)
        rule = (options.minWidth, options.maxWidth, options.minSpeed, narrowing)
        speed = PenSpeed(smoothing: smoothing)
    }

    /// - Throws: A frame error for ink that has no times (`stroke_width.no_times`), is not finite, or is inconsistent. The stroke
    ///   in progress is then canceled with the next frame.
    public mutating func process(_ ink: Ink, _ header: borrowing Header, into emitter: borrowing Emitter<Ink>) throws {
        do {
            try ink.check()
            guard ink.isTimed || ink.points.isEmpty else {
                throw PipelineError.frame(
                    "stroke_width.no_times", "the ink has no times, so its pen has no speed",
                    help: "record samples with times, or leave stroke_width out: bezier has a width of its own")
            }
        } catch {
            progress.noteRejected()
            throw error
        }
        output.clear()
        output.takeMetadata(of: ink)
        switch progress.step(ink.phase, gap: header.gap) {
        case .whole:
            output.points.append(contentsOf: ink.points)
            output.counts.append(contentsOf: ink.counts)
            var own = PenSpeed(smoothing: smoothing)
            for range in ink.strokeRanges {
                own.begin()
                Self.setWidths(range, of: &output.points, &own, rule)
            }
        case .begin:
            speed.begin()
            continueStroke(ink)
        case .continues: continueStroke(ink)
        case .canceled: break
        case .stray(let reason, let cancelsStroke):
            emitter.drop(reason)
            guard cancelsStroke else { return }
            output.phase = .cancel
        }
        emitter.emit(output)
    }

    private mutating func continueStroke(_ ink: Ink) {
        output.points.append(contentsOf: ink.points)
        Self.setWidths(0..<output.points.count, of: &output.points, &speed, rule)
    }

    private static func setWidths(
        _ range: Range<Int>, of points: inout [Ink.Point], _ speed: inout PenSpeed, _ rule: Rule
    ) {
        // Work on a copy that the compiler can keep in registers.
        var pen = speed
        points.withUnsafeMutableBufferPointer { points in
            for i in range {
                let width = rule.most - rule.narrowing * (pen.follow(points[i]) - rule.floor)
                points[i].width = min(max(width, rule.least), rule.most)
            }
        }
        speed = pen
    }
}

/// The speed of a pen, smoothed by a first-order low-pass filter.
///
/// The speed is taken as constant between two points, for which the filter has a closed form. With time constant τ, distance d and
/// time Δt: v ← v·e^(−Δt/τ) + (d/τ)·(1 − e^(−x))/x, where x = Δt/τ. The formula also holds for Δt = 0, and dividing a movement into
/// more samples does not change the result.
struct PenSpeed: Sendable {
    private let perSmoothing: Double
    private var last = Ink.Point(x: 0, y: 0)
    private var awaitsFirstPoint = true
    private var value = 0.0

    /// Creates a filter with a time constant in microseconds.
    init(smoothing: Double) { perSmoothing = 1 / smoothing }

    /// Starts a new stroke, at rest.
    mutating func begin() {
        awaitsFirstPoint = true
        value = 0
    }

    /// Returns the smoothed speed at the next point, in units per second. O(1).
    mutating func follow(_ point: Ink.Point) -> Double {
        defer { last = point }
        guard !awaitsFirstPoint else {
            awaitsFirstPoint = false
            return value
        }
        let x = max(point.t - last.t, 0) * perSmoothing
        let gain = Self.gain(x)
        value = value * (1 - x * gain) + last.distance(to: point) * perSmoothing * gain * 1e6
        return value
    }

    /// Returns (1 − e^(−x))/x. The points of a stroke are mostly so close in time that seven terms of the series are exact, and
    /// faster to compute.
    private static func gain(_ x: Double) -> Double {
        guard x < 0.03 else { return (1 - exp(-x)) / x }
        return 1 - x * (1.0 / 2)
            * (1 - x * (1.0 / 3) * (1 - x * (1.0 / 4) * (1 - x * (1.0 / 5) * (1 - x * (1.0 / 6) * (1 - x * (1.0 / 7))))))
    }
}
