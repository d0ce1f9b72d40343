import Pipeline
import PipelineComponents

/// Turns points or strokes into smooth ink.
public enum Bezier: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Distance between points of the curve, in the unit of the coordinates: 1 for pixels, 0.002 for coordinates from 0 to 1.",
            in: 1e-9...1e9)
        public var spacing = 1.0

        @Option("Width of the ink, in the unit of the coordinates. stroke_width varies it.", in: 0...1e9)
        public var width = 2.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "bezier",
        summary: "Turns points or strokes into smooth ink",
        details: """
            The curve consists of quadratic Bézier pieces through the midpoints between samples, with the samples as control \
            points, so it has no corners. A sample at the position of the previous one is ignored. The points of the ink are \
            evenly spaced along it. The curve begins at the first sample and ends at the last; a tap is one point. From `points`, \
            ink is produced piece by piece while the pen moves, half a sample behind it; all pieces together equal the ink of the \
            whole `stroke`. If points are missing, the ink drawn of their stroke is canceled, and the rest of the stroke is \
            dropped as `interrupted_stroke`. Movement between strokes is dropped as `hover`. Follows Harwig's "Capture a Signature on iOS" (SignatureDemo).
            """,
        drops: ["hover", "stroke_cancelled"],
        example: """
            version: 1
            name: bezier-example
            sources:
              - stdin: { kind: points }
            stages:
              - bezier: { spacing: 1.5 }
              - stroke_width
            sinks:
              - stdout: { format: jsonl }
            """)

    public static let makes = Production.of(Ink.self)

    public static func accepts(_ options: Options) -> Acceptance {
        .one(of: [PortType(Points.self), PortType(Stroke.self)])
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        input.kind == Stroke.kind ? StrokeBezier(options) : PointsBezier(options)
    }
}

/// Turns strokes into ink piece by piece, while they are drawn.
public struct PointsBezier: Stage {
    private var curve: MidpointCurve
    private var progress = StrokeProgress()
    private var output = Ink(phase: .begin, points: [], isTimed: true)
    private var spacingCheck: SpacingCheck

    /// Creates a stage from its options.
    public init(_ options: Bezier.Options = Bezier.Options()) {
        curve = MidpointCurve(step: options.spacing, width: options.width)
        spacingCheck = SpacingCheck(spacing: options.spacing)
    }

    /// - Throws: A frame error for samples that are not finite or too large (`points.not_finite`), or so far apart that one sample or
    ///   the frame would cause too many points (`bezier.too_many`). The stroke in progress is then canceled
    ///   with the next frame, and its rest dropped.
    public mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Ink>
    ) throws {
        var before = progress
        do {
            try take(points, header, emitter, &before)
        } catch {
            progress = before
            progress.noteRejected()
            output.clear()
            throw error
        }
    }

    private mutating func take(
        _ points: Points, _ header: borrowing Header, _ emitter: borrowing Emitter<Ink>,
        _ before: inout StrokeProgress
    ) throws {
        try points.check()
        switch progress.step(points.phase.ink, gap: header.gap) {
        case .begin(let after):
            if let after { try close(after, emitter) }
            // If this frame fails, nothing of its stroke was emitted, and the stroke before it is closed.
            before = StrokeProgress()
            curve.begin()
            spacingCheck.begin()
            let isTimed = points.fields.contains(.time)
            let offset = isTimed ? Int64(max(min(points.samples.first?.t ?? 0, 9e15), 0)) : 0
            output.start = isTimed ? points.start.advanced(byMicroseconds: offset) : header.timestamp
            output.stroke = points.stroke
            try add(points, header)
            emit(.begin, emitter)
        case .continues(let isLast):
            try add(points, header)
            if isLast {
                try close(.end, emitter)
            } else if !output.points.isEmpty {
                emit(.move, emitter)
            }
        case .canceled: emit(.cancel, emitter)
        case .stray(let reason, let cancelsStroke):
            if cancelsStroke { emit(.cancel, emitter) }
            emitter.drop(reason)
        case .whole: break
        }
    }

    private mutating func add(_ points: Points, _ header: borrowing Header) throws {
        let isTimed = points.fields.contains(.time)
        let offset = Double((isTimed ? points.start : header.timestamp).microseconds(since: output.start))
        for var sample in points.samples {
            sample.t = isTimed ? offset + sample.t : offset
            try curve.append(sample, into: &output.points)
        }
        spacingCheck.count(samples: points.samples.count, points: output.points.count)
    }

    /// Ends the stroke in progress with a phase: `end`, or `cancel` if the consumer must discard it.
    private mutating func close(_ phase: Ink.Phase, _ emitter: borrowing Emitter<Ink>) throws {
        if phase == .end {
            try curve.finish(into: &output.points)
            spacingCheck.end(emitter)
        }
        emit(phase, emitter)
    }

    private mutating func emit(_ phase: Ink.Phase, _ emitter: borrowing Emitter<Ink>) {
        output.phase = phase
        emitter.emit(output)
        output.clear()
    }
}

/// Turns whole gestures into ink.
public struct StrokeBezier: Stage {
    private var curve: MidpointCurve
    private var output = Ink(points: [])
    private var spacingCheck: SpacingCheck

    /// Creates a stage from its options.
    public init(_ options: Bezier.Options = Bezier.Options()) {
        curve = MidpointCurve(step: options.spacing, width: options.width)
        spacingCheck = SpacingCheck(spacing: options.spacing)
    }

    /// - Throws: A frame error for a stroke that is empty, not finite, or inconsistent, or that would have too many points
    ///   (`bezier.too_many`).
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Ink>
    ) throws {
        try stroke.check()
        output.clear()
        for range in stroke.strokeRanges {
            let before = output.points.count
            curve.begin()
            spacingCheck.begin()
            for sample in stroke.samples[range] {
                try curve.append(sample, into: &output.points)
            }
            try curve.finish(into: &output.points)
            spacingCheck.count(samples: range.count, points: output.points.count - before)
            spacingCheck.end(emitter)
            output.counts.append(output.points.count - before)
        }
        if output.counts.count == 1 { output.counts.removeAll(keepingCapacity: true) }
        output.start = stroke.start
        output.isTimed = stroke.fields.contains(.time)
        output.label = stroke.label
        output.subject = stroke.subject
        emitter.emit(output)
    }
}

/// Detects a spacing that is too wide for the coordinates, for example 1 for coordinates from 0 to 1, and warns once.
private struct SpacingCheck: Sendable {
    let spacing: Double
    private var (samples, points) = (0, 0)
    private var hasWarned = false

    init(spacing: Double) { self.spacing = spacing }

    mutating func begin() { (samples, points) = (0, 0) }

    mutating func count(samples: Int, points: Int) {
        self.samples += samples
        self.points += points
    }

    mutating func end(_ emitter: borrowing Emitter<Ink>) {
        guard samples >= 16, points <= 4, !hasWarned else { return }
        hasWarned = true
        emitter.log(
            .warning,
            "a stroke of \(samples) samples makes only \(points) points \(spacing) apart: choose a smaller spacing"
        )
    }
}
