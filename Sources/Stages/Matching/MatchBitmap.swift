import Pipeline
import PipelineComponents

/// Recognizes gestures by comparison of their pictures with those of a library.
///
/// It is made as ``Match`` is: the library's strokes go through fresh copies of the pure stages right above (`rasterize`), and what
/// it can be told of categories is the same. The comparison stands in `BitmapMatcher`.
public enum MatchBitmap: StageComponent {
    /// How two pictures are compared.
    public enum Score: String, OptionChoice {
        /// Twice the cells that both have, by the cells that each has (Dice 1945, Sørensen 1948).
        case dice
        /// The share of the drawn cells that the pattern has too: Scribe's order.
        case overlap
        /// The share of the 64 cells that are alike.
        case hamming
    }

    public struct Options: MatcherOptions {
        @Option("File of the gesture library.", isRequired: true, example: "gestures.json")
        public var library = FilePath("")

        @Option(
            "dice compares the common cells with those of both pictures; overlap with the drawn ones alone, as Scribe does; hamming counts equal cells."
        )
        public var score = Score.dice

        @Option("Lowest score that is a match.", in: 0...1)
        public var scoreThreshold = 0.5

        public var categories = CategoryOptions()

        @Option(
            "Whether None is emitted when nothing matches. Otherwise the frame is dropped as no_match.")
        public var emitNone = true

        @Option("Locale of display names.", example: "de")
        public var displayNames: String?

        @Option("Whether recognitions carry what was recognized.")
        public var subject = false

        public init() {}

        var rules: MatchRules {
            MatchRules(scoreThreshold: scoreThreshold, score: score, maxResults: categories.maxResults)
        }
    }

    public static let manifest = Manifest(
        name: "match_bitmap",
        summary: "Recognizes gestures by comparing their pictures with those of a library",
        details: """
            With a cells in the drawn picture, b in the pattern and c in both, the score is 2·c / (a + b) for `dice`, c / a for \
            `overlap` and the share of equal cells, 1 − (a + b − 2·c) / 64, for `hamming`. `overlap` ranks as Scribe did, by the \
            cells in common, and so favors patterns with many black cells; it is there for comparison. Of patterns as near \
            as each other, the one whose gesture stands first in the library wins.

            The strokes of the library go through fresh copies of the pure stages directly above, as for `match`; its bare \
            64-bit patterns are compared as they are. A gesture may have any number of patterns, one for every way to draw it: a million \
            in all is no burden, for the patterns of a gesture are kept by their number of cells, and those that cannot win \
            by it are not looked at.
            """,
        example: """
            version: 1
            name: match-bitmap-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - rasterize
              - match_bitmap: { library: gestures.json, score: dice }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Bitmap.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try options.making {
            try make(options, library: try context.read(GestureLibrary.self, from: options.library), context)
        }
    }

    /// Makes the stage for a library in memory. Errors as of ``Match/make(_:library:_:)``.
    static func make(_ options: Options, library: GestureLibrary, _ context: BuildContext) throws -> any Stage {
        try MatchStage<BitmapMatcher>(options, options.rules, library: library, context)
    }

    /// A matcher for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to tell apart.
    ///   - stages: The stages that make bitmaps of strokes, first to last, in the pipeline as for the library.
    ///   - options: Everything else; `library` is not looked at.
    /// - Throws: A configuration error that names a sample that the stages refuse.
    public static func comparing(
        with library: GestureLibrary, preparedBy stages: [any Stage] = [Rasterize()], _ options: Options = Options()
    ) throws -> some Stage<Bitmap, Recognition> {
        try MatchStage<BitmapMatcher>(
            options, options.rules, library: library,
            BuildContext(upstream: PureRun(stages: stages, input: PortType(Stroke.self), above: nil)))
    }
}
