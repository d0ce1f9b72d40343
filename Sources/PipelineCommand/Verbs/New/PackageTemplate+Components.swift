extension PackageTemplate {
    /// The stage that mirrors strokes.
    var stage: String {
        """
        import Pipeline
        import PipelineComponents
        import Stages

        /// Turns strokes over: what was on the left is on the right. O(samples).
        public struct Mirror: ConfigurableStage {
            public struct Options: ComponentOptions {
                @Option("The x of the mirror line.", in: -1e9...1e9)
                public var axis = 0.0

                public init() {}
            }

            public static let manifest = Manifest(
                name: "mirror",
                summary: "Turns strokes over",
                details: "What was on the left of the axis is on its right.",
                isPure: true,
                example: \"""
                    version: 1
                    sources:
                      - synthetic: { count: 4, shapes: [check] }
                    stages:
                      - mirror: { axis: 100 }
                    sinks:
                      - stdout
                    \""")

            private let axis: Double

            /// Makes the stage as a configuration describes it.
            public init(_ options: Options, _ context: BuildContext) { axis = options.axis }

            /// Makes the stage in Swift.
            public init(axis: Double) { self.axis = Options { $0.axis = axis }.axis }

            /// - Throws: A frame error for a sample that is not finite (`mirror.not_finite`).
            public mutating func process(
                _ stroke: consuming Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
            ) throws {
                for index in stroke.samples.indices {
                    stroke.samples[index].x = 2 * axis - stroke.samples[index].x
                    guard stroke.samples[index].isFinite else {
                        throw PipelineError.frame("mirror.not_finite", "a sample is not finite")
                    }
                }
                emitter.emit(stroke)
            }
        }

        """
    }

    /// The payload, and the stage that creates it.
    var payload: String {
        """
        import Connectors
        import Pipeline
        import PipelineComponents
        import Stages

        /// How wide and high a stroke is: a payload of one's own, which every source, sink and verb knows by its fields.
        public struct Extent: MessagePayload, Equatable {
            public static let kind: Kind = "extent"
            public static let summary = "How wide and high a stroke is"
            public static let fields = [
                PayloadField("width", \\Extent.width, "How wide it is, in the unit of the coordinates."),
                PayloadField("height", \\.height, "How high it is, in the unit of the coordinates."),
                PayloadField("label", \\.label, "What the stroke is meant to be."),
            ]

            public var width = 0.0
            public var height = 0.0
            public var label: String?

            public init() {}
        }

        /// Gives the extent of every stroke. O(samples).
        public struct MeasureExtent: ConfigurableStage {
            public typealias Options = NoOptions

            public static let manifest = Manifest(
                name: "measure_extent",
                summary: "Gives the extent of every stroke",
                isPure: true,
                example: \"""
                    version: 1
                    sources:
                      - synthetic: { count: 4, shapes: [check] }
                    stages:
                      - measure_extent
                    sinks:
                      - stdout
                    \""")

            /// Makes the stage as a configuration describes it.
            public init(_ options: Options, _ context: BuildContext) {}

            /// Makes the stage in Swift.
            public init() {}

            /// - Throws: A frame error for a stroke without samples (`extent.empty`) and for one that is not finite (`extent.not_finite`).
            public mutating func process(
                _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Extent>
            ) throws {
                guard let first = stroke.samples.first else {
                    throw PipelineError.frame("extent.empty", "the stroke has no samples")
                }
                var (x, y) = (first.x...first.x, first.y...first.y)
                for sample in stroke.samples {
                    guard sample.isFinite else {
                        throw PipelineError.frame("extent.not_finite", "a sample is not finite")
                    }
                    x = min(x.lowerBound, sample.x)...max(x.upperBound, sample.x)
                    y = min(y.lowerBound, sample.y)...max(y.upperBound, sample.y)
                }
                var extent = Extent()
                extent.width = x.upperBound - x.lowerBound
                extent.height = y.upperBound - y.lowerBound
                extent.label = stroke.label
                guard extent.width.isFinite, extent.height.isFinite else {
                    throw PipelineError.frame("extent.not_finite", "the extent is not finite")
                }
                emitter.emit(extent)
            }
        }

        """
    }
}
