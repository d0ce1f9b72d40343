import Pipeline
import PipelineComponents

/// Recognizes gestures by comparison with the samples of a library.
///
/// The stages of the pipeline prepare the library: every sample passes through new instances of the pure stages directly before
/// the matcher, so templates and data are always processed in the same way. `CloudMatcher`, `ProtractorMatcher`,
/// `DollarOneMatcher` and `VectorMatcher` implement the methods.
public enum Match: StageComponent {
    /// How a query and a template are compared.
    public enum Method: String, OptionChoice {
        /// Compares point clouds and histograms of orientations; for single strokes, also the path.
        case cloud
        /// Compares vectors by their angle at the best rotation (Li, CHI 2010).
        case protractor
        /// Compares strokes by the mean distance of their points, at the best rotation within ±45° (Wobbrock, Wilson, Li, UIST
        /// 2007).
        case dollar1
        /// Compares vectors by their angle, without rotation.
        case cosine
        /// Compares vectors by their Euclidean distance, without rotation.
        case euclidean
    }

    public struct Options: MatcherOptions {
        @Option("File of the gesture library.", isRequired: true, example: "gestures.json")
        public var library = FilePath("")

        @Option(
            "How gestures are compared; cloud for strokes and protractor for vectors by default.", example: "dollar1")
        public var method: Method?

        @Option(
            "Largest angle by which a stroke may be rotated to fit; 180 for any direction. By default 27 for protractor and 0 for cloud.",
            in: 0...180, example: "30")
        public var rotationToleranceDeg: Double?

        @Option("Largest angle between vectors that is a match; for protractor and cosine.", in: 0...4)
        public var thresholdRad = 0.4

        @Option(
            "Largest distance that is a match, in the unit of the method; for cloud, euclidean and dollar1.",
            in: 0...1e12, example: "0.5")
        public var maxDistance: Double?

        @Option(
            "Factor for the limits learned from the library. Below 1, None is reported more often. 1 by default for cloud; cosine and euclidean learn limits only if this is given.",
            in: 0.01...100, example: "1")
        public var limitFactor: Double?

        @Option(
            "Smallest difference in score between the best gesture and the next (score 0 if there is none). Below it, the result is None.",
            in: 0...1)
        public var minMargin = 0.0

        @Option(
            "Number of nearest samples of a gesture whose mean distance counts; for cosine and euclidean. By default half the square root of the number of samples; with fewer than 16 samples, the nearest counts 0.7 and the next 0.3.",
            in: 1...1000, example: "3")
        public var neighbours: Int?

        @Option("Gesture whose samples are examples of None. If a query is nearest to it, the result is None.")
        public var noneClass = "none"

        @Option("Lowest score that is a match.", in: 0...1)
        public var scoreThreshold = 0.0

        public var categories = CategoryOptions()

        @Option(
            "Whether None is emitted when nothing matches. Otherwise the frame is dropped as no_match.")
        public var emitNone = true

        @Option("Locale of display names.", example: "de")
        public var displayNames: String?

        @Option("Whether recognitions include the recognized payload.")
        public var subject = false

        @Option(
            "Side of the square that strokes were scaled to, for dollar1; by default that of the upstream normalize.",
            in: 1e-9...1e9, example: "250")
        public var size: Double?

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            checkMethod(node, context)
        }

        private func checkMethod(_ node: ConfigNode, _ context: DecodingContext) {
            /// Reports an option that is given but has no effect.
            func unused(_ name: String, _ isGiven: Bool, unless methods: [Method?], help: String? = nil) {
                guard isGiven, !methods.contains(method) else { return }
                let reason = method?.rawValue ?? "cloud and protractor"
                context.findings.warning(
                    "option.unused", "\"\(name)\" has no effect for \(reason)", at: node[name]?.span,
                    path: context.descending(name).path, help: help)
            }
            unused("neighbours", neighbours != nil, unless: [.cosine, .euclidean])
            unused("size", size != nil, unless: [.dollar1])
            unused("rotation_tolerance_deg", rotationToleranceDeg != nil, unless: [nil, .cloud, .protractor])
            unused(
                "max_distance", maxDistance != nil, unless: [nil, .cloud, .dollar1, .euclidean],
                help: "threshold_rad is the largest angle that is a match")
            unused(
                "threshold_rad", node["threshold_rad"] != nil, unless: [nil, .protractor, .cosine],
                help: "max_distance is the largest distance that is a match")
            unused("limit_factor", limitFactor != nil, unless: [nil, .cloud, .cosine, .euclidean])
            if limitFactor != nil, maxDistance != nil, method != .cosine {
                warnOfTwoLimits("limit_factor", "max_distance", node, context)
            }
            if limitFactor != nil, method == .cosine, node["threshold_rad"] != nil {
                warnOfTwoLimits("threshold_rad", "limit_factor", node, context)
            }
        }

        /// Returns the options with `size` taken from the last upstream `normalize` that scales, unless it is given. If there is
        /// none, `size` stays `nil`.
        func sized(by run: PureRun) -> Options {
            guard size == nil else { return self }
            var options = self
            options.size = run.stages.compactMap { ($0 as? Normalize)?.options }.last { $0.scale != .none }?.size
            return options
        }

        /// Returns the factor for the learned limits of a method; `nil` if no limits are learned.
        private func learnedFactor(of method: Method) -> Double? {
            switch method {
            case .cloud: maxDistance == nil ? limitFactor ?? 1 : nil
            case .euclidean: maxDistance == nil ? limitFactor : nil
            case .cosine: limitFactor
            case .protractor, .dollar1: nil
            }
        }

        /// Returns the rules by which a matcher of the given method accepts gestures.
        func rules(for method: Method) -> MatchRules {
            let comparesAngles = method == .protractor || method == .cosine
            return MatchRules(
                rotationToleranceDeg: rotationToleranceDeg ?? (method == .cloud ? 0 : 27), thresholdRad: thresholdRad,
                scoreThreshold: scoreThreshold,
                size: size ?? 250, maxResults: categories.maxResults, neighbours: neighbours,
                maxDistance: comparesAngles ? .infinity : maxDistance ?? .infinity,
                limitFactor: learnedFactor(of: method),
                minMargin: minMargin, noneClass: noneClass)
        }
    }

    public static let manifest = Manifest(
        name: "match",
        summary: "Recognizes gestures by comparing them with the samples of a library",
        details: """
            `cloud` accepts `stroke`, as drawn and of any number of strokes, and compares by shape, independent of the order and \
            direction of up to 16 strokes (of more, neighbors in the order of drawing are joined): clouds of 32 points with their \
            tangents, as $P+ does (Vatavu, CHI 2017), and histograms of orientations. Gestures of one stroke are also compared by \
            the path of drawing. If the library has more than 64 samples, only those with the nearest histograms are compared in \
            full: one in eight, but at least 64 and at most about 512. The distance of a gesture is 0.7 times that of its nearest \
            sample plus 0.3 times that of the next; the score is 1/(1 + distance). `protractor` accepts \
            `vector` and compares by the angle between vectors, one of them rotated to fit best within `rotation_tolerance_deg` \
            (Li, "Protractor", CHI 2010); the score is 1 − 2·angle/π. `dollar1` accepts `stroke` and compares by the mean distance \
            of points at the best angle within ±45° (Wobbrock, Wilson, Li, UIST 2007); the score is 1 − distance/(½·√2·size). \
            `cosine` and `euclidean` accept `vector`, for example of hands, and compare with the nearest neighbors: the distance \
            of a gesture is the mean distance of its `neighbours` nearest samples (of all, if it has fewer). By default, \
            `neighbours` grows with the number of samples. The scores are 1 − 2·angle/π and 1/(1 + distance).

            The result is None if the nearest gesture is farther than `threshold_rad` or `max_distance`, if the scores of the two \
            nearest gestures differ by less than `min_margin`, or if the nearest gesture is `none_class`. Without `max_distance`, \
            `cloud` learns a limit for every gesture: the geometric mean of the distance between its own samples and the distance \
            to other gestures. It computes these distances for at most 512/G samples of each of G gestures, evenly spaced in \
            the order of the library, so this order matters in larger libraries; for more than 512 gestures, the limits are fixed. \
            In recordings of people, with three samples of each gesture, 98 to 99 % of known and 1 to 2 % of unknown gestures were \
            accepted; `pipectl gestures calibrate` stores limits for another share. With these limits, a recognition includes the \
            probability that it is right, as its `confidence`: a logistic function of the distance in units of the learned limit, \
            under the assumption that one gesture in four is none of the library's. In recordings of people, the confidences were \
            accurate to one percent on average. `cosine` and `euclidean` learn limits and report a confidence in the same way if \
            `limit_factor` is given.

            Every sample of the library goes through new instances of the pure stages directly upstream (`resample`, `normalize`, \
            `normalize_hand`, `vectorize`), so templates are always processed like the data. A recognition lists categories, best \
            first; if the thresholds and lists leave none, its only category is None with score 0.
            """,
        takes: "stroke (cloud, dollar1) or vector (protractor, cosine, euclidean)",
        drops: ["no_match"],
        example: """
            version: 1
            name: match-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - match: { library: gestures.json }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance {
        switch options.method {
        case nil: .one(of: [PortType(Stroke.self), PortType(FeatureVector.self)])
        case .protractor, .cosine, .euclidean: .one(of: [PortType(FeatureVector.self)])
        case .cloud, .dollar1: .one(of: [PortType(Stroke.self)])
        }
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try options.making {
            try make(
                options, library: try context.read(GestureLibrary.self, from: options.library), for: input, context)
        }
    }

    /// Creates the stage for a library in memory.
    ///
    /// - Parameters:
    ///   - options: The options of the matcher.
    ///   - library: The gestures to recognize.
    ///   - input: The type of the input, which determines the default method.
    ///   - context: Provides the stages that prepare the library (`upstream`), and receives findings about the library.
    /// - Throws: A configuration error if the library cannot be prepared. If there are several problems, the first is thrown and
    ///   the others are reported to the context.
    static func make(
        _ options: Options, library: GestureLibrary, for input: PortType, _ context: BuildContext
    ) throws -> any Stage {
        let method = options.method ?? defaultMethod(for: input)
        if options.method == nil, method == .protractor {
            for (name, isGiven) in [
                ("max_distance", options.maxDistance != nil), ("limit_factor", options.limitFactor != nil),
            ] where isGiven {
                context.report(
                    .warning, "option.unused", "\"\(name)\" has no effect for protractor", option: name,
                    help: "threshold_rad is the largest angle that is a match")
            }
        }
        let rules = options.rules(for: method)
        switch method {
        case .cloud: return try CloudStage(options, rules, library: library, context)
        case .protractor: return try ProtractorStage(options, rules, library: library, context)
        case .cosine: return try CosineStage(options, rules, library: library, context)
        case .euclidean:
            return try EuclideanStage(options, rules, library: library, context)
        case .dollar1:
            let rules = options.sized(by: context.upstream).rules(for: method)
            return try DollarOneStage(options, rules, library: library, context)
        }
    }

    /// Returns the default method for an input type.
    static func defaultMethod(for input: PortType) -> Method {
        input.isSamePayload(as: PortType(Stroke.self)) ? .cloud : .protractor
    }

    /// Creates a matcher that compares strokes by their shape, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to recognize.
    ///   - stages: The stages before the matcher, first to last; may be empty.
    ///   - options: All other options; `library` and `method` are ignored.
    /// - Throws: A configuration error that names a sample, if the stages refuse it.
    public static func cloud(
        _ library: GestureLibrary, preparedBy stages: [any Stage] = [], _ options: Options = Options()
    ) throws -> some Stage<Stroke, Recognition> {
        try CloudStage(options, options.rules(for: .cloud), library: library, Self.context(stages))
    }

    /// Creates a matcher that compares vectors by their angle, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to recognize.
    ///   - stages: The stages that convert strokes to vectors, first to last. Use the same stages in the pipeline.
    ///   - options: All other options; `library` and `method` are ignored.
    /// - Throws: A configuration error that names a sample, if the stages refuse it.
    public static func protractor(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options = Options()
    ) throws -> some Stage<FeatureVector, Recognition> {
        try ProtractorStage(
            options, options.rules(for: .protractor), library: library, Self.context(stages))
    }

    /// Creates a matcher that compares strokes by the distance of their points, for use without a configuration.
    ///
    /// The parameters and errors are the same as for ``protractor(_:preparedBy:_:)``.
    public static func dollar1(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options = Options()
    ) throws -> some Stage<Stroke, Recognition> {
        try DollarOneStage(options, options.rules(for: .dollar1), library: library, Self.context(stages))
    }

    /// Creates a matcher that compares vectors by their nearest neighbors, for use without a configuration: by their distance if
    /// `options.method` is `euclidean`, otherwise by the angle between them.
    ///
    /// - Parameters:
    ///   - library: The gestures to recognize.
    ///   - stages: The stages that convert the samples of the library, which are strokes or hands, to vectors.
    ///   - options: The method and all other options; `library` is ignored.
    /// - Throws: The same errors as ``protractor(_:preparedBy:_:)``.
    public static func neighbours(
        _ library: GestureLibrary, preparedBy stages: [any Stage], _ options: Options
    ) throws -> any Stage<FeatureVector, Recognition> {
        let kind = library.gestures.contains { $0.kind == .hand21 } ? PortType(Landmarks.self) : PortType(Stroke.self)
        let context = BuildContext(upstream: PureRun(stages: stages, input: kind, above: nil))
        let rules = options.rules(for: options.method == .euclidean ? .euclidean : .cosine)
        return options.method == .euclidean
            ? try EuclideanStage(options, rules, library: library, context)
            : try CosineStage(options, rules, library: library, context)
    }

    private static func context(_ stages: [any Stage]) -> BuildContext {
        BuildContext(upstream: PureRun(stages: stages, input: PortType(Stroke.self), above: nil))
    }
}
