import Pipeline
import PipelineComponents

extension MatchBitmap: StageComponent {
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

extension MatchBitmap.Options: MatcherOptions {
    var rules: MatchRules {
        MatchRules(scoreThreshold: scoreThreshold, score: score, maxResults: categories.maxResults)
    }
}
