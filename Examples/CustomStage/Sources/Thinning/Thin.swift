import Pipeline
import PipelineComponents
import Stages

/// Removes samples that are close to the previous sample, so that slowly drawn parts do not count more than quickly drawn ones.
///
/// The first and the last sample of every stroke are kept. O(samples).
public struct Thin: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option("Minimum distance between two samples, in the unit of the coordinates.", in: 0...1e6)
        public var minDistance = 2.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "thin",
        summary: "Removes samples that are close to the previous sample",
        details: "The first and the last sample of every stroke are kept.",
        isPure: true,
        example: """
            version: 1
            sources:
              - stdin
            stages:
              - thin: { min_distance: 4 }
            sinks:
              - stdout
            """)

    private let minDistance: Double
    private var output = Stroke(samples: [])

    /// Creates the stage from the options of a configuration.
    public init(_ options: Options, _ context: BuildContext) throws { minDistance = options.minDistance }

    /// Creates the stage in Swift.
    public init(minDistance: Double) { self.minDistance = Options { $0.minDistance = minDistance }.minDistance }

    /// Emits a stroke without the samples that are too close together.
    ///
    /// - Throws: A frame error for a sample that is not finite (`thin.not_finite`).
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) throws {
        guard stroke.samples.allSatisfy(\.isFinite) else {
            throw PipelineError.frame("thin.not_finite", "a sample is not finite")
        }
        // Reuse the output, so that no memory is allocated after the first few strokes.
        output.samples.removeAll(keepingCapacity: true)
        output.counts.removeAll(keepingCapacity: true)
        for range in stroke.strokeRanges {
            let before = output.samples.count
            keep(stroke.samples[range])
            output.counts.append(output.samples.count - before)
        }
        if stroke.counts.isEmpty { output.counts.removeAll(keepingCapacity: true) }
        output.start = stroke.start
        output.fields = stroke.fields
        output.label = stroke.label
        output.subject = stroke.subject
        emitter.emit(output)
    }

    private mutating func keep(_ samples: ArraySlice<Sample>) {
        guard var last = samples.first, let end = samples.last else { return }
        output.samples.append(last)
        for sample in samples.dropFirst().dropLast() {
            let (dx, dy) = (sample.x - last.x, sample.y - last.y)
            guard (dx * dx + dy * dy).squareRoot() >= minDistance else { continue }
            output.samples.append(sample)
            last = sample
        }
        if samples.count > 1 { output.samples.append(end) }
    }
}
