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
        /// The angle between vectors, as they are.
        case cosine
        /// The distance of vectors, as they are.
        case euclidean

        /// Whether it counts nearest neighbours among vectors.
        var isNeighbours: Bool { self == .cosine || self == .euclidean }
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
        /// The largest distance that is a match.
        public var maxDistance: Double?
        /// By how much the best must be better than the next.
        public var minMargin = 0.0
        /// How many of the nearest samples of a gesture count.
        public var neighbours = 1
        /// The gesture that stands for none of the others.
        public var noneClass = "none"
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
                "protractor compares vectors by their angle, turned to fit; cosine by their angle and euclidean by their distance, as they are; dollar1 compares strokes by the mean distance of their points."
            )
            Option(
                "rotation_tolerance_deg", \.rotationToleranceDeg, in: 0...180,
                "How far a stroke may be turned to fit; 180 for any direction; for protractor.")
            Option(
                "threshold_rad", \.thresholdRad, in: 0...4,
                "The largest angle between vectors that is a match; for protractor and cosine.")
            Option(
                "max_distance", \.maxDistance, in: 0...1e12,
                "The largest distance that is a match, in the unit of the method; for euclidean and dollar1.",
                example: "0.5")
            Option(
                "min_margin", \.minMargin, in: 0...1,
                "By how much, in score, the best must be better than the next; what lies between two gestures is None.")
            Option(
                "neighbours", \.neighbours, in: 1...1000,
                "How many of the nearest samples of a gesture count, by their mean distance; for cosine and euclidean.")
            Option(
                "none_class", \.noneClass,
                "The gesture whose samples show what is none of the others: what is nearest to it is None.")
            categoryOptions
            Option(
                "size", \.size, in: 1e-9...1e9,
                "The side of the square that strokes were scaled to, for dollar1; by default that of the normalize above.",
                example: "250")
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            checkCategories(node, context)
            checkMethod(node, context)
        }

        private func checkMethod(_ node: ConfigNode, _ context: DecodingContext) {
            if neighbours != 1, !method.isNeighbours { unused("neighbours", node, context) }
            if maxDistance != nil, method == .protractor || method == .cosine {
                unused("max_distance", node, context, help: "threshold_rad is the largest angle that is a match")
            }
            if size != nil, method != .dollar1 {
                unused("size", node, context)
            }
        }

        private func unused(_ name: String, _ node: ConfigNode, _ context: DecodingContext, help: String? = nil) {
            context.findings.warning(
                "option.unused", "\"\(name)\" means nothing for \(method.rawValue)", at: node[name]?.span,
                path: context.descending(name).path, help: help)
        }

        var rules: MatchRules {
            MatchRules(
                rotationToleranceDeg: rotationToleranceDeg, thresholdRad: thresholdRad, scoreThreshold: scoreThreshold,
                size: size ?? 250, maxResults: maxResults, neighbours: neighbours,
                maxDistance: maxDistance ?? .infinity,
                minMargin: minMargin, noneClass: noneClass)
        }
    }

    public static let manifest = Manifest(
        name: "match",
        summary: "Recognises gestures by comparing them with the samples of a library",
        details: """
            `protractor` takes `vector` and compares by the angle between vectors, one turned to fit best within \
            `rotation_tolerance_deg` (Li, "Protractor", CHI 2010); score 1 − 2·angle/π. `dollar1` takes `stroke` and \
            compares by the mean distance of points at the best angle within ±45° (Wobbrock, Wilson, Li, UIST 2007); \
            score 1 − distance/(½·√2·size). `cosine` and `euclidean` take `vector`, of hands for instance, and compare with the \
            nearest neighbours: a gesture is as far as the mean of its `neighbours` nearest samples (of all, if it has fewer); \
            score 1 − 2·angle/π and 1/(1 + distance).

            Nothing but None comes of what is farther than `threshold_rad` or `max_distance`, nearer than `min_margin` to \
            two gestures, or nearest to the gesture `none_class`.

            Every sample of the library goes through fresh copies of the pure stages directly above (`resample`, \
            `normalize`, `normalize_hand`, `vectorize`), so templates are always made as the data is. A recognition lists categories, \
            best first; when the thresholds and lists leave nothing, its one category is None with score 0.
            """,
        takes: "vector (protractor, cosine, euclidean) or stroke (dollar1)", makes: "recognition",
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
        case .protractor, .cosine, .euclidean: .one(of: [PortType(FeatureVector.self)])
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
        case .cosine:
            return try MatchStage<VectorMatcher<CosineMetric>>(options, options.rules, library: library, context)
        case .euclidean:
            return try MatchStage<VectorMatcher<EuclideanMetric>>(options, options.rules, library: library, context)
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

    /// A matcher that compares vectors by their nearest neighbours, for use without a configuration: by their distance
    /// where `options.method` is `euclidean`, otherwise by the angle between them.
    ///
    /// - Parameter stages: The stages that make vectors of strokes or of hands, as the library's samples are. Other
    ///   parameters and errors as of ``protractor(_:preparedBy:_:)``.
    public static func neighbours(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options
    ) throws -> any Stage<FeatureVector, Recognition> {
        let kind = library.gestures.contains { $0.kind == .hand21 } ? PortType(Landmarks.self) : PortType(Stroke.self)
        let context = BuildContext(upstream: PureRun(stages: stages, input: kind, above: nil))
        return options.method == .euclidean
            ? try MatchStage<VectorMatcher<EuclideanMetric>>(options, options.rules, library: library, context)
            : try MatchStage<VectorMatcher<CosineMetric>>(options, options.rules, library: library, context)
    }

    private static func context(_ stages: [any Stage]) -> BuildContext {
        BuildContext(upstream: PureRun(stages: stages, input: PortType(Stroke.self), above: nil))
    }
}
