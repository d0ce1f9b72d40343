import Testing

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
    func sweep() {
        let sweep = ThresholdSweep(
            correct: [0.05, 0.29, 0.3, 0.1], tests: 5, unknown: (1...10).map { Double($0) / 10 })
        let point = sweep.point(falseAccept: 0.2)
        #expect(abs(point.threshold - 0.3) < 1e-12 && point.accepted == 0.6)
        #expect(sweep.point(falseAccept: 0).accepted == 0.2)
        #expect(sweep.point(falseAccept: 1).accepted == 0.8)
        #expect(sweep.curve.map(\.accepted) == sweep.curve.map(\.accepted).sorted())
        #expect(ThresholdSweep(correct: [], tests: 0, unknown: []).point(falseAccept: 0.05).accepted == 0)
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
}
