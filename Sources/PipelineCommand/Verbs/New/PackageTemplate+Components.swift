extension PackageTemplate {
    /// The source text of the stage that mirrors strokes.
    var stage: String {
        """
        import Pipeline
        import PipelineComponents
        import Stages

        /// Mirrors strokes at a vertical line, which swaps left and right. O(samples).
        public struct Mirror: ConfigurableStage {
            public struct Options: ComponentOptions {
                @Option("The x of the mirror line.", in: -1e9...1e9)
                public var axis = 0.0

                public init() {}
            }

            public static let manifest = Manifest(
                name: "mirror",
                summary: "Mirrors strokes at a vertical line",
                details: "Samples on the left of the axis move to its right, and the other way around.",
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

            /// Creates the stage from a configuration.
            public init(_ options: Options, _ context: BuildContext) { axis = options.axis }

            /// Creates the stage in Swift.
            public init(axis: Double) { self.axis = Options { $0.axis = axis }.axis }

            /// - Throws: A frame error for a sample that is not finite (`mirror.not_finite`).
            public mutating func process(
                _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
            ) throws {
                var mirrored = stroke
                for index in mirrored.samples.indices {
                    mirrored.samples[index].x = 2 * axis - stroke.samples[index].x
                    guard mirrored.samples[index].isFinite else {
                        throw PipelineError.frame("mirror.not_finite", "a sample is not finite")
                    }
                }
                emitter.emit(mirrored)
            }
        }

        """
    }

    /// The source text of the payload, and of the stage that emits it.
    var payload: String {
        """
        import Connectors
        import Pipeline
        import PipelineComponents
        import Stages

        /// The width and height of a stroke: a custom payload, which every source, sink and verb handles through its fields.
        public struct Extent: MessagePayload, Equatable {
            public static let kind: Kind = "extent"
            public static let summary = "The width and height of a stroke"
            public static let fields = [
                PayloadField("width", \\Extent.width, "The width, in the unit of the coordinates."),
                PayloadField("height", \\.height, "The height, in the unit of the coordinates."),
                PayloadField("label", \\.label, "The intended class of the stroke."),
            ]

            public var width = 0.0
            public var height = 0.0
            public var label: String?

            public init() {}
        }

        /// Measures the extent of every stroke. O(samples).
        public struct MeasureExtent: ConfigurableStage {
            public typealias Options = NoOptions

            public static let manifest = Manifest(
                name: "measure_extent",
                summary: "Measures the extent of every stroke",
                details: "The extent is the width and height of the smallest rectangle that holds all samples.",
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

            /// Creates the stage from a configuration.
            public init(_ options: Options, _ context: BuildContext) {}

            /// Creates the stage in Swift.
            public init() {}

            /// - Throws: A frame error for a stroke without samples (`extent.empty`), and for a sample or an extent that is not
            ///   finite (`extent.not_finite`).
            public mutating func process(
                _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Extent>
            ) throws {
                guard let first = stroke.samples.first else {
                    throw PipelineError.frame("extent.empty", "the stroke has no samples")
                }
                var (left, right, top, bottom) = (first.x, first.x, first.y, first.y)
                for sample in stroke.samples {
                    guard sample.isFinite else {
                        throw PipelineError.frame("extent.not_finite", "a sample is not finite")
                    }
                    (left, right) = (min(left, sample.x), max(right, sample.x))
                    (top, bottom) = (min(top, sample.y), max(bottom, sample.y))
                }
                var extent = Extent()
                extent.width = right - left
                extent.height = bottom - top
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
