import Pipeline
import PipelineComponents
import PipelineConfiguration

/// The differences between the results of two pipelines. Results of the same moment are compared with each other.
struct ResultComparison: Sendable {
    /// One difference.
    struct Difference: Sendable {
        /// The kind of a difference.
        enum Change: String, Sendable { case new, gone, different }

        let change: Change
        let moment: FoundResult.Moment
        /// The result of the first and of the second pipeline.
        let before, after: FoundResult?
        /// The first field that differs, in words; empty for a new or gone result.
        var detail = ""
    }

    /// The number of results of each pipeline.
    let before, after: Int
    /// The number of results that both pipelines have.
    private(set) var same = 0
    /// The differences, by recording and then in order of time.
    private(set) var differences: [Difference] = []

    /// Compares results. If several results have the same moment (kind, stream, time and recording), they are matched in order of
    /// arrival.
    ///
    /// - Parameter tolerance: The largest difference between numbers that are considered equal.
    init(_ before: [FoundResult], _ after: [FoundResult], tolerance: Double) {
        (self.before, self.after) = (before.count, after.count)
        let fields = FieldComparison(tolerance: tolerance)
        let later = Dictionary(grouping: after, by: \.moment)
        var taken: [FoundResult.Moment: Int] = [:]
        for result in before {
            let place = taken[result.moment, default: 0]
            taken[result.moment] = place + 1
            guard let others = later[result.moment], place < others.count else {
                differences.append(.init(change: .gone, moment: result.moment, before: result, after: nil))
                continue
            }
            if let detail = Self.difference(result.text, others[place].text, fields) {
                differences.append(
                    .init(
                        change: .different, moment: result.moment, before: result, after: others[place], detail: detail)
                )
            } else {
                same += 1
            }
        }
        for result in after {
            let place = taken[result.moment, default: 0]
            if place > 0 {
                taken[result.moment] = place - 1
            } else {
                differences.append(.init(change: .new, moment: result.moment, before: nil, after: result))
            }
        }
        let order = Dictionary(
            (before + after).map(\.moment.recording).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        differences = differences.enumerated().sorted { a, b in
            let (one, other) = (a.element.moment, b.element.moment)
            return (order[one.recording] ?? 0, one.time, one.stream, a.offset)
                < (order[other.recording] ?? 0, other.time, other.stream, b.offset)
        }.map(\.element)
    }

    /// Returns the number of differences of a kind.
    func count(_ change: Difference.Change) -> Int { differences.count { $0.change == change } }

    /// Returns the first difference between two messages; `nil` if there is none.
    private static func difference(_ before: String, _ after: String, _ fields: FieldComparison) -> String? {
        if before == after { return nil }
        guard let one = ConfigNode.parse(yaml: before), let other = ConfigNode.parse(yaml: after) else {
            return "the messages differ"
        }
        // `difference` ignores fields that only its second argument has, so compare in both directions.
        if let difference = fields.difference(one, other) { return difference }
        return fields.difference(other, one).map { "before, \($0)" }
    }
}
