import Pipeline
import PipelineComponents

/// The stage of every matcher: recognizes a payload with a ``GestureClassifier``, and emits the result. If the result is None and
/// `emit_none` is false, it drops the frame instead.
struct MatchStage<Matcher: TemplateMatcher>: Stage {
    typealias Input = Matcher.Query
    typealias Output = Recognition

    let classifier: GestureClassifier<Matcher>
    let explainer: MatchExplainer
    private let emitsNone: Bool
    private let keepsSubject: Bool
    private var ranking: [Ranked] = []
    private var output: Recognition

    /// Prepares a library with the upstream stages and creates the matcher. For the errors, see ``GestureClassifier``.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        classifier = try GestureClassifier(options, rules, library: library, context)
        explainer = MatchExplainer(options, rules, library, context)
        emitsNone = options.emitNone
        keepsSubject = options.subject
        output = Recognition(categories: [], margin: 0, matcher: Matcher.name(rules))
    }

    var isStateless: Bool { true }

    // The engine calls stages through a protocol, so it reaches only the generic code. Without these specializations, that code
    // would look up type metadata for every frame.
    @_specialize(where Matcher == CloudMatcher)
    @_specialize(where Matcher == ProtractorMatcher)
    @_specialize(where Matcher == DollarOneMatcher)
    @_specialize(where Matcher == BitmapMatcher)
    @_specialize(where Matcher == VectorMatcher<CosineMetric>)
    @_specialize(where Matcher == VectorMatcher<EuclideanMetric>)
    mutating func process(
        _ payload: consuming Input, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        try classifier.recognize(payload, &ranking, into: &output)
        if output.best.index < 0, !emitsNone { return emitter.drop("no_match") }
        output.start = payload.start
        output.end = payload.end
        output.label = payload.label
        if keepsSubject { output.subject = payload.matchedSubject }
        emitter.emit(output)
        if keepsSubject { output.subject = nil }
    }
}

extension MatchStage: ExplainableStage {
    package func answer(to payload: any Payload) throws -> MatchExplanation? {
        guard let query = payload as? Matcher.Query else { return nil }
        return try explainer.answer(to: query, by: Matcher.self, classifier)
    }
}
