extension Explanation {
    /// Codes about ink and pictures.
    static let pictures = Family(
        "Ink and pictures",
        [
            Explanation(
                "ink.not_finite", [.frame],
                "A point of ink is not finite, too large or has a negative width.",
                cause: "The ink came from a file or a sender in this form, or one of your own stages created it.",
                output: """
                    error[ink.not_finite]: tessellate: point 4 is not finite, too large or has a negative width: \
                    x 1.0, y 2.0, t 0.0, width -1.0
                    """,
                remedy: "The message names the point. Fix the origin of the ink."),
            Explanation(
                "ink.counts", [.frame],
                "The parts of a piece of ink do not add up.",
                cause: """
                    Ink contains the number of points of each stroke, strip and mesh, but their sums do not match its \
                    content.
                    """,
                output: """
                    error[ink.counts]: tessellate: the counts of the strokes do not add up to 4, the number of points
                    """,
                remedy: "If one of your own stages created the ink, keep counts and points consistent."),
            Explanation(
                "stroke_width.no_times", [.frame],
                "Ink has no times, so the speed of the pen is unknown.",
                cause: "The ink came from a file or a sender that has no times.",
                output: """
                    error[stroke_width.no_times]: stroke_width: stream pen, frame 3 at 1.2 s: the ink has no \
                    times, so its pen has no speed
                    """,
                remedy: "Record samples with times, or leave `stroke_width` out: `bezier` has a width of its own."),
            Explanation(
                "bezier.too_many", [.frame],
                "A curve would have too many points.",
                cause: """
                    `bezier` places a point at every `spacing` along the curve. The spacing is too small for the unit \
                    of the coordinates.
                    """,
                output: """
                    error[bezier.too_many]: bezier: a point every 1e-06 units would be more than 65536 for one \
                    sample
                    """,
                remedy: "Choose a larger `spacing`."),
            Explanation(
                "sink.not_writable", [.configuration],
                "A type of frame cannot be written.",
                cause: """
                    Files, standard output and ZeroMQ write the types of this program. A type that was added in Swift \
                    must define how it is written.
                    """,
                output: "error[sink.not_writable]: a payload of kind weather cannot be written",
                remedy: "Put a stage before the sink that produces a type of this program."),
            Explanation(
                "sink.not_drawable", [.configuration],
                "A type of frame cannot be drawn.",
                cause: """
                    `svg` and `png` draw strokes, points, ink, landmarks, hands, results, recognitions and bitmaps.
                    """,
                output: "error[sink.not_drawable]: a payload of kind weather cannot be drawn",
                remedy: "Connect the sink to an earlier stage whose frames can be drawn: `from: ID`."),
            Explanation(
                "draw.no_subject", [.frame],
                "A recognition does not contain its subject, so it cannot be drawn.",
                cause: """
                    A recognition contains names and scores. It contains the stroke or hand itself only if that was \
                    requested.
                    """,
                output: "error[draw.no_subject]: svg: the recognition does not carry what was recognized",
                remedy: "Write `subject: true` at the stage that recognizes."),
            Explanation(
                "draw.not_finite", [.frame],
                "The score of a recognition to be drawn is not finite.",
                cause: "The recognition came from a file or a sender in this form.",
                output: "error[draw.not_finite]: svg: the score of the recognition is not finite",
                remedy: "Fix the origin of the recognition, or write `on_error: skip`."),
            Explanation(
                "draw.nothing", [.environment],
                "There was nothing to draw, so no picture was written.",
                cause: "`pipectl draw` found no frame in the data that can be drawn.",
                output: """
                    $ pipectl draw empty.jsonl -o sheet.svg
                    error[draw.nothing]: empty.jsonl: there was nothing to draw, so no picture was written
                    """,
                remedy: "Check the data with `pipectl info FILE`."),
            Explanation(
                "draw.not_written", [.environment],
                "A picture could not be written.",
                cause: "The sink that draws could not write the file, and received no data.",
                output: "error[draw.not_written]: sheet.svg could not be written",
                remedy: "Check that the folder exists and is writable."),
            Explanation(
                "draw.cancelled", [.environment],
                "A picture was not finished when the shutdown timeout expired.",
                cause: "Very large drawings take a long time to render as PNG.",
                output: "error[draw.cancelled]: png: the picture was not finished in time",
                remedy: "Raise `shutdown_timeout_ms`, draw less, or write SVG."),
            Explanation(
                "picture.failed", [.environment],
                "The library that renders pictures has failed.",
                cause: """
                    The message contains Cairo's reason; most often there is not enough memory for a picture of that \
                    size.
                    """,
                output: "error[picture.failed]: png: the picture cannot be drawn: out of memory",
                remedy: "Choose a smaller picture, or write SVG."),
        ])
}
