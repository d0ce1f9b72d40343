import Pipeline
import PipelineComponents
import Stages

/// Measures the length of every stroke. O(samples).
public struct MeasureLength: ConfigurableStage {
    public typealias Options = NoOptions

    public static let manifest = Manifest(
        name: "measure_length",
        summary: "Measures the length of every stroke",
        details:
            "The sum of the distances between neighboring samples. The distance from one stroke of a gesture to the next does not count.",
        isPure: true,
        example: """
            version: 1
            sources:
              - spirals: { count: 3 }
            stages:
              - measure_length
            sinks:
              - ruler: { path: lengths.txt }
            """)

    public init(_ options: Options, _ context: BuildContext) {}

    /// Creates the stage in Swift.
    public init() {}

    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Length>
    ) throws {
        var length = 0.0
        for range in stroke.strokeRanges {
            for (a, b) in zip(stroke.samples[range], stroke.samples[range].dropFirst()) {
                length += ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
            }
        }
        guard length.isFinite else {
            throw PipelineError.frame("length.not_finite", "the stroke's length is not finite")
        }
        emitter.emit(Length(length, label: stroke.label))
    }
}
