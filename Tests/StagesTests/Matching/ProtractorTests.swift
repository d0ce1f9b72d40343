import Foundation
import Pipeline
import PipelineComponents
import Testing

@testable import Stages

@Suite("match: protractor")
struct ProtractorTests {
    static let stages: [any Stage] = [Resample(points: 16), Normalize(scale: .none), Vectorize()]

    func vector(_ stroke: Stroke) throws -> FeatureVector {
        try PureRun(stages: Self.stages, input: nil, above: nil).prepare(stroke, as: FeatureVector.self)
    }

    private func options(tolerance: Double = 27, threshold: Double = 4) -> Match.Options {
        var options = Match.Options()
        options.rotationToleranceDeg = tolerance
        options.thresholdRad = threshold
        return options
    }

    private func library(_ strokes: [Stroke]) -> GestureLibrary {
        GestureLibrary(gestures: strokes.enumerated().map { .init(name: "\($0)", samples: [$1]) })
    }

    @Test(
        "match protractor: distances agree with those of an independent program, at every tolerance",
        arguments: ["0", "27", "180"])
    func peer(tolerance: String) throws {
        let trace = try PeerTrace.load()
        let expected = try #require(trace.protractor[tolerance])
        let rules = MatchRules(
            rotationToleranceDeg: try #require(Double(tolerance)), thresholdRad: 4, scoreThreshold: 0, maxResults: -1)
        let vectors = try trace.gestures.map { try vector($0) }
        let matcher = try ProtractorMatcher(templates: vectors.map { [$0] }, rules: rules)
        for (query, row) in zip(vectors, expected) {
            var ranking: [Ranked] = []
            try matcher.rank(query, into: &ranking)
            #expect(ranking.count == vectors.count)
            for ranked in ranking { #expect(abs(ranked.distance - row[ranked.category]) < 1e-7) }
            #expect(ranking.map(\.distance) == ranking.map(\.distance).sorted())
        }
    }

    @Test("match protractor: every template matches itself at distance 0 and wins")
    func selfMatch() throws {
        let strokes = try PeerTrace.load().gestures
        let stage = try Match.protractor(library(strokes), preparedBy: Self.stages, options())
        for (index, stroke) in strokes.enumerated() {
            let result = try apply(stage, to: try vector(stroke))
            #expect(result.best.name == "\(index)")
            #expect(1 - result.best.score < 1e-6)
        }
    }

    @Test(
        "match protractor: a rotation within the tolerance matches, and one beyond it is rejected",
        arguments: [25.0, -25, 60, -60, 120, 180])
    func tolerance(turn: Double) throws {
        let stage = try Match.protractor(
            library([egg()]), preparedBy: Self.stages, options(tolerance: 30, threshold: 0.4))
        let result = try apply(stage, to: try vector(egg().turned(by: turn)))
        #expect(result.best.name == (abs(turn) < 30 ? "0" : "None"))
    }

    @Test("match protractor: the distance of a rotated gesture is the angle beyond the tolerance")
    func angleLeft() throws {
        // The distance of vectors that differ only by a rotation is the angle of the rotation.
        let rules = MatchRules(rotationToleranceDeg: 30, thresholdRad: 4)
        let matcher = try ProtractorMatcher(templates: [[try vector(egg())]], rules: rules)
        for turn in [0.0, 10, 30, 31, 75, 90, 150] {
            var ranking: [Ranked] = []
            try matcher.rank(try vector(egg().turned(by: turn)), into: &ranking)
            #expect(abs(ranking[0].distance - max(0, turn - 30) * .pi / 180) < 1e-7, "\(turn)")
        }
    }

    @Test("match protractor: with a tolerance of 180°, rotation does not matter")
    func invariant() throws {
        let stage = try Match.protractor(library([egg()]), preparedBy: Self.stages, options(tolerance: 180))
        for turn in stride(from: -180.0, through: 180, by: 15) {
            let score = try apply(stage, to: try vector(egg().turned(by: turn))).best.score
            #expect(1 - score < 1e-6, "\(turn)")
        }
    }

    @Test("match protractor: among near duplicates the exact nearest wins, and of equal ones the first in the library")
    func nearDuplicates() throws {
        // 200 copies, rotated by 1e-6 rad each: closer together than single precision can distinguish.
        let base = try vector(egg())
        var templates = (0..<200).map { i -> FeatureVector in
            var copy = base
            let (c, s) = (cos(Double(i) * 1e-6), sin(Double(i) * 1e-6))
            for p in 0..<16 {
                let (x, y) = (base.values[2 * p], base.values[2 * p + 1])
                copy.values[2 * p] = x * c - y * s
                copy.values[2 * p + 1] = x * s + y * c
            }
            return copy
        }
        templates.append(templates[123])
        let matcher = try ProtractorMatcher(
            templates: templates.map { [$0] },
            rules: MatchRules(rotationToleranceDeg: 0, thresholdRad: 4, maxResults: 1))
        for index in [0, 57, 123, 199] {
            var ranking: [Ranked] = []
            try matcher.rank(templates[index], into: &ranking)
            #expect(ranking.first?.category == index)
        }
    }

    @Test("match protractor: vectors of another dimension and hostile vectors are refused")
    func refusals() throws {
        let stage = try Match.protractor(library([egg()]), preparedBy: Self.stages, options())
        for values in [[], [1], [1, 0], [Double](repeating: 0, count: 32), [Double](repeating: .nan, count: 32)] {
            #expect(throws: PipelineError.self) { try apply(stage, to: FeatureVector(values: values)) }
        }
    }

    @Test("match protractor: vectors of any length are compared by direction alone")
    func scaled() throws {
        let stage = try Match.protractor(library([egg()]), preparedBy: Self.stages, options())
        var query = try vector(egg())
        query.values = query.values.map { $0 * 1000 }
        #expect(try apply(stage, to: query).best.score > 1 - 1e-6)
    }
}
