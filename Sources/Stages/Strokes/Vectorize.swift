import Pipeline

/// Makes a vector of unit length of a stroke.
///
/// `xy` is the vector of Protractor (Li, CHI 2010); `directions` that of Penny Pincher (Taranta, LaViola, GI 2015) and Jackknife (Taranta et al., CHI 2017).
/// O(samples).
public struct Vectorize: ConfigurableStage {
    /// What the numbers are.
    public enum Layout: String, OptionChoice {
        /// x and y of every point, in turn.
        case xy
        /// x and y of the unit vectors from each point to the next; (0, 0) where two points are equal.
        case directions
    }

    /// The options.
    public struct Options: ComponentOptions {
        /// What the numbers are.
        public var layout = Layout.xy

        public init() {}

        public static var options: [Option<Options>] {
            Option(
                "layout", \.layout,
                "xy takes the coordinates of every point, directions the unit vectors from each point to the next.")
        }
    }

    public static let manifest = Manifest(
        name: "vectorize",
        summary: "Makes a vector of unit length of the points of a stroke",
        details: """
            2·N numbers of N points (`xy`), or 2·(N − 1) (`directions`), scaled to unit length as a whole. A stroke whose points \
            are all at the origin (a tap, after `normalize`) has no direction and is refused.
            """,
        takes: "stroke", makes: "vector", isPure: true,
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

    private let layout: Layout
    private var output = FeatureVector(values: [])

    public init(_ options: Options, _ context: BuildContext) throws { layout = options.layout }

    /// Makes vectors with a layout.
    public init(layout: Layout = .xy) { self.layout = layout }

    /// - Throws: A frame error for a stroke that is empty or not finite, and for one without extent
    ///   (`vectorize.no_extent`).
    public mutating func process(_ frame: Frame<Stroke>, into emitter: borrowing Emitter<FeatureVector>) throws {
        let stroke = frame.payload
        try stroke.check()
        let squares = layout == .xy ? fillCoordinates(stroke.samples) : fillDirections(stroke.samples)
        // Below this, dividing by the length would overflow or lose every digit.
        guard squares > 1e-290 else {
            throw PipelineError.frame("vectorize.no_extent", "the stroke has no extent, so its vector has no direction")
        }
        let scale = 1 / squares.squareRoot()
        output.values.withUnsafeMutableBufferPointer { values in
            for i in values.indices { values[i] *= scale }
        }
        output.start = stroke.start
        output.end = stroke.end
        output.label = stroke.label
        output.subject = .stroke(stroke)
        emitter.emit(output)
        // Kept any longer, the stage that made the stroke could not reuse its memory.
        output.subject = nil
    }

    /// Fills in the coordinates and returns the sum of their squares.
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

    /// Fills in the directions and returns the sum of their squares.
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
