import Pipeline
import PipelineComponents

/// Rasterizes a gesture to an 8×8 bitmap: the encoding of Scribe (Gladman, 2015), extended with the line segments between samples.
///
/// The grid covers the bounding box of the whole gesture, and every cell that a stroke passes through is black. The bitmap is
/// therefore independent of position, size, speed, direction, and the order and number of the strokes. Complexity: O(samples).
public struct Rasterize: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option(
            "How much more the shorter side of the bounding box may be stretched than the longer one; 1 keeps the aspect ratio.",
            in: 1...1e9)
        public var maxStretch = 2.5

        public init() {}
    }

    public static let manifest = Manifest(
        name: "rasterize",
        summary: "Rasterizes a gesture to a bitmap of 8×8 cells",
        details: """
            The grid covers the bounding box of all strokes of the gesture; the edges of the box lie in the middle of the outer \
            cells. Every cell that a stroke passes through is black: the path between two samples is a straight line, so fast \
            strokes skip no cell. The bitmap does not depend on the order or the direction of the strokes.

            The box is scaled to a square, but its shorter side is stretched at most `max_stretch` times as much as the longer \
            one. An upright stroke therefore stays upright, and its wobble is not blown up to a square. A narrow gesture lies in \
            the middle of a column or row; a tap is one black cell. The bits are in row order from the top left cell, which is the \
            highest bit.
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

    /// Creates a rasterizer.
    ///
    /// - Parameter maxStretch: How much more the shorter side of the bounding box may be stretched than the longer one.
    public init(maxStretch: Double = Options().maxStretch) {
        self.maxStretch = Options { $0.maxStretch = maxStretch }.maxStretch
    }

    /// - Throws: A frame error for a stroke that is empty, not finite, or inconsistent.
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
        // A reference held any longer would keep the upstream stage from reusing the stroke's memory.
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

    /// Returns the mapping of the samples' bounding box to the grid. Requires at least one sample.
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

/// The mapping of one dimension of a bounding box to a row of cells.
private struct Axis {
    private let first: Double
    private let scale: Double
    private let offset: Double

    /// The smallest extent that is scaled. A smaller one counts as zero: scaling it up would overflow.
    private static let smallestExtent = 1e-150

    /// The distance from the middle of the first cell to the middle of the last one.
    private static let length = Double(Bitmap.side - 1)

    init(from first: Double, extent: Double, longer: Double, maxStretch: Double) {
        self.first = first
        let isScaled = extent >= Self.smallestExtent
        scale = isScaled ? min(Self.length / extent, maxStretch * (Self.length / longer)) : 0
        let covered = min(extent * scale, Self.length)
        // A box that fills the grid is centered on it. The grid's center is an edge between two cells, so a narrow box is shifted
        // to the middle of a cell. Otherwise the jitter of a nearly straight line would scatter its samples over both cells.
        let center = Double(Bitmap.side) / 2 + 0.5 * (1 - covered / Self.length)
        offset = center - covered / 2
    }

    /// Returns the position on the grid, in cells, of a coordinate of the samples.
    func place(_ coordinate: Double) -> Double { offset + (coordinate - first) * scale }
}
