import Pipeline
import PipelineComponents

/// A sink that draws frames into PNG files.
public enum PNGSink: SinkComponent {
    public typealias Options = DrawingOptions

    public static let manifest = Manifest(
        name: "png",
        summary: "Draws strokes, ink, landmarks, hands and bitmaps into PNG files",
        details: """
            Draws the same pictures as `svg`, with smooth edges and two pixels per unit of the picture. A picture has at most \
            64 million pixels; a larger one is written with fewer pixels per unit.
            """,
        drops: ["drawing_full"],
        example: """
            version: 1
            sources:
              - file: { path: session.jsonl }
            sinks:
              - png: { path: sheet.png, output: sheet, theme: dark, if_exists: overwrite }
            """)

    public static func accepts(_ options: Options) -> Acceptance { DrawingSinks.acceptance }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        try DrawingSinks.make(options, .png, for: input, context)
    }
}
