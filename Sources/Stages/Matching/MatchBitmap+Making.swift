import Pipeline
import PipelineComponents

extension MatchBitmap: StageComponent {
    public static let manifest = Manifest(
        name: "match_bitmap",
        summary: "Recognizes gestures by comparing their bitmaps with those of a library",
        details: """
            Let a and b be the numbers of black cells in the drawn bitmap and in the pattern, and c the number of cells that are \
            black in both. The score is 2·c / (a + b) for `dice`, c / a for `overlap`, and the share of equal cells, \
            1 − (a + b − 2·c) / 64, for `hamming`. `overlap` ranks by the common cells, as Scribe did, and therefore favors \
            patterns with many black cells; it is provided for comparison. Of equally near patterns, the one whose gesture is \
            first in the library wins. A gesture named `none` holds examples of None: if one of them is nearest, the result is \
            None.

            The strokes of the library go through new instances of the pure stages directly upstream, as for `match`; its bare \
            64-bit patterns are compared as they are. A gesture may have any number of patterns, one for every way to draw it. A \
            library may hold a million patterns: the patterns of a gesture are grouped by their number of black cells, and groups \
            that cannot win are skipped.
            """,
        drops: ["no_match"],
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

    /// Creates the stage for a library in memory. For the errors, see ``Match/make(_:library:for:_:)``.
    static func make(_ options: Options, library: GestureLibrary, _ context: BuildContext) throws -> any Stage {
        try BitmapStage(options, options.rules, library: library, context)
    }

    /// Creates a matcher for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to recognize.
    ///   - stages: The stages that rasterize strokes, first to last. Use the same stages in the pipeline.
    ///   - options: All other options; `library` is ignored.
    /// - Throws: A configuration error that names a sample, if the stages refuse it.
    public static func comparing(
        with library: GestureLibrary, preparedBy stages: [any Stage] = [Rasterize()], _ options: Options = Options()
    ) throws -> some Stage<Bitmap, Recognition> {
        try BitmapStage(
            options, options.rules, library: library,
            BuildContext(upstream: PureRun(stages: stages, input: PortType(Stroke.self), above: nil)))
    }
}

extension MatchBitmap.Options: MatcherOptions {
    var noneClass: String { MatchRules().noneClass }

    var rules: MatchRules {
        MatchRules(scoreThreshold: scoreThreshold, score: score, maxResults: categories.maxResults)
    }
}
