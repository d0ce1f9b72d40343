import Pipeline

/// A data set, prepared by the pipeline's stages and sorted by pool and class.
struct EvaluationData<Matcher: TemplateMatcher> {
    typealias Query = Matcher.Query

    /// What samples are drawn from together: those of a user, or of one of a user's groups.
    private struct Pool: Hashable, Comparable {
        let user: String
        let group: String

        static func < (a: Pool, b: Pool) -> Bool { (a.user, a.group) < (b.user, b.group) }
    }

    /// The names of the classes, in alphabetical order.
    let classes: [String]
    /// How many pools there are; they stand in the order of their users' names.
    let pools: Int
    /// By pool, then by class: the samples.
    private let samples: [[[Prepared]]]

    /// A sample as a test and as a template: draws take it again and again.
    private struct Prepared {
        let query: Query
        let template: Matcher.Template
    }

    /// Templates and tests of one draw.
    struct Draw {
        /// By category.
        var templates: [[Matcher.Template]]
        /// The class of each category.
        var categories: [Int]
        /// What to test, with its class.
        var tests: [(query: Query, category: Int)]
    }

    /// Prepares items.
    ///
    /// - Parameter byGroup: Whether the groups of a user are drawn from apart.
    init(_ items: [Evaluation.Item], _ run: PureRun, byGroup: Bool) throws {
        func pool(_ item: Evaluation.Item) -> Pool { Pool(user: item.user, group: byGroup ? item.group : "") }
        classes = Set(items.map(\.label)).sorted()
        let pools = Set(items.map(pool)).sorted()
        self.pools = pools.count
        let classIndex = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
        let poolIndex = Dictionary(uniqueKeysWithValues: pools.enumerated().map { ($1, $0) })
        var samples = [[[Prepared]]](
            repeating: [[Prepared]](repeating: [], count: classes.count), count: pools.count)
        for (number, item) in items.enumerated() {
            guard let pool = poolIndex[pool(item)], let category = classIndex[item.label] else { continue }
            let query = try Self.prepared(item, number, run)
            samples[pool][category].append(Prepared(query: query, template: try Matcher.template(of: query)))
        }
        self.samples = samples
    }

    /// One item as the matcher compares it.
    ///
    /// - Throws: What a stage refuses it with, with the item's place.
    static func prepared(_ item: Evaluation.Item, _ number: Int, _ run: PureRun) throws -> Query {
        do {
            switch item.sample {
            case .stroke(let stroke): return try run.prepare(stroke, as: Query.self)
            case .landmarks(let hand): return try run.prepare(hand, as: Query.self)
            }
        } catch var error as PipelineError {
            error.location = "sample \(number + 1) (\(item.label) of \(item.user))"
            throw error
        }
    }

    /// Whether a pool has something, and of every class in it at least `count` samples.
    func canGive(_ count: Int, pool: Int) -> Bool {
        let drawn = samples[pool].filter { !$0.isEmpty }
        return !drawn.isEmpty && drawn.allSatisfy { $0.count >= count }
    }

    /// Takes the first samples of every class of a pool as templates, and the rest as tests.
    ///
    /// - Parameter share: How much of a class comes first.
    func split(_ share: Double, pool: Int) -> Draw {
        var draw = Draw(templates: [], categories: [], tests: [])
        for category in classes.indices {
            let all = samples[pool][category]
            let count = min(max(Int((share * Double(all.count)).rounded(.down)), 0), all.count)
            guard count > 0 else { continue }
            draw.templates.append(all[..<count].map(\.template))
            draw.categories.append(category)
            draw.tests += all[count...].map { ($0.query, category) }
        }
        return draw
    }

    /// Draws templates and tests.
    ///
    /// - Parameter testsAll: Whether all that is left of a pool's samples is tested, not one of each class.
    func draw(
        _ design: EvaluationDesign, _ number: Int, testsAll: Bool = false, _ random: inout SplitMix64
    ) -> Draw {
        var draw = Draw(templates: [], categories: [], tests: [])
        if design.users == 0 {
            let pool = design.able[number % design.able.count]
            for category in classes.indices where !samples[pool][category].isEmpty {
                let all = samples[pool][category]
                var drawn = random.draw(testsAll ? all.count : design.templates + 1, of: all)
                let tests = drawn.suffix(from: min(design.templates, drawn.count))
                draw.tests += tests.map { ($0.query, category) }
                drawn.removeLast(tests.count)
                draw.templates.append(drawn.map(\.template))
                draw.categories.append(category)
            }
            return draw
        }
        var users = random.draw(design.users + 1, of: design.able)
        guard let tester = users.popLast() else { return draw }
        for category in classes.indices {
            let templates = users.flatMap { random.draw(design.templates, of: samples[$0][category]) }
            guard !templates.isEmpty else { continue }
            draw.templates.append(templates.map(\.template))
            draw.categories.append(category)
            if let test = random.draw(1, of: samples[tester][category]).first {
                draw.tests.append((test.query, category))
            }
        }
        return draw
    }
}

/// What came out of the tests of one row.
struct EvaluationTally {
    private let classes: Int
    private var confusion: [Int]
    private var tests = 0
    /// The distances of tests that were recognised, to the class that they are.
    private var correct: [Double] = []
    /// The distance of every test to the nearest class that it is not: what it would be taken for if its own class were
    /// not in the library.
    private var strange: [Double] = []

    init(classes: Int) {
        self.classes = classes
        confusion = [Int](repeating: 0, count: classes * classes)
    }

    /// Counts one test; `ranking` holds at least the two nearest categories. What is of none of the classes (`nil`) counts
    /// as a strange gesture only.
    mutating func count(_ ranking: [Ranked], actual: Int?, among categories: [Int]) {
        guard let best = ranking.first else { return }
        guard let actual else {
            strange.append(best.distance)
            return
        }
        tests += 1
        let found = categories[best.category]
        confusion[actual * classes + found] += 1
        if found == actual { correct.append(best.distance) }
        if let other = ranking.first(where: { categories[$0.category] != actual }) { strange.append(other.distance) }
    }

    func row(_ design: EvaluationDesign) -> EvaluationReport.Row {
        EvaluationReport.Row(
            templates: design.templates, users: design.users, tests: tests,
            accuracy: tests == 0 ? 0 : Double(correct.count) / Double(tests), acceptedAt5: accepted(falseAccepts: 0.05),
            acceptedAt1: accepted(falseAccepts: 0.01),
            confusion: (0..<classes).map { Array(confusion[($0 * classes)..<(($0 + 1) * classes)]) })
    }

    /// The share of tests recognised and accepted with the threshold at which this share of strange gestures is accepted.
    private func accepted(falseAccepts: Double) -> Double {
        guard tests > 0, !strange.isEmpty else { return 0 }
        let allowed = Int(falseAccepts * Double(strange.count))
        // Accepting what is nearer than this lets exactly `allowed` strange gestures in, or fewer where several tie.
        let threshold = strange.sorted()[min(allowed, strange.count - 1)]
        return Double(correct.count { $0 < threshold }) / Double(tests)
    }
}

/// How long matches take.
struct EvaluationTime {
    private let clock = SystemClock()
    private var total: Int64 = 0
    private var count: Int64 = 0

    mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let began = clock.now
        defer {
            total += clock.now - began
            count += 1
        }
        return try body()
    }

    /// The mean.
    var nanoseconds: Double { count == 0 ? 0 : Double(total) / Double(count) }
}
