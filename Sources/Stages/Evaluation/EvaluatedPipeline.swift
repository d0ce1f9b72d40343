import Pipeline
import PipelineComponents

/// The recognizing part of a pipeline: a matcher, and the pure stages that prepare its input.
///
/// Create it from a plan that was loaded with `Registry.evaluated`: the matchers of this registry read no library.
public struct EvaluatedPipeline: Sendable {
    /// The options of the matcher, by kind of matcher.
    enum Comparison: Sendable {
        case match(Match.Options)
        case bitmap(MatchBitmap.Options)

        var options: any MatcherOptions {
            switch self {
            case .match(let options): options
            case .bitmap(let options): options
            }
        }
    }

    /// The name in reports.
    public var name = ""
    /// The `id` of the matcher.
    public let matcher: String
    /// The path of the library that the configuration names.
    public var library: String { comparison.options.library.path }
    /// The `id` of the node directly upstream of the evaluated stages. Samples enter the pipeline after this node.
    public var above: String? { run.above }

    let comparison: Comparison
    let run: PureRun

    init(stages: [any Stage], _ comparison: Comparison) {
        (matcher, self.comparison) = ("match", comparison)
        // The input type is unknown until there are samples.
        run = PureRun(stages: stages, input: nil, above: nil)
    }

    fileprivate init(matcher: String, _ comparison: Comparison, _ run: PureRun) {
        (self.matcher, self.comparison, self.run) = (matcher, comparison, run)
    }

    /// Finds the recognizing part of a plan.
    ///
    /// - Parameters:
    ///   - plan: A plan that was loaded with `Registry.evaluated`.
    ///   - matcher: The `id` of the matcher; required if there are several.
    /// - Throws: A configuration error if there is no matcher, or not exactly one with this `id`.
    public init(_ plan: Plan, matcher: String? = nil) throws {
        let all = plan.nodes.flatMap { node -> [EvaluatedPipeline] in
            guard case .stage(let stage) = node.body else { return [] }
            if let matcher = stage as? any EvaluatedMatcher { return [matcher.pipeline] }
            let inner = (stage as? any NestingStage)?.chain.nodes ?? []
            return inner.compactMap { ($0.stage as? any EvaluatedMatcher)?.pipeline }
        }
        let found = matcher.map { id in all.filter { $0.matcher == id } } ?? all
        guard let first = found.first, found.count == 1 else {
            let ids = all.map(\.matcher)
            guard !ids.isEmpty else {
                throw PipelineError(
                    .configuration, "eval.matcher", "the pipeline has no matcher",
                    help: "match, match_bitmap and the custom gestures of recognize_hand can be evaluated")
            }
            let missing = found.isEmpty ? matcher : nil
            throw PipelineError(
                .configuration, "eval.matcher",
                missing.map { "no matcher is called \"\($0)\": the pipeline has \(shortList(ids))" }
                    ?? "which matcher should be evaluated? There are \(shortList(ids))",
                help: "name one with --matcher")
        }
        self = first
        name = plan.name
    }

    /// Returns the method that the options name, or else the default method for the payload type that reaches the matcher.
    private func method(_ options: Match.Options) -> Match.Method {
        func output<S: Stage>(_: S) -> PortType { PortType(S.Output.self) }
        return options.method ?? Match.defaultMethod(for: run.stages.last.map { output($0) } ?? PortType(Stroke.self))
    }

    /// Returns a warning if the matcher uses stored limits, but those of the library are for other samples.
    package func staleLimits(of library: GestureLibrary) -> PipelineError? {
        guard case .match(let options) = comparison, options.rules(for: method(options)).limitFactor != nil else {
            return nil
        }
        return library.staleLimits
    }

    /// Throws if the first sample is not of the payload type that the stages accept.
    func check(_ items: [EvaluationItem]) throws(PipelineError) {
        guard let input = run.input, let first = items.first else { return }
        let payload = first.isHand ? PortType(Landmarks.self) : PortType(Stroke.self)
        guard !input.isSamePayload(as: payload) else { return }
        throw PipelineError(
            .configuration, "eval.kind",
            "the data holds \(first.isHand ? "hands" : "strokes"), but the evaluated stages up to \"\(matcher)\" take \(input.kind)",
            help: "all stages between the \(first.isHand ? "hands" : "strokes") and \"\(matcher)\" must be pure")
    }

    /// Returns a bench that runs tests on these samples.
    ///
    /// - Parameter limits: The limits of the samples' library, used instead of learned ones.
    func bench(
        _ items: [EvaluationItem], _ classes: [String], limits: GestureLibrary.Limits?
    ) throws -> any EvaluationBench {
        func bench<Matcher: TemplateMatcher>(_: Matcher.Type, _ rules: MatchRules) throws -> any EvaluationBench {
            try MatcherBench<Matcher>(name, items, classes, run, comparison.options, rules, limits)
        }
        switch comparison {
        case .bitmap(let options): return try bench(BitmapMatcher.self, options.rules)
        case .match(let options):
            let method = method(options)
            switch method {
            case .cloud: return try bench(CloudMatcher.self, options.rules(for: method))
            case .protractor: return try bench(ProtractorMatcher.self, options.rules(for: method))
            case .dollar1: return try bench(DollarOneMatcher.self, options.sized(by: run).rules(for: method))
            case .cosine: return try bench(VectorMatcher<CosineMetric>.self, options.rules(for: method))
            case .euclidean: return try bench(VectorMatcher<EuclideanMetric>.self, options.rules(for: method))
            }
        }
    }
}

/// A stage that stands in for a matcher in a plan under evaluation.
private protocol EvaluatedMatcher: Stage {
    var pipeline: EvaluatedPipeline { get }
}

/// A placeholder for a matcher. It recognizes nothing.
private struct MatcherPlaceholder<Input: Payload>: EvaluatedMatcher {
    let pipeline: EvaluatedPipeline

    mutating func process(
        _ payload: Input, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) {
        emitter.drop("not_run")
    }
}

/// `match` under evaluation. Its library is not read and need not exist.
private enum EvaluatedMatch: StageComponent {
    typealias Options = Match.Options

    static let manifest = Match.manifest
    static let makes = Match.makes
    static func accepts(_ options: Match.Options) -> Acceptance { Match.accepts(options) }

    static func make(_ options: Match.Options, for input: PortType, _ context: BuildContext) -> any Stage {
        let pipeline = EvaluatedPipeline(matcher: context.id, .match(options), context.upstream)
        return input.isSamePayload(as: PortType(Stroke.self))
            ? MatcherPlaceholder<Stroke>(pipeline: pipeline) : MatcherPlaceholder<FeatureVector>(pipeline: pipeline)
    }
}

/// `match_bitmap` under evaluation.
private enum EvaluatedMatchBitmap: StageComponent {
    typealias Options = MatchBitmap.Options

    static let manifest = MatchBitmap.manifest
    static let makes = MatchBitmap.makes
    static func accepts(_ options: MatchBitmap.Options) -> Acceptance { MatchBitmap.accepts(options) }

    static func make(_ options: MatchBitmap.Options, for input: PortType, _ context: BuildContext) -> any Stage {
        MatcherPlaceholder<Bitmap>(
            pipeline: EvaluatedPipeline(matcher: context.id, .bitmap(options), context.upstream))
    }
}

/// The custom gestures of `recognize_hand` under evaluation. The canned gestures are not evaluated: they have no samples.
private enum EvaluatedRecognizeHand: StageComponent {
    typealias Options = RecognizeHand.Options

    static let manifest = RecognizeHand.manifest
    static let makes = RecognizeHand.makes
    static func accepts(_ options: RecognizeHand.Options) -> Acceptance { RecognizeHand.accepts(options) }

    static func make(
        _ options: RecognizeHand.Options, for input: PortType, _ context: BuildContext
    ) throws -> any Stage {
        guard let custom = options.custom else { return try RecognizeHand.make(options, for: input, context) }
        let above = context.upstream
        let run = PureRun(
            stages: above.stages + (try HandComparison(custom).stages), input: above.input, above: above.above)
        return MatcherPlaceholder<Landmarks>(
            pipeline: EvaluatedPipeline(matcher: context.id, .match(custom.match), run))
    }
}

extension Registry {
    /// Replaces the matchers by placeholders that are evaluated but not run.
    package mutating func addEvaluatedMatchers() {
        add(EvaluatedMatch.self)
        add(EvaluatedMatchBitmap.self)
        add(EvaluatedRecognizeHand.self)
    }
}
