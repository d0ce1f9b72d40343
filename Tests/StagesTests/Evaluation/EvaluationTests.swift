import Foundation
import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("evaluation")
struct EvaluationTests {
    /// Three users draw three classes that differ clearly, with small differences between samples.
    private func items(samples: Int = 5) -> [EvaluationItem] {
        var random = SplitMix64(seed: 3)
        func noise() -> Double { Double(random.below(1000)) / 100 - 5 }
        let shapes: [(String, [(Double, Double)])] = [
            ("line", [(0, 0), (100, 0), (200, 0)]), ("vee", [(0, 0), (100, 150), (200, 0)]),
            ("zed", [(0, 0), (200, 0), (0, 200), (200, 200)]),
        ]
        var items: [EvaluationItem] = []
        for user in ["ann", "bob", "cem"] {
            for (label, points) in shapes {
                for _ in 0..<samples {
                    let drawn = stroke(points.map { ($0.0 + noise(), $0.1 + noise()) })
                    items.append(.init(label: label, user: user, stroke: drawn))
                }
            }
        }
        return items
    }

    private func evaluate(_ items: [EvaluationItem], _ change: (inout EvaluationOptions) -> Void) throws
        -> EvaluationReport
    {
        var options = EvaluationOptions()
        options.templates = [1, 2, 4]
        options.repetitions = 10
        change(&options)
        return try Evaluation(
            stages: [Resample(points: 16), Normalize(scale: .none), Vectorize()], match: Match.Options(),
            options: options)(items)
    }

    @Test("Evaluation: clearly different classes are all recognized, with templates of the same user and of others")
    func separable() throws {
        let own = try evaluate(items()) { _ in }
        #expect(own.rows.map(\.accuracy) == [1, 1, 1])
        #expect(own.rows.map(\.tests) == [90, 90, 90])
        #expect(own.confusions.isEmpty)
        #expect(own.rows.allSatisfy { $0.acceptedAt5 == 1 && $0.acceptedAt1 == 1 })
        let others = try evaluate(items()) {
            $0.design = .userIndependent
            $0.users = [1, 2]
        }
        #expect(others.rows.map(\.users) == [1, 1, 1, 2, 2, 2])
        #expect(others.rows.allSatisfy { $0.accuracy == 1 })
    }

    @Test("Evaluation: pipelines are compared on the samples that both test, also if one of them tests fewer")
    func pairs() throws {
        // One person draws only lines, so a pipeline that does not report lines has no trials of this person.
        let some = items().filter { $0.user != "bob" || $0.label == "line" }
        let whole = try evaluate(some) { $0.templates = [1] }
        var options = EvaluationOptions()
        (options.templates, options.repetitions) = ([1], 10)
        var match = Match.Options()
        match.categories.denylist = ["line"]
        let part = try Evaluation(
            stages: [Resample(points: 16), Normalize(scale: .none), Vectorize()], match: match, options: options)(some)
        #expect(part.rows[0].trials.count < whole.rows[0].trials.count)
        let comparison = EvaluationComparison([whole, part])
        let difference = comparison.differences[0].differences[1]
        // Lines are unknown to the second pipeline, so they are not compared. Both name all other gestures correctly.
        #expect(whole.rows[0].all.rightShare == 1 && part.rows[0].all.rightShare == 1)
        #expect(difference.accuracy == 0 && difference.right == 0 && difference.rightPValue == nil)
    }

    /// Evaluates with the class zed as the none class.
    private func withNone(_ change: (inout Match.Options) -> Void) throws -> EvaluationReport {
        let items = items().map {
            EvaluationItem(label: $0.label == "zed" ? "none" : $0.label, user: $0.user, stroke: $0.stroke)
        }
        var options = EvaluationOptions()
        (options.design, options.templates, options.repetitions) = (.kShot, [2], 4)
        var match = Match.Options()
        change(&match)
        return try Evaluation(
            stages: [Resample(points: 16), Normalize(scale: .none), Vectorize()], match: match, options: options)(items)
    }

    @Test("Evaluation: the allowlist need not name the none class, and does not leave it alone in the comparison")
    func allowlistAndNone() throws {
        func nearest(_ report: EvaluationReport) -> Set<String> {
            Set(report.rows[0].trials.filter { $0.actual == nil }.map { report.classes[$0.nearest.category] })
        }
        let allowed = try withNone { $0.categories.allowlist = ["line", "vee"] }
        #expect(nearest(allowed) == ["none"])
        #expect(allowed.rows[0].all.accepted == 0)
        // Without an allowed gesture, there is nothing to compare with.
        let other = try withNone { $0.categories.allowlist = ["star"] }
        #expect(other.rows[0].trials.isEmpty)
        let denied = try withNone { $0.categories.denylist = ["none"] }
        #expect(!nearest(denied).contains("none"))
    }

    @Test("Evaluation: samples nearest to the none class are accepted at no threshold, and stay in the denominator")
    func sweepWithNone() throws {
        let report = try withNone { _ in }
        let row = report.rows[0]
        // Three of five samples of each class and user are tested, four times.
        #expect((row.all.tests, row.all.unknownTests) == (72, 36))
        #expect((row.accuracy, row.acceptedAt5, row.acceptedAt1) == (1, 1, 1))
        let others = row.trials.compactMap(\.other)
        #expect(others.count == 108)
        #expect(others.allSatisfy { ($0.distance == .infinity) == (report.classes[$0.category] == "none") })
        #expect(row.trials.allSatisfy { $0.actual != nil || $0.other?.distance == .infinity })
        // At the share of the samples that are nearest to another class, all of them are accepted, and no more.
        let finite = others.count { $0.distance.isFinite }
        #expect(finite > 0)
        #expect(row.byDistance.point(falseAccept: Double(finite) / 108)?.threshold == .infinity)
        #expect(row.byDistance.point(falseAccept: (Double(finite) - 0.5) / 108)?.threshold.isFinite == true)
    }

    @Test("Evaluation: two identical classes are recognized half of the time, and the confusion matrix shows it")
    func inseparable() throws {
        // Strokes of one shape under two alternating names.
        let twins = items(samples: 20).filter { $0.label == "vee" }.enumerated().map { number, item in
            EvaluationItem(label: number % 2 == 0 ? "vee" : "wye", user: item.user, stroke: item.stroke)
        }
        let report = try evaluate(twins) {
            $0.templates = [4]
            $0.repetitions = 200
        }
        #expect(abs(report.rows[0].accuracy - 0.5) < 0.1)
        let matrix = report.rows[0].confusion
        #expect(matrix.flatMap { $0 }.reduce(0, +) == report.rows[0].tests)
        #expect(matrix.map { $0.reduce(0, +) } == [600, 600])
        #expect(report.confusions.count == 2)
    }

    @Test("Evaluation: the same seed gives the same result, another seed other trials")
    func seeded() throws {
        // Some samples are mislabeled, so that results depend on which samples are chosen.
        let noisy = items().map { item in
            EvaluationItem(
                label: item.stroke.samples[0].x > 2 ? "vee" : item.label, user: item.user, stroke: item.stroke)
        }
        func rows(_ seed: UInt64, _ templates: [Int]) throws -> [[[Int]]] {
            try evaluate(noisy) {
                $0.seed = seed
                $0.templates = templates
                $0.repetitions = 40
            }.rows.map(\.confusion)
        }
        let both = try rows(1, [1, 2])
        #expect(try rows(1, [1, 2]) == both)
        #expect(try rows(1, [2]) == [both[1]], "a row does not depend on the others")
        #expect(try rows(2, [1, 2]) != both)
    }

    @Test("Evaluation: a trial never holds the same sample twice")
    func noLeak() {
        var random = SplitMix64(seed: 1)
        for count in 0...6 {
            for _ in 0..<200 {
                let drawn = random.draw(count, of: Array(0..<5))
                #expect(Set(drawn).count == min(count, 5))
            }
        }
    }

    @Test("Evaluation: rows for which there are too few samples are left out, and it is an error if no row is left")
    func tooFew() throws {
        let report = try evaluate(items(samples: 3)) { _ in }
        #expect(report.rows.map(\.templates) == [1, 2])
        #expect(throws: PipelineError.self) { try evaluate(items(samples: 1)) { _ in } }
        #expect(throws: PipelineError.self) { try evaluate([]) { _ in } }
    }

    @Test(
        "Evaluation: a number of repetitions that is too small or too large is an error, for every design",
        arguments: [Int.min, 0, 1_000_001, .max])
    func repetitions(count: Int) throws {
        for design in EvaluationDesign.allCases where design != .library {
            let error = #expect(throws: PipelineError.self) {
                try evaluate(items()) { ($0.design, $0.repetitions) = (design, count) }
            }
            #expect(error?.code == "eval.repetitions" && error?.help != nil, "\(design)")
        }
    }

    @Test("Evaluation: progress reaches its end, one trial at a time")
    func progress() throws {
        var options = EvaluationOptions()
        options.templates = [1, 2]
        options.repetitions = 5
        var seen: [Int] = []
        var totals: Set<Int> = []
        _ = try Evaluation(
            stages: [Resample(points: 16), Normalize(scale: .none), Vectorize()], match: Match.Options(),
            options: options)(
                items()
            ) {
                seen.append($0)
                totals.insert($1)
            }
        #expect(seen == Array(1...30))
        #expect(totals == [30])
    }

    @Test("Evaluation: table, JSON and plot give the same numbers")
    func outputs() throws {
        var report = try evaluate(items()) { $0.templates = [1, 2] }
        report.nanosecondsPerMatch = 1234
        // One of 90 was recognized as another gesture.
        report.rows[0].all.recognized -= 1
        #expect(report.table.contains("          1        90   98.89 %"))
        #expect(report.table.contains("one match took 1.23 µs"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        let rows = try #require(json["rows"] as? [[String: Any]])
        #expect(abs(try #require(rows[0]["accuracy"] as? Double) - 89.0 / 90) < 1e-6)
        #expect(rows[0]["tests"] as? Int == 90)
        #expect(report.csv.contains("user_dependent,1,0,90,0.98888"))
        // A header, and one line per test.
        #expect(report.trials.split(separator: "\n").count == 181)
        #expect(report.svg.hasPrefix("<svg") && report.svg.hasSuffix("</svg>\n"))
        // Two lines, which the legend names, each with a dot for both numbers of templates.
        #expect(report.svg.components(separatedBy: "<path").count - 1 == 4)
        #expect(report.svg.contains(">recognized</text>"))
        #expect(report.svg.contains(">recognized, with 5 % false accepts allowed</text>"))
        #expect(Array(try report.png().prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    @Test(
        "Evaluation: the scale of a plot has two to six round marks, from below the lowest share to 100 %",
        arguments: [
            (1.0, 99, 1), (0.9876, 98, 1), (0.95, 95, 1), (0.94, 94, 2), (0.93, 92, 2), (0.7708, 75, 5),
            (0.5708, 50, 10),
            (0.31, 20, 20), (0, 0, 20),
        ])
    func scale(lowest: Double, floor: Int, step: Int) {
        let scale = LinePlot.Axis.scale(from: lowest)
        #expect(scale.floor == floor && scale.step == step, "\(scale)")
        #expect(Double(scale.floor) <= lowest * 100 && (100 - scale.floor) % scale.step == 0)
    }

    @Test("Evaluation: users are those who drew the samples, and the groups of a user's samples are pools")
    func people() throws {
        // Two people, three speeds each, four samples of two classes at each speed.
        let all = (0..<48).map { number -> EvaluationItem in
            let (user, speed, size) = (number / 24, number / 8 % 3, Double(number % 4 + 1))
            let places: [(Double, Double)] = [(0, 0), (size, 0), (size, size)]
            let points = places.prefix(number % 8 < 4 ? 2 : 3)
            let samples = points.map { Sample(x: $0.0, y: $0.1) }
            var item = EvaluationItem(
                label: number % 8 < 4 ? "line" : "corner", user: "user \(user)", stroke: Stroke(samples: samples))
            item.group = "speed \(speed)"
            return item
        }
        let own = try evaluate(all) { ($0.templates, $0.repetitions) = ([1], 5) }
        #expect(own.users == 2 && own.pools == 6)
        // Five trials in each pool, with one test of each of two classes.
        #expect(own.rows.map(\.tests) == [60])
        #expect(
            own.table.hasPrefix("protractor, user_dependent, 48 samples of 2 classes by 2 people in 6 pools, seed 1\n"))
        #expect(own.json.contains("\"users\": 2,\n  \"pools\": 6,"))
        // In user-independent tests, the templates come from other people, at any speed.
        let others = try evaluate(all) {
            ($0.templates, $0.repetitions, $0.design, $0.users) = ([1], 5, .userIndependent, [1, 2])
        }
        #expect(others.users == 2 && others.pools == 2)
        #expect(others.rows.map(\.users) == [1])
    }

    @Test("Evaluation: the random number generator gives the published numbers")
    func splitMix() {
        // The first outputs for seed 1234567 of the reference implementation by Vigna.
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test(
        "Evaluation: with the design blocks, three quarters of every class are templates, and the rest is tested once")
    func blocks() throws {
        let report = try evaluate(items(samples: 8)) { $0.design = .blocks }
        // 6 and 2 of 8 samples, of 3 classes by 3 users.
        #expect(report.rows.map(\.templates) == [6])
        #expect(report.rows.map(\.tests) == [18])
        #expect(report.rows[0].accuracy == 1)
    }

    @Test("Evaluation: with testsAll, every sample that is not a template is tested")
    func testsAll() throws {
        let report = try evaluate(items()) {
            ($0.testsAll, $0.templates, $0.repetitions) = (true, [1, 3], 2)
        }
        // 4 and 2 of 5 samples are tested, of 3 classes by 3 users, in two trials.
        #expect(report.rows.map(\.tests) == [72, 36])
    }

    @Test("Evaluation: a library is evaluated with all samples, even if the matcher considers none of its gestures")
    func noTrial() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "vee", samples: items().filter { $0.label == "vee" }.map(\.stroke))
        ])
        var match = Match.Options()
        match.categories.denylist = ["vee"]
        let report = try Evaluation(stages: [], match: match)(items(), library: library)
        #expect(report.samples == 45 && report.users == 3)
        #expect(report.rows.map(\.tests) == [0])
    }

    @Test(
        "Evaluation: a share of samples or classes below 0, or NaN, counts as 0, and one above 1 counts as 1",
        arguments: [
            .nan, -.infinity, -1, 1, 2, 1e300, .infinity,
        ] as [Double])
    func shares(share: Double) throws {
        // If all samples of a class are templates, or none is, there is nothing to evaluate: no tests, or an error.
        let blocks = try? evaluate(items()) { ($0.design, $0.templateShare) = (.blocks, share) }
        #expect(blocks?.rows.allSatisfy { $0.tests == 0 } ?? true)
        // At least one of three classes is unknown, and at least one is known.
        let open = try evaluate(items()) { ($0.design, $0.unknownShare, $0.templates) = (.openSet, share, [1]) }
        #expect(open.rows.map(\.tests) == [share > 0 ? 30 : 60])
    }

    @Test(
        "Evaluation: a threshold is found for any share of unknown gestures",
        arguments: [
            (-1, 1), (.nan, 1), (0, 1), (0.5, 3), (1, .infinity), (7, .infinity),
        ] as [(Double, Double)])
    func thresholds(share: Double, threshold: Double) {
        let sweep = ThresholdSweep(correct: [0.5, 2, 9], tests: 3, unknown: [1, 2, 3, 4])
        #expect(sweep.point(falseAccept: share)?.threshold == threshold)
    }
}
