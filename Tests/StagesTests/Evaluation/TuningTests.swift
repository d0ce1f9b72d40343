import Foundation
import Testing

@testable import Connectors
@testable import Stages

@Suite("Tuning")
struct TuningTests {
    /// Returns a setting with results by person: how many of 100 known gestures were recognized, and how many of 100 unknown
    /// gestures were given a name.
    private func candidate(_ name: String, _ people: [(right: Int, named: Int)], ns: Double = 1) -> Tuning.Candidate {
        Tuning.Candidate(
            settings: [name],
            people: people.map {
                var part = EvaluationReport.Row.Part()
                (part.tests, part.right, part.unknownTests, part.accepted) = (100, $0.right, 100, $0.named)
                return part
            }, nanoseconds: ns)
    }

    @Test("Tuning: the setting that names most known gestures is chosen among those that name few unknown ones")
    func bounded() {
        let candidates = [
            candidate("strict", [(80, 0), (82, 0)]), candidate("fit", [(95, 4), (93, 6)]),
            candidate("open", [(99, 40), (99, 50)]),
        ]
        #expect(Tuning(candidates, .init()).best == 2)
        #expect(Tuning(candidates, .init(falseAccept: 0.05)).best == 1)
        #expect(Tuning(candidates, .init(falseAccept: 0.04)).best == 0)
        #expect(Tuning(candidates, .init(falseAccept: 0.04)).isWithin(1) == false)
    }

    @Test(
        "Tuning: among equals, the setting that names fewer unknown gestures wins, then the first; slow ones are not chosen"
    )
    func ties() {
        let candidates = [
            candidate("a", [(90, 3)], ns: 50), candidate("b", [(90, 2)], ns: 70), candidate("c", [(90, 2)], ns: 60),
        ]
        #expect(Tuning(candidates, .init()).best == 1)
        #expect(Tuning(candidates, .init(nanoseconds: 55)).best == 0)
        #expect(Tuning(candidates, .init(nanoseconds: 10)).best == nil)
        #expect(Tuning(candidates, .init(nanoseconds: 10)).strictest == 1)
    }

    // Calculated by hand: without ann, "b" is best (99 + 99 against 90 + 90), so ann's result is 50. Without bob or without cem,
    // "a" is best (100 + 90 against 50 + 99), so their results are 90 each.
    @Test("Tuning: the result for unseen people scores each person with the setting that is best for the others")
    func unseen() throws {
        let tuning = Tuning(
            [candidate("a", [(100, 0), (90, 0), (90, 0)]), candidate("b", [(50, 0), (99, 0), (99, 0)])], .init())
        let unseen = try #require(tuning.unseen)
        #expect(unseen.right == 50 + 90 + 90 && unseen.tests == 300)
        #expect(Tuning([candidate("a", [(100, 0)])], .init()).unseen == nil)
    }

    // Of all people, 110 of 300 unknown gestures are named, without ann 110 of 200, and without bob or cem 60 or 50 of 200.
    @Test("Tuning: without a person who keeps the only setting within the bounds, there is no result for unseen people")
    func indispensable() {
        let people: [(right: Int, named: Int)] = [(90, 0), (90, 50), (90, 60)]
        let tuning = Tuning([candidate("a", people)], .init(falseAccept: 0.4))
        #expect(tuning.best == 0 && tuning.unseen == nil && tuning.indispensable == 0)
        #expect(Tuning([candidate("a", people)], .init()).indispensable == nil)
        #expect(Tuning([candidate("a", [(100, 0)])], .init()).indispensable == nil)
    }

    @Test("Tuning: the plot has a dot for every setting, and another one for the chosen setting")
    func plot() {
        let tuning = Tuning([candidate("a", [(90, 1)]), candidate("b", [(95, 3)]), candidate("c", [(70, 0)])], .init())
        #expect(tuning.svg.components(separatedBy: "<path").count - 1 >= 4)
        #expect(tuning.svg.contains(">the setting chosen</text>"))
        #expect(tuning.svg.contains(">the pipeline as it is</text>"))
    }
}
