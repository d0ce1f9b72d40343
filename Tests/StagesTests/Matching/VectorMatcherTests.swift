import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Stages

@Suite("match by nearest neighbors")
struct VectorMatcherTests {
    private func vectors(_ values: [[Double]]) -> [FeatureVector] { values.map { FeatureVector(values: $0) } }

    private func rank<Metric: VectorMetric>(
        _ query: [Double], _ templates: [[[Double]]], _: Metric.Type, _ rules: MatchRules = MatchRules()
    ) throws -> [Ranked] {
        var ranking: [Ranked] = []
        let matcher = try VectorMatcher<Metric>(templates: templates.map(vectors), rules: rules)
        try matcher.rank(FeatureVector(values: query), into: &ranking)
        return ranking
    }

    @Test(
        "Nearest neighbors: distances and angles are those of geometry; scores are 1/(1 + distance) and 1 − 2·angle/π"
    )
    func distances() throws {
        let far = try rank([0, 0], [[[3, 4]], [[1, 0], [9, 9]]], EuclideanMetric.self, MatchRules(neighbours: 1))
        #expect(far.map(\.category) == [1, 0])
        #expect(far.map(\.distance) == [1, 5])
        let scores: [Double] = [1.0 / 2, 1.0 / 6]
        #expect(far.map(\.score) == scores)
        let turned = try rank([2, 0], [[[0, 7]], [[1, 1]], [[-1, 0]]], CosineMetric.self)
        #expect(turned.map(\.category) == [1, 0, 2])
        for (found, angle) in zip(turned, [Double.pi / 4, .pi / 2, .pi]) {
            #expect(abs(found.distance - angle) < 1e-12)
        }
        #expect(abs(turned[0].score - 0.5) < 1e-12 && abs(turned[1].score) < 1e-12 && turned[2].score == 0)
    }

    @Test(
        "Nearest neighbors: every template is nearest to itself, at distance 0",
        arguments: [3, 17, 55, 63])
    func itself(dimension: Int) throws {
        var random = SplitMix64(seed: 5)
        let templates = (0..<30).map { _ in [(0..<dimension).map { _ in Double(random.below(2001)) - 1000 }] }
        for (index, template) in templates.enumerated() {
            let found = [
                try rank(template[0], templates, EuclideanMetric.self)[0],
                try rank(template[0].map { $0 * 1e-9 }, templates, CosineMetric.self)[0],
            ]
            #expect(found.allSatisfy { $0.category == index && $0.distance < 1e-7 })
            #expect(found[0].distance == 0)
        }
    }

    @Test("Nearest neighbors: distances agree with a plain sum of squares", arguments: [1, 7, 8, 9, 16, 42, 55])
    func kernel(dimension: Int) throws {
        var random = SplitMix64(seed: UInt64(dimension))
        func drawn() -> [Double] { (0..<dimension).map { _ in Double(random.below(2001)) / 100 } }
        let (query, template) = (drawn(), drawn())
        let wanted = zip(query, template).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
        #expect(abs(try rank(query, [[template]], EuclideanMetric.self)[0].distance - wanted) < 1e-9 * max(1, wanted))
    }

    @Test("Nearest neighbors: a category's distance is the mean of its k nearest samples, or of all if it has fewer")
    func neighbours() throws {
        // A single sample of category 0 is nearest to the query, perhaps by mistake; all samples of category 1 are near it.
        let templates: [[[Double]]] = [[[1], [10], [12]], [[3], [4], [5]], [[4]]]
        let one = try rank([0], templates, EuclideanMetric.self, MatchRules(neighbours: 1))
        #expect(one.map(\.category) == [0, 1, 2])
        // By default, 0.7 times the nearest and 0.3 times the next: 3.7, 3.3 and 4.
        let usual = try rank([0], templates, EuclideanMetric.self)
        #expect(usual.map(\.category) == [1, 0, 2])
        for (found, wanted) in zip(usual, [3.3, 3.7, 4]) { #expect(abs(found.distance - wanted) < 1e-12) }
        // The five nearest of 100 samples: at 1, 2, 3, 4 and 5.
        let many = try rank([0], [(1...100).map { [Double($0)] }], EuclideanMetric.self)
        #expect(many[0].distance == 3)
        let two = try rank([0], templates, EuclideanMetric.self, MatchRules(neighbours: 2))
        #expect(two.map(\.category) == [1, 2, 0])
        #expect(two.map(\.distance) == [3.5, 4, 5.5])
        let all = try rank([0], templates, EuclideanMetric.self, MatchRules(neighbours: 50))
        let means: [Double] = [4, 4, 23.0 / 3]
        #expect(all.map(\.distance) == means)
        #expect(all.map(\.category) == [1, 2, 0])
    }

    @Test(
        "Nearest neighbors: a vector that is too far away, between two gestures, or nearest to the none class is None"
    )
    func rejection() throws {
        func recognize(_ x: Double, _ change: (inout Match.Options) -> Void = { _ in }) throws -> Recognition {
            let gestures = [("left", 0.0), ("right", 10), ("none", 20)].map { name, x in
                GestureLibrary.Gesture(name: name, samples: [stroke([(0, 0), (x, 1)])])
            }
            var options = Match.Options()
            options.method = .euclidean
            change(&options)
            var vectorize = Vectorize.Options()
            vectorize.unitLength = false
            let stages: [any Stage] = [try Vectorize(vectorize, BuildContext())]
            let stage = try Match.neighbours(GestureLibrary(gestures: gestures), preparedBy: stages, options)
            return try apply(stage, to: FeatureVector(values: [0, 0, x, 1]))
        }
        #expect(try recognize(1).categories.map(\.name) == ["left", "right"])
        #expect(try recognize(1) { $0.maxDistance = 2 }.categories.map(\.name) == ["left"])
        #expect(try recognize(4) { $0.maxDistance = 2 }.categories == [.none])
        #expect(try recognize(4).best.name == "left")
        #expect(try recognize(4.9) { $0.minMargin = 0.05 }.categories == [.none])
        #expect(try recognize(1) { $0.minMargin = 0.05 }.best.name == "left")
        #expect(try recognize(19).categories == [.none])
        #expect(try recognize(19) { $0.noneClass = "left" }.best.name == "none")
        let margin: Double = 1.0 / 2 - 1.0 / 10
        #expect(try recognize(11).margin == margin)
    }

    @Test("Nearest neighbors: vectors that cannot be compared are refused")
    func refused() {
        for (query, templates) in [
            ([1.0, 2], [[[1.0, 2, 3]]]), ([.nan, 1], [[[1, 2]]]), ([1e200, 1], [[[1, 2]]]),
            ([1, 1], [[[1, 2]], [[1]]]),
            ([1, 1], [[[.infinity, 2]]]),
        ] {
            #expect(throws: PipelineError.self) { try rank(query, templates, EuclideanMetric.self) }
        }
        #expect(throws: PipelineError.self) { try rank([0, 0], [[[1, 2]]], CosineMetric.self) }
    }

    @Test("Nearest neighbors: options that have no effect with a method give a warning")
    func unused() {
        for (method, option, count) in [
            ("protractor", "neighbours: 3", 1), ("cosine", "max_distance: 1", 1), ("cosine", "neighbours: 3", 0),
            ("euclidean", "max_distance: 1", 0), ("euclidean", "threshold_rad: 1", 1),
            ("cosine", "threshold_rad: 1", 0), ("cosine", "rotation_tolerance_deg: 10", 1),
            ("cosine", "limit_factor: 1, max_distance: 1", 1),
        ] {
            let found = findings(
                "  - match: { library: /nowhere.json, method: \(method), \(option) }", source: "stdin: { kind: vector }"
            )
            #expect(found.count { $0.code == "option.unused" } == count)
        }
    }

    @Test(
        "Nearest neighbors: recorded hands of a person are recognized with blocks of templates and with 1 to 10 random ones",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func keypoints() async throws {
        let items = try await HandData.keypoints().compactMap { EvaluationItem($0) }
        #expect(items.count == 4787)
        var normalize = NormalizeHand.Options()
        normalize.mirrorTo = .right
        var vectorize = Vectorize.Options()
        vectorize.layout = .distances
        let stages: [any Stage] = [NormalizeHand.stage(normalize), try Vectorize.landmarks(vectorize)]
        var match = Match.Options()
        match.method = .cosine
        var options = EvaluationOptions()
        (options.templates, options.testsAll) = ([1, 3, 5, 10], true)
        options.repetitions = GestureData.repetitions(few: 2)
        let drawn = try Evaluation(stages: stages, match: match, options: options)(items).rows.map(\.accuracy)
        options.design = .blocks
        let blocks = try Evaluation(stages: stages, match: match, options: options)(items)
        print("blocks \(blocks.rows.map(\.accuracy)), of 1, 3, 5, 10 drawn \(drawn)")
        #expect(blocks.rows.map(\.tests) == [1198])
        #expect(blocks.rows[0].accuracy >= 0.94)
        #expect(drawn.count == 4)
        // The accuracies of a plain nearest neighbor with equal weights.
        for (accuracy, plain) in zip(drawn, [0.766, 0.921, 0.924, 0.938]) { #expect(accuracy > plain) }
    }
}
