import Pipeline
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
        _ design: EvaluationDesign, of items: [EvaluationItem]? = nil,
        _ change: (inout EvaluationOptions) -> Void = { _ in }
    ) throws -> (pools: EvaluationPools, rows: [EvaluationPlan.Row]) {
        var options = EvaluationOptions()
        (options.design, options.repetitions) = (design, 20)
        change(&options)
        let pools = EvaluationPools(items ?? self.items, byGroup: design.drawsFromGroups)
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

    @Test("Evaluation designs: an open set of two classes is refused, with the reason")
    func openSetOfTwo() throws {
        let two = items.filter { ["a", "b"].contains($0.label) }
        let error = #expect(throws: PipelineError.self) { _ = try rows(.openSet, of: two) }
        #expect(error?.code == "eval.too_few" && error?.message.contains("three classes") == true)
        // Six samples of each class are enough for five templates and a test.
        let many = #expect(throws: PipelineError.self) { _ = try rows(.openSet) { $0.templates = [6] } }
        #expect(many?.message.hasSuffix("for 6 templates and a test") == true)
        let single = items.filter { $0.user == "ann" && $0.group == "fast" }.enumerated().filter { $0.offset % 6 == 0 }
        let one = #expect(throws: PipelineError.self) {
            _ = try rows(.openSet, of: single.map(\.element)) { $0.templates = [1] }
        }
        #expect(one?.message.hasSuffix("for 1 template and a test") == true)
    }

    @Test("Evaluation designs: the pools that a row leaves out are known, with the class that has too few samples")
    func leftOut() {
        // Of ann's fast samples, two are of class e; bob's slow samples are of two classes.
        var ofE = 0
        let some = items.filter { item in
            if item.user == "bob", item.group == "slow" { return item.label < "c" }
            guard item.user == "ann", item.group == "fast", item.label == "e" else { return true }
            ofE += 1
            return ofE <= 2
        }
        func leftOut(_ design: EvaluationDesign, _ templates: [Int]?) -> [String] {
            var options = EvaluationOptions()
            (options.design, options.templates) = (design, templates)
            return Evaluation.leftOut(some, options).map { "\($0.templates): \($0.pools.joined(separator: ", "))" }
        }
        #expect(leftOut(.userDependent, [1, 2]) == ["2: ann in fast (too few samples of e)"])
        #expect(
            leftOut(.openSet, [1, 2]) == [
                "1: bob in slow (fewer than three classes)",
                "2: ann in fast (too few samples of e), bob in slow (fewer than three classes)",
            ])
        // Without groups, ann has 8 samples of e, and bob 6 of c.
        #expect(leftOut(.userIndependent, [6, 7]) == ["7: bob (too few samples of c)"])
        #expect(leftOut(.leaveOnePersonOut, nil) == [])
        #expect(leftOut(.blocks, nil) == [])
    }
}
