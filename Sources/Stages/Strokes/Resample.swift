import CKernels
import Pipeline
import PipelineComponents

/// Spaces the samples of a stroke evenly along its path.
///
/// The algorithm is step 1 of the $1 recognizer (Wobbrock, Wilson, Li: "Gestures without libraries, toolkits or training", UIST
/// 2007), with two differences. The interval is length/(N−1), so the output has exactly N points. Every point is placed by its
/// distance from the beginning, not from the previous point, so no rounding error accumulates. O(samples + points).
public struct Resample: ConfigurableStage {
    /// The mode of resampling.
    public enum Mode: String, OptionChoice {
        /// Joins all strokes of a gesture in drawing order into one stroke of `points` points.
        case whole
        /// Resamples every stroke to `points` points.
        case perStroke = "per_stroke"
        /// Puts a point every `spacing` units on every stroke, and one at its end.
        case spacing
    }

    public struct Options: ComponentOptions {
        @Option("Number of points after resampling.", in: 2...65_536)
        public var points = 64

        @Option(
            "whole joins all strokes, in drawing order, into one; per_stroke gives every stroke its own `points` points; spacing puts a point every `spacing` units."
        )
        public var mode = Mode.whole

        @Option(
            "Distance between points, in the unit of the coordinates; for mode spacing.", in: 1e-12...1e12,
            example: "5")
        public var spacing: Double?

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if mode == .spacing, spacing == nil {
                context.findings.error(
                    "option.missing", "mode spacing needs \"spacing\"", at: node["mode"]?.span ?? node.span,
                    path: context.path, help: "add spacing: with the distance between points")
            } else if mode != .spacing, spacing != nil {
                context.findings.error(
                    "option.conflict", "\"spacing\" has no effect in mode \(mode.rawValue)", at: node["spacing"]?.span,
                    path: context.path, help: "add mode: spacing, or leave spacing out")
            }
        }
    }

    public static let manifest = Manifest(
        name: "resample",
        summary: "Spaces the points of a stroke evenly along its path",
        details: """
            The first and the last point are kept; time and pressure are interpolated like the position. In mode `whole`, the \
            strokes of a gesture are joined in drawing order, including the path from the end of one to the beginning of the \
            next. For a stroke without length, all points are equal. Follows step 1 of the $1 recognizer (Wobbrock, Wilson, Li, \
            UIST 2007), with an interval of length/(N − 1).
            """,
        isPure: true,
        example: """
            version: 1
            name: resample-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - resample: { points: 32 }
            sinks:
              - stdout
            """)

    /// The maximum number of points that are created from one gesture.
    static let mostPoints = 1_048_576

    private let options: Options
    private var output = Stroke(samples: [])
    /// The path that is being resampled, as `pk_path_measure` stores it, and the working memory of `pk_path_points`.
    private var lengths: [Double] = []
    private var reached: [Double] = []
    private var passed: [Int] = []

    public init(_ options: Options, _ context: BuildContext) throws { self.options = options }

    /// Creates a stage that resamples to a number of points.
    public init(points: Int = Options().points, mode: Mode = Options().mode) {
        options = Options { ($0.points, $0.mode) = (points, mode) }
    }

    /// Creates a stage that puts a point every `spacing` units.
    public init(spacing: Double) {
        options = Options { ($0.mode, $0.spacing) = (.spacing, spacing) }
    }

    /// - Throws: A frame error if the stroke is empty, not finite, or inconsistent, or if the output would have more than 1,048,576
    ///   points (`resample.too_many`).
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) throws {
        try stroke.check()
        defer {
            // Free the memory after a very long stroke.
            if max(lengths.count, passed.count) > 65_536 + Int(PK_POINTS_MARGIN) {
                (lengths, reached, passed) = ([], [], [])
            }
        }
        switch options.mode {
        case .whole:
            output.counts.removeAll(keepingCapacity: true)
            output.samples.resize(to: options.points, filler: Sample(x: 0, y: 0))
            place(stroke.samples, 0..<stroke.samples.count, at: 0)
        case .perStroke:
            let ranges = stroke.strokeRanges
            guard ranges.count <= Self.mostPoints / options.points else {
                throw PipelineError.frame(
                    "resample.too_many",
                    "\(options.points) points for each of \(ranges.count) strokes would be more than \(Self.mostPoints) points",
                    help: "choose fewer points")
            }
            output.counts.removeAll(keepingCapacity: true)
            if !stroke.counts.isEmpty {
                output.counts.append(contentsOf: repeatElement(options.points, count: ranges.count))
            }
            output.samples.resize(to: options.points * ranges.count, filler: Sample(x: 0, y: 0))
            for (index, range) in ranges.enumerated() { place(stroke.samples, range, at: index * options.points) }
        case .spacing:
            try space(stroke, every: options.spacing ?? 1)
        }
        output.takeMetadata(of: stroke)
        emitter.emit(output)
    }

    /// Writes `options.points` evenly spaced points along `range` to the output, starting at `offset`.
    private mutating func place(_ samples: [Sample], _ range: Range<Int>, at offset: Int) {
        let total = measure(samples, range)
        walk(samples, range, step: total / Double(options.points - 1), count: options.points, at: offset)
    }

    private mutating func space(_ stroke: Stroke, every spacing: Double) throws {
        output.counts.removeAll(keepingCapacity: true)
        var offset = 0
        for range in stroke.strokeRanges {
            let steps = measure(stroke.samples, range) / spacing
            guard steps < Double(Self.mostPoints - offset) else {
                throw PipelineError.frame(
                    "resample.too_many", "a point every \(spacing) units would be more than \(Self.mostPoints) points",
                    help: "choose a larger spacing")
            }
            // A remainder of less than a billionth of a step is a rounding error and gets no point.
            let whole = (steps + 1e-9).rounded(.down)
            let count = range.count == 1 ? 1 : Int(whole) + (steps - whole > 1e-9 ? 2 : 1)
            let points = max(count, min(range.count, 2))
            output.samples.resize(to: offset + points, filler: Sample(x: 0, y: 0))
            walk(stroke.samples, range, step: spacing, count: points, at: offset)
            if !stroke.counts.isEmpty { output.counts.append(points) }
            offset += points
        }
    }

    /// Stores the path along `range`, which is not empty, in `lengths` and `reached`. Returns its length.
    private mutating func measure(_ samples: [Sample], _ range: Range<Int>) -> Double {
        if lengths.count < range.count {
            lengths.resize(to: range.count, filler: 0)
            reached.resize(to: range.count + Int(PK_PATH_MARGIN), filler: 0)
        }
        return samples.withUnsafeBufferPointer {
            guard let numbers = $0[range].numbers else { return 0 }
            return pk_path_measure(numbers, range.count, &lengths, &reached)
        }
    }

    /// Writes `count` points along the measured path, `step` apart, to the output, starting at `offset`. The last point is the last
    /// sample.
    private mutating func walk(_ samples: [Sample], _ range: Range<Int>, step: Double, count: Int, at offset: Int) {
        if passed.count < count + Int(PK_POINTS_MARGIN) {
            passed.resize(to: count + Int(PK_POINTS_MARGIN), filler: 0)
        }
        samples.withUnsafeBufferPointer { samples in
            output.samples.withUnsafeMutableBufferPointer { output in
                guard let numbers = samples[range].numbers, let points = output[offset..<(offset + count)].numbers
                else { return }
                pk_path_points(numbers, lengths, reached, range.count, step, &passed, points, count)
            }
        }
    }
}

extension Slice<UnsafeBufferPointer<Sample>> {
    /// The samples as consecutive numbers; `nil` if there are none.
    fileprivate var numbers: UnsafePointer<Double>? {
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: self)).baseAddress?.assumingMemoryBound(to: Double.self)
    }
}

extension Slice<UnsafeMutableBufferPointer<Sample>> {
    /// The samples as consecutive numbers; `nil` if there are none.
    fileprivate var numbers: UnsafeMutablePointer<Double>? {
        UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: self)).baseAddress?
            .assumingMemoryBound(to: Double.self)
    }
}
