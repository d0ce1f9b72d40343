import Pipeline
import PipelineComponents
import PipelineConfiguration

/// What is different between the results of two pipelines, moment by moment.
struct ResultComparison: Sendable {
    /// One difference.
    struct Difference: Sendable {
        /// What became of a result.
        enum Change: String, Sendable { case new, gone, different }

        let change: Change
        let moment: FoundResult.Moment
        /// The result of the first pipeline, and of the second.
        let before, after: FoundResult?
        /// The first field in which they differ.
        var detail = ""
    }

    /// How many results each has.
    let before, after: Int
    /// How many are the same.
    private(set) var same = 0
    /// In the order of time, recording by recording.
    private(set) var differences: [Difference] = []

    /// Compares results: those of one kind, stream and time of a recording, in the order in which they came.
    ///
    /// - Parameter tolerance: How far numbers may be apart that are the same.
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

    /// How many differences there are of a sort.
    func count(_ change: Difference.Change) -> Int { differences.count { $0.change == change } }

    /// The first difference between two messages; `nil` when there is none.
    private static func difference(_ before: String, _ after: String, _ fields: FieldComparison) -> String? {
        if before == after { return nil }
        guard let one = ConfigNode.parse(yaml: before), let other = ConfigNode.parse(yaml: after) else {
            return "the messages differ"
        }
        // What is expected may be less than what is there, so both ways are tried.
        if let difference = fields.difference(one, other) { return difference }
        return fields.difference(other, one).map { "before, \($0)" }
    }
}
