import Pipeline

/// Chooses the setting of a pipeline that recognizes best within bounds, and estimates how good the choice is for people it was not
/// tuned on.
///
/// The best setting names the largest share of known gestures correctly. Of settings with an equal share, the one that names fewer
/// unknown gestures wins; if these are equal too, the first.
public struct Tuning: Sendable {
    /// The constraints on a setting.
    public struct Bounds: Sendable {
        /// The largest allowed share of unknown gestures that are named; `nil` for no bound.
        public var falseAccept: Double?
        /// The longest allowed average time of a match, in nanoseconds; `nil` for no bound.
        public var nanoseconds: Double?

        /// Creates bounds.
        public init(falseAccept: Double? = nil, nanoseconds: Double? = nil) {
            (self.falseAccept, self.nanoseconds) = (falseAccept, nanoseconds)
        }
    }

    /// One evaluated setting.
    public struct Candidate: Sendable {
        /// The values, in the form that `--set` takes.
        public let settings: [String]
        /// The results, by person.
        public let people: [EvaluationReport.Row.Part]
        /// The average time of a match, in nanoseconds.
        public let nanoseconds: Double

        /// The result of all people together.
        public var all: EvaluationReport.Row.Part { people.reduce(.init()) { $0 + $1 } }

        /// Creates a candidate from the rows of a report.
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

    /// All candidates, in the order of the grid.
    public let candidates: [Candidate]
    private let bounds: Bounds

    /// Creates a tuning of evaluated settings.
    public init(_ candidates: [Candidate], _ bounds: Bounds) { (self.candidates, self.bounds) = (candidates, bounds) }

    /// The index of the best setting within the bounds, for all people together; `nil` if there is none. O(settings · people).
    public var best: Int? { best(for: { _ in true }) }

    /// The index of the setting that names the fewest unknown gestures. It is the one to suggest if no setting is within the
    /// bounds.
    public var strictest: Int? {
        func share(_ index: Int) -> Double { candidates[index].all.falseAccept ?? 0 }
        return candidates.indices.min { (share($0), $0) < (share($1), $1) }
    }

    /// Returns whether a setting is within the bounds, for all people together.
    public func isWithin(_ index: Int) -> Bool { isWithin(candidates[index].all, candidates[index].nanoseconds) }

    /// The result for unseen people, by leave-one-person-out: each person is judged by the setting that is best for all others.
    /// `nil` if there is only one person, or if there is an ``indispensable`` one.
    public var unseen: EvaluationReport.Row.Part? {
        guard tested.count > 1 else { return nil }
        var sum = EvaluationReport.Row.Part()
        for person in tested {
            guard let chosen = best(for: { $0 != person }) else { return nil }
            sum = sum + candidates[chosen].people[person]
        }
        return sum
    }

    /// The index of the first person without whom no setting is within the bounds; `nil` if there is none, or only one person.
    public var indispensable: Int? {
        tested.count > 1 ? tested.first { person in best(for: { $0 != person }) == nil } : nil
    }

    /// The indices of the people who were tested.
    private var tested: [Int] {
        (candidates.first?.people.indices ?? 0..<0).filter { person in
            candidates.contains { $0.people[person].tests + $0.people[person].unknownTests > 0 }
        }
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
            let (accepted, least) = (part.falseAccept ?? 0, other.falseAccept ?? 0)
            if (part.rightShare, -accepted) > (other.rightShare, -least) { best = (index, part) }
        }
        return best?.index
    }

    private func isWithin(_ part: EvaluationReport.Row.Part, _ nanoseconds: Double) -> Bool {
        part.falseAccept ?? 0 <= bounds.falseAccept ?? 1 && nanoseconds <= bounds.nanoseconds ?? .infinity
    }
}

extension EvaluationReport.Row.Part {
    /// Returns the sum of two parts.
    static func + (a: Self, b: Self) -> Self {
        var sum = a
        sum.tests += b.tests
        sum.recognized += b.recognized
        sum.right += b.right
        sum.none += b.none
        sum.unknownTests += b.unknownTests
        sum.accepted += b.accepted
        return sum
    }
}
