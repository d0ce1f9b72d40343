import Testing

@testable import Stages

/// Whether `cloud` is correct as often as its confidence claims, for recorded people.
@Suite("confidence on real gestures", .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
struct RealConfidenceTests {
    private func row(_ set: String, templates: Int) throws -> EvaluationReport.Row {
        var options = EvaluationOptions()
        options.design = .openSet
        (options.templates, options.repetitions) = ([templates], GestureData.repetitions(few: 3))
        var match = Match.Options()
        match.method = .cloud
        let items = try GestureData.loadItems(set).map { item in
            var item = item
            (item.group, item.user) = (item.user, item.stroke.subject ?? "")
            return item
        }
        let report = try Evaluation(stages: [], match: match, options: options)(items)
        print(report.table)
        return report.rows[0]
    }

    @Test(
        "Confidence on recorded gestures: the calibration error is below 3 %, also for people that the function was not fitted to",
        arguments: [("dollar1", 1), ("dollar1", 3), ("mmg", 1), ("mmg", 3)])
    func calibrated(set: String, templates: Int) throws {
        let row = try row(set, templates: templates)
        #expect(try #require(row.reliability).error < 0.03)
        var answers: [(confidence: Double, isRight: Bool)] = []
        for person in Set(row.people) {
            let others = zip(row.trials, row.people).filter { $0.1 != person }.map(\.0)
            let function = MatchConfidence.fitted(
                to: others.map { .init(ratio: $0.nearest.ratio, isRight: $0.isNearest, weight: 1) })
            for (trial, own) in zip(row.trials, row.people) where own == person {
                let probability = function.probability(at: trial.nearest.ratio)
                answers.append((trial.answer == nil ? 1 - probability : probability, trial.isRight))
            }
        }
        #expect(Reliability(answers).error < 0.03, "\(Reliability(answers).error)")
    }
}
