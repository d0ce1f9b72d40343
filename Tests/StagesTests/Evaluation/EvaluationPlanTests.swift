import Testing

@testable import Stages

@Suite("Choice of templates and tests")
struct EvaluationPlanTests {
    /// Three people with two groups of samples each. Every group has six samples of each of five classes.
    private var items: [EvaluationItem] {
        ["ann", "bob", "cem"].flatMap { user in
            ["fast", "slow"].flatMap { group in
                ["a", "b", "c", "d", "e"].flatMap { label in
                    (0..<6).map { _ in
                        var item = EvaluationItem(label: label, user: user, stroke: Stroke(samples: []))
                        item.group = group
                        return item
                    }
                }
            }
        }
    }

    private func rows(
        _ design: EvaluationDesign, _ change: (inout EvaluationOptions) -> Void = { _ in }
    ) throws -> (pools: EvaluationPools, rows: [EvaluationPlan.Row]) {
        var options = EvaluationOptions()
        (options.design, options.repetitions) = (design, 20)
        change(&options)
        let pools = EvaluationPools(items, byGroup: design.drawsFromGroups)
        return (pools, try EvaluationPlan(options).rows(of: pools))
    }

    @Test(
        "Evaluation designs: a tested sample is never a template of the same trial",
        arguments: EvaluationDesign.allCases)
    func noLeak(design: EvaluationDesign) throws {
        let (pools, rows) = try rows(design) { $0.users = [1, 2] }
        for draw in rows.flatMap(\.draws) {
            #expect(Set(draw.templates.joined()).isDisjoint(with: draw.tests))
            #expect(!draw.tests.isEmpty)
            for (templates, category) in zip(draw.templates, draw.categories) {
                #expect(!templates.isEmpty && templates.allSatisfy { pools.category[$0] == category })
            }
        }
    }

    @Test(
        "Evaluation designs: templates come from other participants in user_independent, and from all others in leave_one_person_out"
    )
    func others() throws {
        for design in [EvaluationDesign.userIndependent, .leaveOnePersonOut] {
            let (pools, rows) = try rows(design)
            for draw in rows.flatMap(\.draws) {
                let givers = Set(draw.templates.joined().map { pools.person[$0] })
                let testers = Set(draw.tests.map { pools.person[$0] })
                #expect(testers.count == 1 && givers.isDisjoint(with: testers))
            }
        }
        // Nothing is random: each of 5 classes has 12 templates by each of 2 people, and the third person's 60 samples are tested.
        let rows = try rows(.leaveOnePersonOut).rows
        #expect(rows.count == 1 && rows[0].draws.count == 3)
        #expect(rows[0].draws.allSatisfy { $0.templates.allSatisfy { $0.count == 24 } && $0.tests.count == 60 })
    }

    @Test("Evaluation designs: in an open set, the given share of the classes is tested without having templates")
    func openSet() throws {
        for (share, unknown) in [(0.25, 1), (0.4, 2), (0, 1), (1, 4)] {
            let (pools, rows) = try rows(.openSet) { $0.unknownShare = share }
            #expect(rows.map(\.design.templates) == [3])
            for draw in rows.flatMap(\.draws) {
                let unknownTests = draw.tests.filter { !draw.categories.contains(pools.category[$0] ?? -1) }
                #expect(unknownTests.count == unknown && draw.tests.count == 5 && draw.categories.count == 5 - unknown)
            }
        }
    }

    @Test("Evaluation designs: k shots leave all other samples of the pool to be tested")
    func kShot() throws {
        let rows = try rows(.kShot).rows
        #expect(rows.map(\.design.templates) == [1, 3, 5])
        #expect(rows.map { $0.draws[0].tests.count } == [25, 15, 5])
    }
}
