import Pipeline

/// A data set, prepared by the pipeline's stages and sorted by user and class.
struct EvaluationData<Matcher: TemplateMatcher> {
    typealias Query = Matcher.Query

    /// The names of the classes, in alphabetical order.
    let classes: [String]
    /// The users, in alphabetical order.
    let users: [String]
    /// By user, then by class: the samples.
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

    init(_ items: [Evaluation.Item], _ run: PureRun) throws {
        classes = Set(items.map(\.label)).sorted()
        users = Set(items.map(\.user)).sorted()
        let classIndex = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
        let userIndex = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($1, $0) })
        var samples = [[[Prepared]]](
            repeating: [[Prepared]](repeating: [], count: classes.count), count: users.count)
        for (number, item) in items.enumerated() {
            guard let user = userIndex[item.user], let category = classIndex[item.label] else { continue }
            let query = try Self.prepared(item, number, run)
            samples[user][category].append(Prepared(query: query, template: try Matcher.template(of: query)))
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

    /// Whether a user has drawn something, and of every class drawn at least `count` samples.
    func canGive(_ count: Int, user: Int) -> Bool {
        let drawn = samples[user].filter { !$0.isEmpty }
        return !drawn.isEmpty && drawn.allSatisfy { $0.count >= count }
    }

    /// Takes the first samples of every class of a user as templates, and the rest as tests.
    ///
    /// - Parameter share: How much of a class comes first.
    func split(_ share: Double, user: Int) -> Draw {
        var draw = Draw(templates: [], categories: [], tests: [])
        for category in classes.indices {
            let all = samples[user][category]
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
    /// - Parameter testsAll: Whether all that is left of a user's samples is tested, not one of each class.
    func draw(
        _ design: EvaluationDesign, _ number: Int, testsAll: Bool = false, _ random: inout SplitMix64
    ) -> Draw {
        var draw = Draw(templates: [], categories: [], tests: [])
        if design.users == 0 {
            let user = design.able[number % design.able.count]
            for category in classes.indices where !samples[user][category].isEmpty {
                let all = samples[user][category]
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
