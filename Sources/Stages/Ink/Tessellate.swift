import Pipeline
import PipelineComponents

/// Covers ink with triangles, ready to be filled by a GPU.
public struct Tessellate: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option("Number of triangles in a half circle.", in: 2...256)
        public var arcSteps = 8

        public init() {}
    }

    public static let manifest = Manifest(
        name: "tessellate",
        summary: "Covers ink with triangle strips, one per stroke",
        details: """
            Every point has two vertices, half a width to either side. Caps, sharp turns and dots are round; a tap is a disc. The \
            strip grows while the pen moves, one point behind it, and all pieces together are the strip of the whole stroke: \
            append the vertices of each frame to the previous ones. Triangles overlap, so fill them without transparency. The ink \
            keeps its center lines.
            """,
        drops: ["hover", "stroke_cancelled"],
        example: """
            version: 1
            name: tessellate-example
            sources:
              - stdin: { kind: points }
            stages:
              - bezier
              - stroke_width
              - tessellate
            sinks:
              - stdout: { format: jsonl }
            """)

    private let options: Options
    private var strip: TriangleStrip
    private var progress = StrokeProgress()
    private var output = Ink(points: [])

    public init(_ options: Options, _ context: BuildContext) throws { self.init(options) }

    /// Creates a stage from its options.
    public init(_ options: Options = Options()) {
        self.options = options
        strip = TriangleStrip(arcSteps: options.arcSteps)
    }

    /// - Throws: A frame error for ink that is not finite or inconsistent. The stroke in progress is then canceled with the next
    ///   frame.
    public mutating func process(_ ink: Ink, _ header: borrowing Header, into emitter: borrowing Emitter<Ink>) throws {
        do {
            try ink.check()
        } catch {
            progress.noteRejected()
            throw error
        }
        switch progress.step(ink.phase, gap: header.gap) {
        case .whole:
            take(ink)
            var own = TriangleStrip(arcSteps: options.arcSteps)
            for range in ink.strokeRanges {
                let before = output.mesh.count
                own.append(ink.points[range], into: &output.mesh)
                own.finish(into: &output.mesh)
                if !ink.counts.isEmpty { output.meshCounts.append(output.mesh.count - before) }
            }
        case .begin(let after):
            if let after { emitEnd(after, emitter) }
            take(ink)
            strip.begin()
            strip.append(ink.points[...], into: &output.mesh)
        case .continues(let isLast):
            take(ink)
            strip.append(ink.points[...], into: &output.mesh)
            if isLast { strip.finish(into: &output.mesh) }
        case .canceled: take(ink)
        case .stray(let reason, let cancelsStroke):
            emitter.drop(reason)
            guard cancelsStroke else { return }
            return emitEnd(.cancel, emitter)
        }
        emitter.emit(output)
    }

    private mutating func take(_ ink: Ink) {
        output.clear()
        output.takeMetadata(of: ink)
        output.points.append(contentsOf: ink.points)
        output.counts.append(contentsOf: ink.counts)
    }

    /// Ends or cancels the stroke in progress, which its sender left open.
    private mutating func emitEnd(_ phase: Ink.Phase, _ emitter: borrowing Emitter<Ink>) {
        output.clear()
        output.phase = phase
        if phase == .end { strip.finish(into: &output.mesh) }
        emitter.emit(output)
    }
}
