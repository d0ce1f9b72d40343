import Pipeline

/// Recognises gestures by comparison with the samples of a library.
///
/// The library is prepared by the pipeline's own stages: every sample goes through fresh copies of the pure stages right above the
/// matcher, so that templates cannot drift from the data. The methods stand in ``ProtractorMatcher`` and ``DollarOneMatcher``.
public enum Match: StageComponent {
    /// How a query and a template are compared.
    public enum Method: String, OptionChoice {
        /// The angle between vectors, one turned to fit best (Li, CHI 2010).
        case protractor
        /// The mean distance of points, at the best of the angles within ±45° (Wobbrock, Wilson, Li, UIST 2007).
        case dollar1
    }

    /// The options.
    public struct Options: MatcherOptions {
        /// The gesture library's file.
        public var library = FilePath("")
        /// How a query and a template are compared.
        public var method = Method.protractor
        /// How far a stroke may be turned to fit.
        public var rotationToleranceDeg = 27.0
        /// The largest angle between vectors that is a match.
        public var thresholdRad = 0.4
        /// How many categories to report at most.
        public var maxResults = -1
        /// The lowest score that is a match.
        public var scoreThreshold = 0.0
        /// The only categories that count.
        public var categoryAllowlist: [String] = []
        /// Categories that do not count.
        public var categoryDenylist: [String] = []
        /// Whether None is emitted when nothing matches.
        public var emitNone = true
        /// The locale of the display names.
        public var displayNames: String?
        /// Whether recognitions carry what was recognised.
        public var subject = false
        /// The side of the square that strokes were scaled to, for the scores of `dollar1`.
        public var size: Double?

        public init() {}

        public static var options: [Option<Options>] {
            libraryOption
            Option(
                "method", \.method,
                "protractor compares vectors by their angle, dollar1 strokes by the mean distance of their points.")
            Option(
                "rotation_tolerance_deg", \.rotationToleranceDeg, in: 0...180,
                "How far a stroke may be turned to fit; 180 for any direction; for protractor.")
            Option(
                "threshold_rad", \.thresholdRad, in: 0...4,
                "The largest angle between vectors that is a match; for protractor.")
            categoryOptions
            Option(
                "size", \.size, in: 1e-9...1e9,
                "The side of the square that strokes were scaled to, for dollar1; by default that of the normalize above.",
                example: "250")
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            checkCategories(node, context)
            if size != nil, method != .dollar1 {
                context.findings.warning(
                    "option.unused", "\"size\" means nothing for \(method.rawValue)", at: node["size"]?.span,
                    path: context.descending("size").path)
            }
        }

        var rules: MatchRules {
            MatchRules(
                rotationToleranceDeg: rotationToleranceDeg, thresholdRad: thresholdRad, scoreThreshold: scoreThreshold,
                size: size ?? 250, maxResults: maxResults)
        }
    }

    public static let manifest = Manifest(
        name: "match",
        summary: "Recognises gestures by comparing them with the samples of a library",
        details: """
            `protractor` takes `vector` and compares by the angle between vectors, one turned to fit best within \
            `rotation_tolerance_deg` (Li, "Protractor", CHI 2010); score 1 − 2·angle/π. `dollar1` takes `stroke` and \
            compares by the mean distance of points at the best angle within ±45° (Wobbrock, Wilson, Li, UIST 2007); \
            score 1 − distance/(½·√2·size).

            Every sample of the library goes through fresh copies of the pure stages directly above (`resample`, \
            `normalize`, `vectorize`), so templates are always made as the data is. A recognition lists categories, \
            best first; when the thresholds and lists leave nothing, its one category is None with score 0.
            """,
        takes: "vector (protractor) or stroke (dollar1)", makes: "recognition",
        example: """
            version: 1
            name: match-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize
              - match: { library: gestures.json, rotation_tolerance_deg: 180 }
            sinks:
              - stdout
            """)

    public static func accepts(_ options: Options) -> Acceptance {
        switch options.method {
        case .protractor: .one(of: [PortType(FeatureVector.self)])
        case .dollar1: .one(of: [PortType(Stroke.self)])
        }
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try options.making {
            try make(options, library: try GestureLibrary(readingFrom: options.library.path), context)
        }
    }

    /// Makes the stage for a library in memory.
    ///
    /// - Parameter context: Its `upstream` prepares the library; findings about the library go to it.
    /// - Throws: A configuration error when the library cannot be prepared; all but the first problem are reported
    ///   to the context, the first is thrown.
    static func make(_ options: Options, library: GestureLibrary, _ context: BuildContext) throws -> any Stage {
        switch options.method {
        case .protractor:
            return try MatchStage<ProtractorMatcher>(options, options.rules, library: library, context)
        case .dollar1:
            var options = options
            if options.size == nil {
                let normalize = context.upstream.stages.last { $0 is Normalize } as? Normalize
                options.size = normalize.map { $0.options.scale == .none ? 250 : $0.options.size }
            }
            return try MatchStage<DollarOneMatcher>(options, options.rules, library: library, context)
        }
    }

    /// A matcher that compares vectors by their angle, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to tell apart.
    ///   - stages: The stages that make vectors of strokes, first to last, in the pipeline as for the library.
    ///   - options: Everything else; `library` and `method` are not looked at.
    /// - Throws: A configuration error that names a sample that the stages refuse.
    public static func protractor(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options = Options()
    ) throws -> some Stage<FeatureVector, Recognition> {
        try MatchStage<ProtractorMatcher>(options, options.rules, library: library, Self.context(stages))
    }

    /// A matcher that compares strokes by the distance of their points, for use without a configuration. Parameters and
    /// errors as of ``protractor(_:preparedBy:_:)``.
    public static func dollar1(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options = Options()
    ) throws -> some Stage<Stroke, Recognition> {
        try MatchStage<DollarOneMatcher>(options, options.rules, library: library, Self.context(stages))
    }

    private static func context(_ stages: [any Stage]) -> BuildContext {
        BuildContext(upstream: PureRun(stages: stages, input: PortType(Stroke.self), above: nil))
    }
}
