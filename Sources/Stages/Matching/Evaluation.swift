import Pipeline

/// Measures how well a matcher recognises, the way the field reports it.
///
/// - **User-dependent** (as in Wobbrock, Wilson, Li, UIST 2007): for each user (or each group of a user's), T samples of every class drawn at random are the
///   templates, and one other sample of each class is tested; again and again.
/// - **User-independent** (as in Vatavu, Anthony, Wobbrock, ICMI 2012): P users drawn at random give T templates of every class each, and
///   one sample of each class of one other user is tested.
///
/// What is evaluated is the pipeline's own: its pure stages prepare templates and tests alike, and its matcher compares them.
public struct Evaluation: Sendable {
    /// One labelled sample of a data set.
    public struct Item: Sendable {
        /// What it is meant to be.
        public var label: String
        /// Who drew it.
        public var user: String
        /// What keeps it apart from other samples of the same user, when templates and tests are drawn of a user's own: a speed, a
        /// device. Nothing unless set.
        public var group = ""
        /// The stroke or the hand, raw.
        public var sample: Subject

        /// Makes an item of a stroke.
        public init(label: String, user: String, stroke: Stroke) {
            (self.label, self.user, sample) = (label, user, .stroke(stroke))
        }

        /// Makes an item of a hand.
        public init(label: String, user: String, hand: Landmarks) {
            (self.label, self.user, sample) = (label, user, .landmarks(hand))
        }

        /// The item that a stroke is by its own label and subject; `nil` when it has no label.
        public init?(_ stroke: Stroke) {
            guard let label = stroke.label, !label.isEmpty else { return nil }
            self.init(label: label, user: stroke.subject ?? "", stroke: stroke)
        }

        /// The item that a hand is by its own label; `nil` when it has none.
        public init?(_ hand: Landmarks) {
            guard let label = hand.label, !label.isEmpty else { return nil }
            self.init(label: label, user: "", hand: hand)
        }
    }

    /// Whose strokes the templates are.
    public enum Design: String, Sendable, CaseIterable {
        /// The same user's.
        case userDependent = "user_dependent"
        /// Other users'.
        case userIndependent = "user_independent"
        /// The first part of every class of the same user; the rest is tested. Nothing is drawn: in a recording of one person,
        /// neighbouring samples are nearly the same, and a random draw would find the test's neighbours among the templates.
        case blocks
        /// All samples of a library, as it stands.
        case library

        /// Those that take templates and tests of one data set.
        public static let allCases: [Design] = [.userDependent, .userIndependent, .blocks]
    }

    /// What to measure.
    public struct Options: Sendable {
        /// Whose strokes the templates are.
        public var design = Design.userDependent
        /// The numbers of templates of each class (and of each user, if they are others').
        public var templates = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        /// The numbers of users who give templates, for the user-independent design.
        public var users = [1]
        /// How many times to draw, for each user or for each number of users.
        public var repetitions = 100
        /// Whether all that is left of a user's samples is tested after a draw, not one of each class.
        public var testsAll = false
        /// How much of every class comes first, for blocks.
        public var templateShare = 0.75
        /// Where the random numbers start: the same seed gives the same draws.
        public var seed: UInt64 = 1

        /// All defaults.
        public init() {}
    }

    private let options: Options
    private let comparison: Comparison
    private let run: PureRun

    /// What is evaluated.
    private enum Comparison {
        case match(Match.Options)
        case bitmap(MatchBitmap.Options)
    }

    /// Prepares to evaluate.
    ///
    /// - Parameters:
    ///   - stages: The pure stages between a stroke and the matcher.
    ///   - match: The matcher's method and tolerance; its thresholds and lists are not looked at, for what is measured is
    ///     which class comes nearest and how near.
    public init(stages: [any Stage], match: Match.Options, options: Options = Options()) {
        self.init(stages, .match(match), options)
    }

    /// Prepares to evaluate the comparison of bitmaps. Parameters as of ``init(stages:match:options:)``.
    public init(
        stages: [any Stage] = [Rasterize()], matchBitmap: MatchBitmap.Options, options: Options = Options()
    ) {
        self.init(stages, .bitmap(matchBitmap), options)
    }

    private init(_ stages: [any Stage], _ comparison: Comparison, _ options: Options) {
        self.options = options
        self.comparison = comparison
        run = PureRun(stages: stages, input: PortType(Stroke.self), above: nil)
    }

    /// Evaluates on a data set: draws templates and tests of it, or tests all of it against a library.
    ///
    /// - Parameters:
    ///   - library: Evaluated as it stands: all of its samples are templates, and every stroke is tested once. Strokes of
    ///     classes that it does not have say how many strangers are accepted.
    ///   - progress: Told how many draws or tests are done, of how many.
    /// - Throws: A frame error for a stroke or sample that a stage refuses; a configuration error when the data do not suffice
    ///   for any number of templates, or have no class of the library.
    public func callAsFunction(
        _ items: [Item], library: GestureLibrary? = nil, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> EvaluationReport {
        switch comparison {
        case .bitmap(let options): return try evaluate(items, library, BitmapMatcher.self, options.rules, progress)
        case .match(let options):
            let method =
                options.method ?? Match.usualMethod(for: run.stages.last.map(Self.output(of:)) ?? PortType(Stroke.self))
            let rules = options.rules(for: method)
            switch method {
            case .cloud: return try evaluate(items, library, CloudMatcher.self, rules, progress)
            case .protractor: return try evaluate(items, library, ProtractorMatcher.self, rules, progress)
            case .dollar1: return try evaluate(items, library, DollarOneMatcher.self, rules, progress)
            case .cosine: return try evaluate(items, library, VectorMatcher<CosineMetric>.self, rules, progress)
            case .euclidean: return try evaluate(items, library, VectorMatcher<EuclideanMetric>.self, rules, progress)
            }
        }
    }

    private static func output(of stage: any Stage) -> PortType {
        func output<S: Stage>(_: S) -> PortType { PortType(S.Output.self) }
        return output(stage)
    }

    private func evaluate<Matcher: TemplateMatcher>(
        _ items: [Item], _ library: GestureLibrary?, _: Matcher.Type, _ rules: MatchRules,
        _ progress: (Int, Int) -> Void
    ) throws -> EvaluationReport {
        // What is measured is which class comes nearest, and how near.
        var rules = rules
        (rules.maxResults, rules.thresholdRad, rules.scoreThreshold) = (1, 4, 0)
        (rules.maxDistance, rules.limitFactor, rules.minMargin) = (.infinity, nil, 0)
        guard let library else { return try evaluate(items, Matcher.self, rules, progress) }
        return try evaluate(items, library, with: Matcher.self, rules, progress)
    }

    private func evaluate<Matcher: TemplateMatcher>(
        _ items: [Item], _ library: GestureLibrary, with _: Matcher.Type, _ rules: MatchRules,
        _ progress: (Int, Int) -> Void
    ) throws -> EvaluationReport {
        let gestures = library.gestures.filter { !$0.samples.isEmpty || !$0.hands.isEmpty }
        let classes = gestures.map(\.name)
        let known = items.count { classes.contains($0.label) }
        guard known > 0 else {
            throw PipelineError(
                .configuration, "eval.unknown_classes", "no stroke is of a class of the library",
                help: "the library has \(shortList(classes))")
        }
        let templates = try gestures.map { gesture in
            try (gesture.samples as [any Payload] + gesture.hands as [any Payload]).map {
                try Matcher.template(of: run.prepare($0, as: Matcher.Query.self))
            }
        }
        let matcher = try Matcher(templates: templates, rules: rules)
        var tally = EvaluationTally(classes: classes.count)
        var time = EvaluationTime()
        for (number, item) in items.enumerated() {
            let query = try EvaluationData<Matcher>.prepared(item, number, run)
            var ranking: [Ranked] = []
            try time.measure { try matcher.rank(query, into: &ranking) }
            tally.count(ranking, actual: classes.firstIndex(of: item.label), among: Array(classes.indices))
            progress(number + 1, items.count)
        }
        let design = EvaluationDesign(
            templates: gestures.map { $0.samples.count + $0.hands.count }.max() ?? 0, users: 0, able: [], draws: 1)
        var report = EvaluationReport(
            method: Matcher.name(rules), design: .library, classes: classes, users: Set(items.map(\.user)).count,
            pools: 1, samples: items.count, seed: options.seed, rows: [tally.row(design)],
            nanosecondsPerMatch: time.nanoseconds)
        report.strangers = items.count - known
        return report
    }

    private func evaluate<Matcher: TemplateMatcher>(
        _ items: [Item], _: Matcher.Type, _ rules: MatchRules, _ progress: (Int, Int) -> Void
    ) throws -> EvaluationReport {
        let data = try EvaluationData<Matcher>(items, run, byGroup: options.design != .userIndependent)
        let designs = plan(data)
        guard !designs.isEmpty else {
            throw PipelineError(
                .configuration, "eval.too_few",
                "no user has enough samples of each class for \(options.templates.min() ?? 1) templates and a test",
                help: "ask for fewer templates, or evaluate more data")
        }
        let total = designs.reduce(0) { $0 + $1.draws }
        var done = 0
        var rows: [EvaluationReport.Row] = []
        var time = EvaluationTime()
        // Every row has random numbers of its own, so that asking for fewer rows changes none of those that are left.
        for design in designs {
            var random = SplitMix64(seed: options.seed &+ UInt64(design.users * 1000 + design.templates))
            var tally = EvaluationTally(classes: data.classes.count)
            for draw in 0..<design.draws {
                let drawn =
                    options.design == .blocks
                    ? data.split(options.templateShare, pool: design.able[draw])
                    : data.draw(design, draw, testsAll: options.testsAll, &random)
                let matcher = try Matcher(templates: drawn.templates, rules: rules)
                for test in drawn.tests {
                    var ranking: [Ranked] = []
                    try time.measure { try matcher.rank(test.query, into: &ranking) }
                    tally.count(ranking, actual: test.category, among: drawn.categories)
                }
                done += 1
                progress(done, total)
            }
            rows.append(tally.row(design))
        }
        return EvaluationReport(
            method: Matcher.name(rules), design: options.design, classes: data.classes,
            users: Set(items.map(\.user)).count,
            pools: data.pools, samples: items.count, seed: options.seed, rows: rows,
            nanosecondsPerMatch: time.nanoseconds)
    }

    /// The rows that the data suffice for.
    private func plan<Matcher>(_ data: EvaluationData<Matcher>) -> [EvaluationDesign] {
        var designs: [EvaluationDesign] = []
        let repetitions = max(options.repetitions, 1)
        switch options.design {
        case .library: break
        case .blocks:
            let able = (0..<data.pools).filter { data.canGive(2, pool: $0) }
            let most = able.map { data.split(options.templateShare, pool: $0).templates.map(\.count).max() ?? 0 }.max()
            guard let most, most > 0 else { break }
            designs.append(EvaluationDesign(templates: most, users: 0, able: able, draws: able.count))
        case .userDependent:
            for templates in options.templates where templates > 0 {
                let able = (0..<data.pools).filter { data.canGive(templates + 1, pool: $0) }
                guard !able.isEmpty else { continue }
                designs.append(
                    EvaluationDesign(
                        templates: templates, users: 0, able: able, draws: able.count * repetitions))
            }
        case .userIndependent:
            for users in options.users where users > 0 {
                for templates in options.templates where templates > 0 {
                    let able = (0..<data.pools).filter { data.canGive(templates, pool: $0) }
                    guard able.count > users else { continue }
                    designs.append(
                        EvaluationDesign(templates: templates, users: users, able: able, draws: repetitions))
                }
            }
        }
        return designs
    }
}

/// One row of an evaluation: how many templates, of whom, how often.
struct EvaluationDesign {
    /// Templates of each class (of each user).
    var templates: Int
    /// How many other users give templates; 0 for the same user.
    var users: Int
    /// The pools with enough samples.
    var able: [Int]
    /// How often to draw.
    var draws: Int
}

extension SplitMix64 {
    /// A number below `bound`, which is positive. The bias is below bound/2⁶⁴.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// `count` different elements in random order: the beginning of a Fisher–Yates shuffle.
    mutating func draw<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        var elements = elements
        let count = min(count, elements.count)
        for i in 0..<count { elements.swapAt(i, i + below(elements.count - i)) }
        return Array(elements.prefix(count))
    }
}
