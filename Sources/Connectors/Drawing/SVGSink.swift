import Pipeline
import PipelineComponents

/// A sink that draws frames into SVG files.
public enum SVGSink: SinkComponent {
    public typealias Options = DrawingOptions

    public static let manifest = Manifest(
        name: "svg",
        summary: "Draws strokes, ink, landmarks, hands and bitmaps into SVG files",
        details: """
            Strokes and points are straight lines through their samples, with a dot at each beginning. Ink is drawn as filled \
            outlines of its widths. Landmarks are skeletons in the colors of their parts, pale if the detector's confidence is \
            low. Bitmaps are drawn as their black cells. Recognitions show what was recognized (`match: { subject: true }`). \
            Everything is scaled to fit, with its proportions kept and y down. Pieces of a stroke are joined into one figure, \
            from `begin` to `end`. A growing drawing is always replaced as a whole, so that a viewer always finds a complete \
            picture.
            """,
        drops: ["drawing_full"],
        example: """
            version: 1
            sources:
              - stdin: { kind: points }
            stages:
              - bezier
              - stroke_width
            sinks:
              - svg: { path: signature.svg, if_exists: overwrite }
            """)

    public static func accepts(_ options: Options) -> Acceptance { DrawingSinks.acceptance }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try DrawingSinks.make(options, .svg, for: input, context)
    }
}
