import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("statistics of an evaluation")
struct EvaluationStatisticsTests {
    // Calculated by hand: the confidences 0.92, 0.98 and 1 are in one bin, and two of these answers are right. The confidence
    // 0.31 is in another bin, and its answer is wrong.
    @Test("Evaluation statistics: calibration error is the mean gap of the bins, weighted by their answers")
    func reliability() {
        let reliability = Reliability([(0.92, true), (0.98, false), (0.31, false), (1, true)])
        #expect(reliability.bins.count == 10)
        #expect(reliability.bins[9].count == 3 && reliability.bins[3].count == 1)
        #expect(abs(reliability.bins[9].accuracy - 2.0 / 3) < 1e-12)
        // |2.9/3 − 2/3| · 3/4 + 0.31 · 1/4
        #expect(abs(reliability.error - (0.9 / 3 * 0.75 + 0.31 / 4)) < 1e-12)
        #expect(Reliability([]).error == 0)
    }

    @Test("Evaluation statistics: answers that are right as often as their confidence says have no calibration error")
    func calibrated() {
        let answers = (0..<100).map { (confidence: 0.75, isRight: $0 % 4 != 0) }
        #expect(Reliability(answers).error == 0)
    }

    // Values below a threshold are accepted. Of ten unknown gestures at 0.1, 0.2 … 1.0, a threshold of 0.3 accepts two. Of the
    // four tests that were recognized, it accepts three.
    @Test("Evaluation statistics: a threshold accepts the given share of unknown gestures")
    func sweep() throws {
        let sweep = ThresholdSweep(
            correct: [0.05, 0.29, 0.3, 0.1], tests: 5, unknown: (1...10).map { Double($0) / 10 })
        let point = try #require(sweep.point(falseAccept: 0.2))
        #expect(abs(point.threshold - 0.3) < 1e-12 && point.accepted == 0.6)
        #expect(sweep.point(falseAccept: 0)?.accepted == 0.2)
        #expect(sweep.point(falseAccept: 1)?.accepted == 0.8)
        #expect(sweep.curve.map(\.accepted) == sweep.curve.map(\.accepted).sorted())
        #expect(ThresholdSweep(correct: [], tests: 0, unknown: []).point(falseAccept: 0.05) == nil)
    }

    // If the shares of n people have a standard deviation of s, the standard error of their mean is s/√n. 95 % of a normal
    // distribution lie within 1.96 standard errors.
    @Test("Evaluation statistics: the confidence interval is as wide as the differences between participants imply")
    func interval() throws {
        let people = (0..<50).map { Bootstrap.Cluster(hits: $0 % 2 == 0 ? 80 : 100, tests: 100) }
        let interval = try #require(Bootstrap.interval(people, seed: 1))
        let error = 0.1 / 50.0.squareRoot()
        #expect(abs(interval.lowerBound - (0.9 - 1.96 * error)) < 0.3 * error)
        #expect(abs(interval.upperBound - (0.9 + 1.96 * error)) < 0.3 * error)
        #expect(Bootstrap.interval(people, seed: 1) == interval)
        #expect(Bootstrap.interval([.init(hits: 9, tests: 10)], seed: 1) == nil)
        // A person who was not tested does not contribute.
        #expect(Bootstrap.interval(people + [.init()], seed: 1) == interval)
    }

    @Test(
        "Evaluation statistics: a difference that all people confirm is significant, one that half of them contradict is not"
    )
    func significance() throws {
        let mixed = (0..<20).map { Bootstrap.Cluster(hits: $0 % 2 == 0 ? 3 : -3, tests: 100) }
        #expect(try #require(Bootstrap.significance(of: mixed, seed: 1)) > 0.5)
        let clear = (0..<20).map { Bootstrap.Cluster(hits: Double($0 % 3 + 1), tests: 100) }
        #expect(try #require(Bootstrap.significance(of: clear, seed: 1)) < 0.01)
    }

    /// Returns a report on an a and a b of ann, and a c of bob, which is unknown. The answers are classes; `nil` is None.
    private func report(_ name: String, _ answers: [Int?]) -> EvaluationReport {
        let items = [("a", "ann"), ("b", "ann"), ("c", "bob")].map { label, user in
            let stroke = Stroke(samples: [Sample(x: 0, y: 0), Sample(x: 1, y: 1)])
            return EvaluationItem(label: label, user: user, stroke: stroke)
        }
        let pools = EvaluationPools(items, byGroup: false)
        let trials = answers.enumerated().map { item, answer in
            EvaluationTrial(
                item: item, actual: item == 2 ? nil : item,
                nearest: .init(category: answer ?? 0, distance: 1, limit: 2), other: nil, answer: answer,
                confidence: nil)
        }
        let setup = EvaluationSetup(templates: 1, users: 0, able: [], draws: 1)
        return EvaluationReport(
            pipeline: name, method: "cloud", design: .openSet, classes: pools.classes, people: pools.people, users: 2,
            pools: 2, samples: 3, seed: 1, rows: [.init(setup, trials, pools, seed: 1, .openSet)],
            nanosecondsPerMatch: 1000, items: items)
    }

    // The first pipeline names one of two known gestures, the second one both. It also names the unknown gesture, which changes FA.
    @Test("Evaluation statistics: the difference in right is that of known gestures, as the column right")
    func difference() {
        let reports = [report("strict", [0, nil, nil]), report("open", [0, 1, 1])]
        #expect(reports.map { $0.rows[0].all.rightShare } == [0.5, 1])
        #expect(reports.map { $0.rows[0].all.falseAccept } == [0, 1])
        #expect(EvaluationComparison(reports).differences[0].differences.map(\.right) == [0, 0.5])
    }

    // One of ann's two samples is recognized. Each fourth draw of two samples has none, or both, of them.
    @Test("Evaluation statistics: samples are drawn if one person made all known gestures, whoever made the others")
    func aloneAmongStrangers() {
        #expect(report("", [0, nil, nil]).rows[0].interval == 0...1)
    }

    @Test("Evaluation statistics: a figure for which nothing was measured is a dash, null in JSON and empty in CSV")
    func unmeasured() throws {
        // Without a second class, and without an unknown gesture, nothing can be accepted falsely.
        let report = report("", [0, 1])
        #expect(report.rows[0].acceptedAt5 == nil && report.rows[0].all.falseAccept == nil)
        let line = try #require(report.table.split(separator: "\n").first { $0.contains("100.00 %") })
        #expect(line.split(separator: " ").suffix(2) == ["–", "–"])
        for key in ["false_accepts", "accepted_at_5", "accepted_at_1"] {
            #expect(report.json.contains("\"\(key)\": null"), "\(key)")
        }
        #expect(report.csv.split(separator: "\n")[1].contains(",1,0,,,,,1000"), "\(report.csv)")
        #expect(EvaluationComparison([report]).cells[1][5...6] == ["–", "–"])
        #expect(!report.svg.isEmpty)
    }

    @Test("Evaluation statistics: confusions that are counted over several rows say so")
    func confusionsOfRows() {
        var report = report("", [0, 0])
        #expect(report.table.contains("\nmost often confused:\n  b taken for a: 1\n"))
        report.rows += report.rows
        #expect(report.table.contains("\nmost often confused in all rows:\n  b taken for a: 2\n"))
        let page = EvaluationPage(EvaluationComparison([report])).html
        #expect(page.contains("<h3>Confusion matrix of the last row</h3>"))
        #expect(page.contains("<h3>The worst confusions of all rows</h3>"))
    }

    @Test("Evaluation statistics: the trials of several pipelines are one table, which names pipeline and draw")
    func trials() {
        let lines = EvaluationComparison([report("one", [0, 1]), report("two", [1])]).trials.split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.map { $0.split(separator: ",").prefix(7).joined(separator: ",") } == [
                "pipeline,templates,users,draw,sample,person,label", "one,1,0,1,1,ann,a", "one,1,0,1,2,ann,b",
                "two,1,0,1,1,ann,a", "",
            ])
    }
}
