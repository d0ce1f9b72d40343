import Pipeline
import PipelineComponents

/// Converts a stroke, or landmarks (`VectorizeLandmarks`), to a vector.
///
/// `xy` is the vector of Protractor (Li, CHI 2010); `directions` is the vector of Penny Pincher (Taranta, LaViola, GI 2015) and
/// Jackknife (Taranta et al., CHI 2017). Complexity: O(samples).
public struct Vectorize: ConfigurableStage {
    /// The features in the vector.
    public enum Layout: String, OptionChoice {
        /// x and y of every point, alternating. 2·N numbers for N points of a stroke.
        case xy
        /// x and y of the unit vectors from each point to the next; (0, 0) if the two points are equal. 2·(N − 1) numbers.
        case directions
        /// The distances between landmarks.
        case distances
    }

    public struct Options: ComponentOptions {
        @Option(
            "xy: the coordinates of every point. directions: the unit vectors from each point of a stroke to the next. distances: the distances between landmarks."
        )
        public var layout = Layout.xy

        @Option("Whether to scale the vector to unit length, so that size does not matter.")
        public var unitLength = true

        public init() {}
    }

    public static let manifest = Manifest(
        name: "vectorize",
        summary: "Converts the points of a stroke or landmarks to a vector",
        details: """
            N points of a stroke give 2·N numbers (`xy`) or 2·(N − 1) (`directions`). N landmarks give 2·N numbers, or 3·N with z \
            (`xy`), or the distances between them (`distances`). For a hand, these are 55 distances, between the wrist, the \
            knuckles and the tips, including those of the thumb. With `unit_length`, those between two tips are doubled, and \
            those between a tip and the knuckle of another finger halved, before the vector is scaled. Distances describe the \
            positions of the fingers, independent of the direction of the hand and of whether it is a left or a right hand. z is \
            used if the landmarks have it, but not in the spaces `normalized` and `pixels`, where it is less accurate than x and y.

            With `unit_length`, a stroke or hand without extent (a tap, after `normalize`) has no direction and is refused.
            """,
        isPure: true,
        example: """
            version: 1
            name: vectorize-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize
            sinks:
              - stdout
            """)

    public static func accepts(_ options: Options) -> Acceptance {
        .one(of: [PortType(Stroke.self), PortType(Landmarks.self)])
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        guard input.payload is Landmarks.Type else { return try Vectorize(options, context) }
        return VectorizeLandmarks(try LandmarkVectorizer(options, input.topology))
    }

    /// Creates a stage that converts landmarks to vectors, for use without a configuration.
    ///
    /// - Throws: A configuration error for a layout that landmarks do not have (`vectorize.layout`).
    public static func landmarks(
        _ options: Options, of topology: Topology = .hand21
    ) throws -> some Stage<Landmarks, FeatureVector> {
        VectorizeLandmarks(try LandmarkVectorizer(options, topology))
    }

    private let layout: Layout
    private let isUnit: Bool
    private var output = FeatureVector(values: [])

    /// - Throws: A configuration error for `distances`, which strokes do not have.
    public init(_ options: Options, _ context: BuildContext) throws {
        guard options.layout != .distances else {
            throw PipelineError(
                .configuration, "vectorize.layout", "distances needs landmarks, but a stroke arrives",
                help: "layout: xy takes the coordinates, layout: directions the direction from each point to the next")
        }
        layout = options.layout
        isUnit = options.unitLength
    }

    /// Creates a stage whose vectors have unit length. The layout must be `xy` or `directions`: strokes have no `distances`.
    public init(layout: Layout = Options().layout) {
        precondition(layout != .distances, "strokes have no distances: the layout must be xy or directions")
        self.layout = layout
        isUnit = true
    }

    /// - Throws: A frame error for a stroke that is empty or not finite, and for one without extent (`vectorize.no_extent`).
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        try stroke.check()
        let squares =
            layout == .directions ? fillDirections(stroke.samples) : fillCoordinates(stroke.samples)
        if isUnit { try scale(squares) }
        output.start = stroke.start
        output.end = stroke.end
        output.label = stroke.label
        output.subject = .stroke(stroke)
        emitter.emit(output)
        // A reference held any longer would keep the upstream stage from reusing the stroke's memory.
        output.subject = nil
    }

    private mutating func scale(_ squares: Double) throws {
        // For smaller sums, dividing by the length would overflow or lose all precision.
        guard squares > 1e-290 else {
            throw PipelineError.frame("vectorize.no_extent", "the stroke has no extent, so its vector has no direction")
        }
        let scale = 1 / squares.squareRoot()
        output.values.withUnsafeMutableBufferPointer { values in
            for i in values.indices { values[i] *= scale }
        }
    }

    /// Fills in the coordinates, and returns the sum of their squares.
    private mutating func fillCoordinates(_ samples: [Sample]) -> Double {
        output.values.resize(to: 2 * samples.count, filler: 0)
        return samples.withUnsafeBufferPointer { samples in
            output.values.withUnsafeMutableBufferPointer { values in
                var (squaresX, squaresY) = (0.0, 0.0)
                for i in samples.indices {
                    let (x, y) = (samples[i].x, samples[i].y)
                    values[2 * i] = x
                    values[2 * i + 1] = y
                    squaresX += x * x
                    squaresY += y * y
                }
                return squaresX + squaresY
            }
        }
    }

    /// Fills in the directions, and returns the sum of their squares.
    private mutating func fillDirections(_ samples: [Sample]) -> Double {
        output.values.resize(to: 2 * (samples.count - 1), filler: 0)
        return samples.withUnsafeBufferPointer { samples in
            output.values.withUnsafeMutableBufferPointer { values in
                var directions = 0.0
                for i in 0..<(samples.count - 1) {
                    let (dx, dy) = (samples[i + 1].x - samples[i].x, samples[i + 1].y - samples[i].y)
                    let length = (dx * dx + dy * dy).squareRoot()
                    let isPoint = length < 1e-150
                    values[2 * i] = isPoint ? 0 : dx / length
                    values[2 * i + 1] = isPoint ? 0 : dy / length
                    directions += isPoint ? 0 : 1
                }
                return directions
            }
        }
    }
}
