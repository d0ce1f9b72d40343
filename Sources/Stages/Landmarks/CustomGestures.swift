import Pipeline
import PipelineComponents

/// The classifier by example: a hand made a vector, compared with the samples of a library.
struct CustomGestures: Sendable {
    /// Compares vectors, whatever the method.
    private enum Matcher: Sendable {
        case cosine(GestureClassifier<VectorMatcher<CosineMetric>>)
        case euclidean(GestureClassifier<VectorMatcher<EuclideanMetric>>)
    }

    private var comparison: HandComparison
    private let matcher: Matcher
    private let name: String
    private var vector = FeatureVector(values: [])
    private var ranking: [Ranked] = []

    /// Prepares a library by the same steps that hands go through.
    ///
    /// - Parameter context: That of the stage: findings about the library go to it.
    /// - Throws: A configuration error when the library cannot be prepared.
    init(_ options: CustomGestureOptions, _ library: GestureLibrary, _ context: BuildContext) throws {
        comparison = try HandComparison(options)
        let inner = BuildContext(
            id: context.id, mode: context.mode, node: context.node?["custom"],
            decoding: context.decoding.descending("custom"),
            upstream: PureRun(stages: comparison.stages, input: PortType(Landmarks.self), above: context.id))
        name = "custom, \(options.method.rawValue)"
        let match = options.match
        matcher =
            options.method == .cosine
            ? .cosine(try GestureClassifier(match, match.rules(for: .cosine), library: library, inner))
            : .euclidean(try GestureClassifier(match, match.rules(for: .euclidean), library: library, inner))
    }

    /// Puts what a hand shows into a recognition; whether it is anything.
    mutating func recognize(_ landmarks: Landmarks, into output: inout Recognition) throws -> Bool {
        try comparison.vector(of: landmarks, into: &vector.values)
        output.matcher = name
        switch matcher {
        case .cosine(let cosine): try cosine.recognize(vector, &ranking, into: &output)
        case .euclidean(let euclidean): try euclidean.recognize(vector, &ranking, into: &output)
        }
        return output.best.index >= 0
    }
}
