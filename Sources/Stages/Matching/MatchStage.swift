import Pipeline
import PipelineComponents

/// The stage of a matcher: recognizes a payload with a ``GestureClassifier``, and emits the result. If the result is None and
/// `emit_none` is false, it drops the frame instead.
// A protocol with one stage for each matcher. The engine calls a stage through its conformance, and the compiler specializes that of
// a type without type parameters. A generic stage would look up type metadata for every frame.
protocol MatchStage: ExplainableStage where Input == Matcher.Query, Output == Recognition {
    associatedtype Matcher: TemplateMatcher

    var core: MatchCore<Matcher> { get set }

    init(core: MatchCore<Matcher>)
}

struct CloudStage: MatchStage { var core: MatchCore<CloudMatcher> }
struct ProtractorStage: MatchStage { var core: MatchCore<ProtractorMatcher> }
struct DollarOneStage: MatchStage { var core: MatchCore<DollarOneMatcher> }
struct BitmapStage: MatchStage { var core: MatchCore<BitmapMatcher> }
struct CosineStage: MatchStage { var core: MatchCore<VectorMatcher<CosineMetric>> }
struct EuclideanStage: MatchStage { var core: MatchCore<VectorMatcher<EuclideanMetric>> }

/// The content of a ``MatchStage``.
struct MatchCore<Matcher: TemplateMatcher>: Sendable {
    let classifier: GestureClassifier<Matcher>
    let explainer: MatchExplainer
    let emitsNone: Bool
    let keepsSubject: Bool
    var memory = MatchMemory()
    /// The last output. Its memory is reused.
    var output: Recognition

    /// Recognizes a payload, and emits the result or drops the frame.
    @inline(__always)
    mutating func process(_ payload: Matcher.Query, into emitter: borrowing Emitter<Recognition>) throws {
        try classifier.recognize(payload, &memory, into: &output)
        if !emitsNone, output.best.index < 0 { return emitter.drop("no_match") }
        output.start = payload.start
        output.end = payload.end
        output.label = payload.label
        if keepsSubject { output.subject = payload.matchedSubject }
        emitter.emit(output)
        if keepsSubject { output.subject = nil }
    }
}

extension MatchStage {
    /// Prepares a library with the upstream stages and creates the matcher. For the errors, see ``GestureClassifier``.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        self.init(
            core: MatchCore(
                classifier: try GestureClassifier(options, rules, library: library, context),
                explainer: MatchExplainer(options, rules, library, context), emitsNone: options.emitNone,
                keepsSubject: options.subject,
                output: Recognition(categories: [], margin: 0, matcher: Matcher.name(rules))))
    }

    var isStateless: Bool { true }

    @inline(__always)
    mutating func process(
        _ payload: Matcher.Query, _ header: borrowing Header,
        into emitter: borrowing Emitter<Recognition>
    ) throws {
        try core.process(payload, into: emitter)
    }

    package func answer(to payload: any Payload) throws -> MatchExplanation? {
        guard let query = payload as? Matcher.Query else { return nil }
        return try core.explainer.answer(to: query, by: Matcher.self, core.classifier)
    }
}
