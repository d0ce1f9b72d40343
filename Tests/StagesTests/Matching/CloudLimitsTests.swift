import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("The limits of match cloud")
struct CloudLimitsTests {
    private let across = stroke([(0, 0), (100, 0)])
    private let backwards = stroke([(100, 0), (0, 0)])
    private let down = stroke([(0, 0), (0, 100)])

    private func limits(_ gestures: [[Stroke]], factor: Double? = 1, most: Double = .infinity) throws -> [Double] {
        var rules = MatchRules(rotationToleranceDeg: 0, maxDistance: most)
        rules.limitFactor = factor
        let templates = try gestures.map { try $0.map(CloudMatcher.template(of:)) }
        let matcher = try CloudMatcher(templates: templates, rules: rules)
        return gestures.indices.map { matcher.limit(of: $0, rules) }
    }

    @Test(
        "Limits of match cloud: a limit is the bounded geometric mean of a gesture's spread and its distance to the next gesture"
    )
    func byHand() throws {
        var ranking: [Ranked] = []
        let matcher = try CloudMatcher(
            templates: [[try CloudMatcher.template(of: across)]], rules: MatchRules(rotationToleranceDeg: 0))
        try matcher.rank(down, into: &ranking)
        let apart = try #require(ranking.first).distance
        // A line and its reverse are each other's nearest samples, at a distance of 0.25. The spread also includes a prior value
        // of 0.16.
        let spread = (0.16 + 0.25 + 0.25) / 3
        let found = try limits([[across, backwards], [down]])
        #expect(abs(found[0] - 0.93 * min(0.42, (spread * apart).squareRoot())) < 1e-6)
        #expect(abs(found[1] - 0.93 * min(0.42, (0.16 * apart).squareRoot())) < 1e-6)
        // There is no other gesture, so the limit is the bound, which is wider for gestures of several strokes.
        #expect(try limits([[across]]) == [0.93 * 0.42])
        var cross = Stroke(samples: across.samples + down.samples)
        cross.counts = [2, 2]
        #expect(try abs(limits([[cross]])[0] - 1.1 * 0.42) < 1e-12)
        // Two identical gestures cannot be distinguished, so their limits are 0.
        #expect(try limits([[across], [across]]) == [0, 0])
    }

    @Test("Limits of match cloud: the spread of a gesture that several people drew is measured between people")
    func people() throws {
        func drawn(_ stroke: Stroke, by subject: String?) -> Stroke {
            var stroke = stroke
            stroke.subject = subject
            return stroke
        }
        var ranking: [Ranked] = []
        let matcher = try CloudMatcher(
            templates: [[try CloudMatcher.template(of: across)]], rules: MatchRules(rotationToleranceDeg: 0))
        try matcher.rank(down, into: &ranking)
        let apart = try #require(ranking.first).distance
        func limit(_ spread: Double) -> Double { 0.93 * min(0.42, (spread * apart).squareRoot()) }
        // Two lines by one person are equal. The line of the other person is drawn backward, at a distance of 0.25 from both.
        func found(_ subjects: [String?]) throws -> Double {
            let lines = zip([across, across, backwards], subjects).map { drawn($0, by: $1) }
            return try limits([lines, [drawn(down, by: subjects[0])]])[0]
        }
        #expect(abs(try found(["ann", "ann", "bob"]) - limit((0.16 + 0.25 * 3) / 4)) < 1e-6)
        for one in [["ann", "ann", "ann"], [nil, nil, nil]] as [[String?]] {
            #expect(abs(try found(one) - limit((0.16 + 0 + 0 + 0.25) / 4)) < 1e-6)
        }
    }

    @Test("Limits of match cloud: a factor makes all limits wider or narrower, and max_distance takes their place")
    func factors() throws {
        let usual = try limits([[across, backwards], [down]])
        let wider = try limits([[across, backwards], [down]], factor: 1.5)
        #expect(zip(usual, wider).allSatisfy { abs($0 * 1.5 - $1) < 1e-12 })
        #expect(try limits([[across], [down]], factor: nil, most: 0.2) == [0.2, 0.2])
    }

    @Test("Limits of match cloud: in a library of more than 512 gestures, all have the same limit")
    func many() throws {
        let found = try limits((0..<513).map { _ in [across] })
        #expect(found.allSatisfy { $0 == 0.93 * 0.3 })
    }

    @Test(
        "Limits of match cloud: a stroke beyond the limit is None, unless max_distance or limit_factor allows it"
    )
    func stage() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "across", samples: [across]), .init(name: "down", samples: [down]),
        ])
        let bent = stroke([(0, 0), (60, 30), (110, 0)])
        func name(_ stroke: Stroke, _ change: (inout Match.Options) -> Void = { _ in }) throws -> String {
            var options = Match.Options()
            change(&options)
            return try apply(try Match.cloud(library, options), to: stroke).best.name
        }
        #expect(try name(stroke([(0, 0), (50, 2), (100, 1)])) == "across")
        #expect(try name(bent) == "None")
        #expect(try name(egg()) == "None")
        #expect(try name(bent) { $0.limitFactor = 3 } == "across")
        #expect(try name(bent) { $0.maxDistance = 2 } == "across")
    }

    @Test("Limits of match cloud: options that have no effect together give a warning")
    func unused() {
        for (options, count) in [
            ("limit_factor: 2", 0), ("limit_factor: 2, max_distance: 0.3", 1), ("method: dollar1, limit_factor: 2", 1),
            ("method: cloud, threshold_rad: 1", 1), ("method: cloud, max_distance: 1", 0),
        ] {
            let found = findings(
                "  - match: { library: /nowhere.json, \(options) }", source: "stdin: { kind: stroke }"
            ).filter { $0.code == "option.unused" }
            #expect(found.count == count, "\(options)")
        }
    }
}
