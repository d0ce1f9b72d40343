import Pipeline

/// Chooses among settings of a pipeline the one that recognizes best within bounds, and says how good such a choice is for people it
/// was not made on.
///
/// The share of known gestures that are named rightly decides; of equals the one that names fewer unknown gestures, then the first.
public struct Tuning: Sendable {
    /// What a choice must keep to.
    public struct Bounds: Sendable {
        /// The largest share of unknown gestures that are named; `nil` for any.
        public var falseAccept: Double?
        /// The most that a match may take on average, in nanoseconds; `nil` for any time.
        public var nanoseconds: Double?

        /// States bounds.
        public init(falseAccept: Double? = nil, nanoseconds: Double? = nil) {
            (self.falseAccept, self.nanoseconds) = (falseAccept, nanoseconds)
        }
    }

    /// One setting, evaluated.
    public struct Candidate: Sendable {
        /// The values, as `--set` takes them.
        public let settings: [String]
        /// What was found, by person.
        public let people: [EvaluationReport.Row.Part]
        /// How long a match took on average.
        public let nanoseconds: Double

        /// All people together.
        public var all: EvaluationReport.Row.Part { people.reduce(.init()) { $0 + $1 } }

        /// Wraps the rows of a report.
        public init(settings: [String], _ report: EvaluationReport) {
            let people = report.people.indices.map { person in
                report.rows.reduce(.init()) { $0 + $1.byPerson[person] }
            }
            self.init(settings: settings, people: people, nanoseconds: report.nanosecondsPerMatch)
        }

        init(settings: [String], people: [EvaluationReport.Row.Part], nanoseconds: Double) {
            (self.settings, self.people, self.nanoseconds) = (settings, people, nanoseconds)
        }
    }

    /// All settings, in the order of the grid.
    public let candidates: [Candidate]
    private let bounds: Bounds

    /// Wraps what was evaluated.
    public init(_ candidates: [Candidate], _ bounds: Bounds) { (self.candidates, self.bounds) = (candidates, bounds) }

    /// The best setting within the bounds for all people; `nil` when there is none. O(settings · people).
    public var best: Int? { best(for: { _ in true }) }

    /// The setting that names the fewest unknown gestures: what comes nearest to a bound that none keeps to.
    public var strictest: Int? {
        candidates.indices.min { (candidates[$0].all.falseAccept, $0) < (candidates[$1].all.falseAccept, $1) }
    }

    /// Whether a setting keeps to the bounds for all people.
    public func isWithin(_ index: Int) -> Bool { isWithin(candidates[index].all, candidates[index].nanoseconds) }

    /// What is reached for people whom a choice has not seen: each is judged by the setting that is best for all others. `nil` where
    /// there is one person, or where no setting meets the limits for the others.
    public var unseen: EvaluationReport.Row.Part? {
        let people = (candidates.first?.people.indices ?? 0..<0).filter { person in
            candidates.contains { $0.people[person].tests + $0.people[person].strangers > 0 }
        }
        guard people.count > 1 else { return nil }
        var sum = EvaluationReport.Row.Part()
        for person in people {
            guard let chosen = best(for: { $0 != person }) else { return nil }
            sum = sum + candidates[chosen].people[person]
        }
        return sum
    }

    private func best(for isCounted: (Int) -> Bool) -> Int? {
        var best: (index: Int, part: EvaluationReport.Row.Part)?
        for (index, candidate) in candidates.enumerated() {
            let part = candidate.people.enumerated().filter { isCounted($0.offset) }.reduce(.init()) { $0 + $1.element }
            guard isWithin(part, candidate.nanoseconds) else { continue }
            guard let other = best?.part else {
                best = (index, part)
                continue
            }
            if (part.rightShare, -part.falseAccept) > (other.rightShare, -other.falseAccept) { best = (index, part) }
        }
        return best?.index
    }

    private func isWithin(_ part: EvaluationReport.Row.Part, _ nanoseconds: Double) -> Bool {
        part.falseAccept <= bounds.falseAccept ?? 1 && nanoseconds <= bounds.nanoseconds ?? .infinity
    }
}

extension EvaluationReport.Row.Part {
    /// Two parts together.
    static func + (a: Self, b: Self) -> Self {
        var sum = a
        sum.tests += b.tests
        sum.recognized += b.recognized
        sum.right += b.right
        sum.none += b.none
        sum.strangers += b.strangers
        sum.accepted += b.accepted
        return sum
    }
}
