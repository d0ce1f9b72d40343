import Pipeline
import PipelineComponents

/// Makes a picture of eight by eight cells of a gesture: the encoding of Scribe (Gladman, 2015), with the ways between samples drawn.
///
/// The bounding box of the whole gesture is laid over the grid and every cell that a stroke passes through is black, so the
/// picture does not depend on place, size, speed, direction, or the order and number of the strokes. O(samples).
public struct Rasterize: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option(
            "How much more the shorter side of the gesture's box may be stretched than the longer one; 1 keeps the proportions.",
            in: 1...1e9)
        public var maxStretch = 2.5

        public init() {}
    }

    public static let manifest = Manifest(
        name: "rasterize",
        summary: "Draws a gesture as a picture of eight by eight cells",
        details: """
            The bounding box of all strokes of the gesture is laid over the grid, its edges in the middle of the outer cells, \
            and every cell that a stroke passes through is black: between samples the pen went straight, so fast strokes skip \
            no cell. The picture is the same in whatever order and direction the strokes are drawn.

            The box becomes a square, but its shorter side is stretched at most `max_stretch` times as much as the longer one: an upright \
            stroke stays one, and is not a tangle of its wobble stretched to a square. What is narrow lies in the middle of a column or \
            row; a tap is one black cell. The bits count row by row from the top left, which is the highest one.
            """,
        isPure: true,
        example: """
            version: 1
            name: rasterize-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - rasterize: { max_stretch: 2 }
            sinks:
              - stdout
            """)

    private let maxStretch: Double
    private var output = Bitmap(bits: 0)

    public init(_ options: Options, _ context: BuildContext) throws { maxStretch = options.maxStretch }

    /// Draws gestures.
    ///
    /// - Parameter maxStretch: How much more the shorter side of the box may be stretched than the longer one.
    public init(maxStretch: Double = Options().maxStretch) {
        self.maxStretch = Options { $0.maxStretch = maxStretch }.maxStretch
    }

    /// - Throws: A frame error for a stroke that is empty, not finite or inconsistent.
    public mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Bitmap>
    ) throws {
        try stroke.check()
        output.bits = draw(stroke)
        output.start = stroke.start
        output.end = stroke.end
        output.label = stroke.label
        output.subject = .stroke(stroke)
        emitter.emit(output)
        // Kept any longer, the stage that made the stroke could not reuse its memory.
        output.subject = nil
    }

    private func draw(_ stroke: Stroke) -> UInt64 {
        var pen = BitmapPen()
        stroke.samples.withUnsafeBufferPointer { samples in
            let (across, down) = fit(samples)
            var begin = 0
            for index in 0..<max(stroke.counts.count, 1) {
                let end = stroke.counts.isEmpty ? samples.count : begin + stroke.counts[index]
                var last = BitmapPen.Place(x: across.place(samples[begin].x), y: down.place(samples[begin].y))
                pen.dot(last)
                for sample in samples[(begin + 1)..<end] {
                    let place = BitmapPen.Place(x: across.place(sample.x), y: down.place(sample.y))
                    pen.line(from: last, to: place)
                    last = place
                }
                begin = end
            }
        }
        return pen.bits
    }

    /// How the box of the samples, of which there is at least one, is laid over the grid.
    private func fit(_ samples: UnsafeBufferPointer<Sample>) -> (across: Axis, down: Axis) {
        var (left, right) = (samples[0].x, samples[0].x)
        var (top, bottom) = (samples[0].y, samples[0].y)
        for sample in samples {
            left = min(left, sample.x)
            right = max(right, sample.x)
            top = min(top, sample.y)
            bottom = max(bottom, sample.y)
        }
        let longer = max(right - left, bottom - top)
        return (
            Axis(from: left, extent: right - left, longer: longer, maxStretch: maxStretch),
            Axis(from: top, extent: bottom - top, longer: longer, maxStretch: maxStretch)
        )
    }
}

/// How one direction of a box is laid over a row of cells.
private struct Axis {
    private let first: Double
    private let scale: Double
    private let offset: Double

    /// An extent below this is none: what is smaller cannot be scaled up without overflow.
    private static let smallestExtent = 1e-150

    /// From the middle of the first cell to that of the last one.
    private static let length = Double(Bitmap.side - 1)

    init(from first: Double, extent: Double, longer: Double, maxStretch: Double) {
        self.first = first
        let isThere = extent >= Self.smallestExtent
        scale = isThere ? min(Self.length / extent, maxStretch * (Self.length / longer)) : 0
        let covered = min(extent * scale, Self.length)
        // What fills the grid is centered on it. That center is an edge between cells: what is narrow moves on to the middle
        // of a cell, or its wobble would fall to both sides.
        let center = Double(Bitmap.side) / 2 + 0.5 * (1 - covered / Self.length)
        offset = center - covered / 2
    }

    func place(_ coordinate: Double) -> Double { offset + (coordinate - first) * scale }
}
