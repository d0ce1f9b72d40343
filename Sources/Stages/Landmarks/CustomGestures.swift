import Pipeline
import PipelineComponents

/// The classifier for custom gestures: converts a hand to a vector, and compares the vector with the samples of a library.
struct CustomGestures: Sendable {
    /// The classifier of vectors, by metric.
    private enum Matcher: Sendable {
        case cosine(GestureClassifier<VectorMatcher<CosineMetric>>)
        case euclidean(GestureClassifier<VectorMatcher<EuclideanMetric>>)
    }

    private var comparison: HandComparison
    private let matcher: Matcher
    private let explainer: MatchExplainer
    private let name: String
    private var vector = FeatureVector(values: [])
    private var memory = MatchMemory()
    /// The last result. It has its own categories, because the caller changes those of its output in place if it is None.
    private var found = Recognition(categories: [], margin: 0, matcher: "")

    /// Prepares a library with the same steps that hands go through.
    ///
    /// - Parameter context: The context of the stage, which receives the findings about the library.
    /// - Throws: A configuration error if the library cannot be prepared.
    init(_ options: CustomGestureOptions, _ library: GestureLibrary, _ context: BuildContext) throws {
        comparison = try HandComparison(options)
        let inner = BuildContext(
            id: context.id, mode: context.mode, node: context.node?["custom"],
            decoding: context.decoding.descending("custom"),
            upstream: PureRun(stages: comparison.stages, input: PortType(Landmarks.self), above: context.id))
        name = "custom, \(options.method.rawValue)"
        let match = options.match
        let rules = match.rules(for: options.method == .cosine ? .cosine : .euclidean)
        matcher =
            options.method == .cosine
            ? .cosine(try GestureClassifier(match, rules, library: library, inner))
            : .euclidean(try GestureClassifier(match, rules, library: library, inner))
        // The samples of the library have the form of the stage's own input.
        let own = PureRun(stages: comparison.stages, input: PortType(Landmarks.self), above: nil)
        explainer = MatchExplainer(match, rules, library, BuildContext(upstream: own))
    }

    /// Recognizes a hand. Returns whether the result is a gesture of the library, not None. A gesture is stored in a recognition; of
    /// None, only the confidence.
    mutating func recognize(_ landmarks: Landmarks, into output: inout Recognition) throws -> Bool {
        try comparison.vector(of: landmarks, into: &vector.values)
        switch matcher {
        case .cosine(let cosine): try cosine.recognize(vector, &memory, into: &found)
        case .euclidean(let euclidean): try euclidean.recognize(vector, &memory, into: &found)
        }
        output.confidence = found.confidence
        guard found.best.index >= 0 else { return false }
        (output.categories, output.margin, output.matcher) = (found.categories, found.margin, name)
        return true
    }

    /// Returns the gestures nearest to a hand, and why the nearest one is accepted or rejected.
    func answer(to landmarks: Landmarks) throws -> MatchExplanation {
        var (comparison, query) = (comparison, FeatureVector(values: []))
        try comparison.vector(of: landmarks, into: &query.values)
        switch matcher {
        case .cosine(let cosine): return try explainer.answer(to: query, by: VectorMatcher<CosineMetric>.self, cosine)
        case .euclidean(let euclidean):
            return try explainer.answer(to: query, by: VectorMatcher<EuclideanMetric>.self, euclidean)
        }
    }
}
