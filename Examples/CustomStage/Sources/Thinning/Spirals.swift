import Foundation
import Pipeline
import PipelineComponents
import Stages

/// Draws spirals: an example of a custom source. The same number of spirals always gives the same strokes.
public enum Spirals: SourceComponent {
    public struct Options: ComponentOptions {
        @Option("Number of spirals to draw.", in: 0...1_000_000)
        public var count = 10

        public init() {}
    }

    public static let manifest = Manifest(
        name: "spirals",
        summary: "Draws spirals, one per second",
        details: "For trying a pipeline without data. The same number of spirals always gives the same strokes.",
        example: """
            version: 1
            sources:
              - spirals: { count: 3 }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Stroke.self)

    public static func make(_ options: Options, _ context: BuildContext) -> any Source {
        SpiralSource(count: options.count)
    }
}

/// The source that ``Spirals`` creates.
struct SpiralSource: Source {
    let count: Int
    private var drawn = 0

    init(count: Int) { self.count = count }

    mutating func read(into batch: inout SourceBatch<Stroke>) async throws -> Bool {
        while drawn < count, !batch.isFull {
            let samples = (0..<64).map { step in
                let angle = Double(step) / 8
                let radius = angle * Double(drawn % 5 + 1)
                return Sample(x: radius * cos(angle), y: radius * sin(angle), t: Double(step) * 10_000)
            }
            let stroke = Stroke(samples: samples, fields: .time, label: "spiral")
            batch.append(
                Frame(stroke, at: .milliseconds(Int64(drawn + 1) * 1000), stream: "pen", sequence: Int64(drawn)))
            drawn += 1
        }
        return drawn < count
    }
}
