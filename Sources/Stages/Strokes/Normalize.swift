import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The smallest extent that is scaled. A smaller one counts as zero: scaling it up would overflow.
private let smallestExtent = 1e-150

/// Rotates, scales and translates a stroke, so that strokes drawn anywhere, at any size, can be compared.
///
/// The order is that of the $1 recognizer (Wobbrock, Wilson, Li, UIST 2007, steps 2 and 3): rotate about the centroid, scale,
/// translate. The eight base orientations are those of Protractor (Li, "Protractor: a fast and accurate gesture recognizer", CHI
/// 2010). Complexity: O(samples).
public struct Normalize: ConfigurableStage {
    /// The point that is moved to the origin.
    public enum Translation: String, OptionChoice {
        /// The centroid: the mean of the points.
        case centroid
        /// The center of the bounding box.
        case boxCenter = "box_center"
        /// The first point.
        case first
        /// None: the centroid keeps its position.
        case none
    }

    /// The scaling mode.
    public enum Scaling: String, OptionChoice {
        /// Scales the bounding box to a square.
        case box
        /// Scales the longer side of the bounding box to the size, and keeps the aspect ratio.
        case uniform
        /// Keeps the size.
        case none
    }

    /// The rotation mode.
    public enum Rotation: String, OptionChoice {
        /// No rotation.
        case none
        /// Rotates the stroke so that, from the centroid, the first point is in the direction `target_angle_deg`.
        case indicative
        /// Rotates the stroke so that, from the centroid, the first point is in the nearest direction that is a multiple of 45°.
        case snap8
    }

    public struct Options: ComponentOptions {
        @Option("Point that moves to the origin; none keeps the position of the centroid.")
        public var translate = Translation.centroid

        @Option("box scales the bounding box to a square, uniform keeps the aspect ratio, none keeps the size.")
        public var scale = Scaling.box

        @Option("Side of the box after scaling, in the unit of the coordinates.", in: 1e-9...1e9)
        public var size = 250.0

        @Option(
            "Largest ratio of the shorter to the longer side of the box at which a stroke counts as a line, and is scaled uniformly in either mode.",
            in: 0...1)
        public var oneDimensionalRatio = 0.2

        @Option(
            "indicative rotates the stroke so that the first point, seen from the centroid, is in the target direction; snap8 to the nearest multiple of 45°."
        )
        public var rotate = Rotation.none

        @Option("Direction that indicative rotates to, from the x axis toward y.", in: -360...360)
        public var targetAngleDeg = 0.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "normalize",
        summary: "Rotates, scales and translates a stroke to a common position, size and direction",
        details: """
            The order is: rotate about the centroid, scale about it, translate, as in $1. For another order, put two `normalize` \
            stages in a row. The defaults make strokes independent of position and size and keep their direction. A nearly \
            one-dimensional stroke (see `one_dimensional_ratio`) is scaled uniformly, because a line stretched to a square would \
            be noise; a stroke without extent keeps its size.
            """,
        isPure: true,
        example: """
            version: 1
            name: normalize-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - resample
              - normalize: { rotate: indicative, scale: uniform, size: 1 }
            sinks:
              - stdout
            """)

    /// The options of the stage.
    public let options: Options
    private let transform: StrokeTransform
    private var output = Stroke(samples: [])

    public init(_ options: Options, _ context: BuildContext) throws { self.init(options) }

    /// Creates a stage from its options. By default, it scales strokes to a centered square of side 250.
    public init(_ options: Options = Options()) {
        self.options = options
        transform = StrokeTransform(options)
    }

    /// Creates a stage with individual options.
    public init(
        translate: Translation = Options().translate, scale: Scaling = Options().scale,
        size: Double = Options().size, rotate: Rotation = Options().rotate,
        targetAngleDeg: Double = Options().targetAngleDeg
    ) {
        self.init(
            Options {
                ($0.translate, $0.scale, $0.size) = (translate, scale, size)
                ($0.rotate, $0.targetAngleDeg) = (rotate, targetAngleDeg)
            })
    }

    /// - Throws: A frame error for a stroke that is empty, not finite, or inconsistent.
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) throws {
        try stroke.check()
        output.samples.resize(to: stroke.samples.count, filler: Sample(x: 0, y: 0))
        let transform = transform
        stroke.samples.withUnsafeBufferPointer { input in
            output.samples.withUnsafeMutableBufferPointer { output in
                transform.apply(to: input, into: output)
            }
        }
        if output.counts != stroke.counts { output.counts = stroke.counts }
        output.takeMetadata(of: stroke)
        emitter.emit(output)
    }
}

/// The transformation of a stroke. It has the options as plain values, because they are read for every stroke.
private struct StrokeTransform: Sendable {
    private let translate: Normalize.Translation
    private let scale: Normalize.Scaling
    private let size: Double
    private let oneDimensionalRatio: Double
    private let rotate: Normalize.Rotation
    private let targetAngleDeg: Double

    init(_ options: Normalize.Options) {
        (translate, scale, size) = (options.translate, options.scale, options.size)
        oneDimensionalRatio = options.oneDimensionalRatio
        (rotate, targetAngleDeg) = (options.rotate, options.targetAngleDeg)
    }

    func apply(to input: UnsafeBufferPointer<Sample>, into output: UnsafeMutableBufferPointer<Sample>) {
        var sum = SIMD2<Double>()
        for sample in input { sum += sample.position }
        let center = sum / Double(input.count)

        let (cosine, sine) = rotation(fromCentroid: input[0].position - center)
        var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
        for i in input.indices {
            let d = input[i].position - center
            let turned = rotates ? SIMD2(d.x * cosine - d.y * sine, d.x * sine + d.y * cosine) : d
            output[i] = Sample(x: turned.x, y: turned.y, t: input[i].t, p: input[i].p)
            low = turned.replacing(with: low, where: low .<= turned)
            high = turned.replacing(with: high, where: high .>= turned)
        }

        let scale = factors(of: high - low)
        let offset =
            switch translate {
            // The mean of equal points can differ from them by rounding.
            case .centroid: low == high ? -low : SIMD2<Double>()
            case .boxCenter: -(low + high) / 2 * scale
            case .first: -output[0].position * scale
            case .none: center
            }
        for i in output.indices {
            let position = output[i].position * scale + offset
            (output[i].x, output[i].y) = (position.x, position.y)
        }
    }

    /// Returns the cosine and sine of the rotation angle, for the vector from the centroid to the first point.
    private func rotation(fromCentroid first: SIMD2<Double>) -> (cosine: Double, sine: Double) {
        // A first point at the centroid defines no direction.
        guard rotates, max(abs(first.x), abs(first.y)) > smallestExtent else { return (1, 0) }
        let angle = atan2(first.y, first.x)
        let target =
            rotate == .indicative
            ? targetAngleDeg * .pi / 180 : (angle / (.pi / 4)).rounded() * (.pi / 4)
        return (cos(target - angle), sin(target - angle))
    }

    private var rotates: Bool { rotate != .none }

    private func factors(of extent: SIMD2<Double>) -> SIMD2<Double> {
        let (longer, shorter) = (max(extent.x, extent.y), min(extent.x, extent.y))
        guard scale != .none, longer > smallestExtent else { return SIMD2(repeating: 1) }
        let isLine = shorter <= smallestExtent || shorter / longer <= oneDimensionalRatio
        return size / (scale == .uniform || isLine ? SIMD2(repeating: longer) : extent)
    }
}

extension Sample {
    @inline(__always)
    fileprivate var position: SIMD2<Double> { SIMD2(x, y) }
}
