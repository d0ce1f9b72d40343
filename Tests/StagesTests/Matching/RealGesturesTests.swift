import Foundation
import Pipeline
import PipelineComponents
import Testing

@testable import Stages

@Suite("real gestures", .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
struct RealGesturesTests {
    static let protractor: [any Stage] = [Resample(points: 16), Normalize(scale: .none), Vectorize()]
    static let dollarOne: [any Stage] = [Resample(), Normalize(rotate: .indicative)]

    private func evaluate(
        _ set: String, _ method: Match.Method, _ stages: [any Stage]
    ) throws -> [Double] {
        let items = try GestureData.loadItems(set)
        var match = Match.Options()
        match.method = method
        match.rotationToleranceDeg = 180
        var options = EvaluationOptions()
        options.templates = [1, 3, 9]
        options.repetitions = GestureData.repetitions
        let report = try Evaluation(stages: stages, match: match, options: options)(items)
        print(report.table)
        return report.rows.map { $0.accuracy * 100 }
    }

    private func isAtLeast(_ found: [Double], _ wanted: [Double]) -> Bool {
        found.count == wanted.count && zip(found, wanted).allSatisfy { $0 >= $1 }
    }

    @Test("Recorded gestures: the sets are read completely, with separate strokes for each gesture")
    func load() throws {
        let single = try GestureData.load("dollar1")
        #expect(single.count == 2400)
        #expect(Set(single.compactMap(\.label)).count == 16)
        #expect(Set(single.compactMap(\.subject)).count == 5)
        let multiple = try GestureData.load("mmg")
        #expect(multiple.count == 2399)
        #expect(Set(multiple.compactMap(\.label)).count == 16)
        #expect(multiple.contains { $0.counts.count > 1 })
    }

    @Test("Recorded gestures: protractor recognizes single strokes as well as the reference")
    func protractorSingle() throws {
        let found = try evaluate("dollar1", .protractor, Self.protractor)
        #expect(isAtLeast(found, [98.2, 99.2, 99.6]), "\(found)")
    }

    @Test("Recorded gestures: dollar1 recognizes single strokes as well as the reference")
    func dollarOneSingle() throws {
        let found = try evaluate("dollar1", .dollar1, Self.dollarOne)
        #expect(isAtLeast(found, [97.6, 99.0, 99.5]), "\(found)")
    }

    @Test("Recorded gestures: protractor recognizes joined strokes as well as the reference")
    func protractorMultiple() throws {
        let found = try evaluate("mmg", .protractor, Self.protractor)
        #expect(isAtLeast(found, [86.0, 91.5, 93.8]), "\(found)")
    }

    @Test(
        "Recorded gestures: each of 2,400 templates is nearest to itself at distance 0, and matches itself turned by 25°, but not by 60°"
    )
    func selfMatch() throws {
        let strokes = try GestureData.load("dollar1")
        let run = PureRun(stages: Self.protractor, input: nil, above: nil)
        let vectors = try strokes.map { try run.prepare($0, as: FeatureVector.self) }
        let matcher = try ProtractorMatcher(
            templates: vectors.map { [$0] }, rules: MatchRules(rotationToleranceDeg: 30, thresholdRad: 4, maxResults: 1)
        )
        var options = Match.Options()
        options.rotationToleranceDeg = 30
        var largest = 0.0
        for (index, vector) in vectors.enumerated() {
            var ranking: [Ranked] = []
            try matcher.rank(vector, into: &ranking)
            largest = max(largest, ranking.first?.distance ?? .infinity)
            #expect(
                ranking.first?.category == index || ranking.first.map { vectors[$0.category].values } == vector.values)
            guard index % 40 == 0 else { continue }
            let own = GestureLibrary(gestures: [.init(name: "own", samples: [strokes[index]])])
            let stage = try Match.protractor(own, preparedBy: Self.protractor, options)
            for (degrees, name) in [(25.0, "own"), (-25, "own"), (60, "None"), (-60, "None")] {
                let turned = try run.prepare(strokes[index].turned(by: degrees), as: FeatureVector.self)
                #expect(try apply(stage, to: turned).best.name == name, "\(index) turned by \(degrees)")
            }
        }
        #expect(largest < 1e-6)
    }
}
