import Pipeline
import PipelineComponents

/// A comparison of several pipelines with the same templates and tests: the figures of each, and whether the others differ from the
/// first by more than chance.
///
/// Differences are paired: all pipelines test every sample with the same templates. People, or samples if there is only one person,
/// are resampled with replacement (`Bootstrap`). The p-value is twice the share of resamples in which the difference changes sign.
public struct EvaluationComparison: Sendable {
    /// The difference between a pipeline and the first one.
    public struct Difference: Sendable, Hashable {
        /// The difference in accuracy, as a share; positive if this pipeline recognizes more.
        public var accuracy: Double
        /// The p-value of the difference in accuracy; `nil` if there is no difference for any person (as for the first pipeline,
        /// which is compared with itself), or if there are fewer than two people or samples to resample.
        public var accuracyChance: Double?
        /// The difference in the share of right answers, where None is the right answer for unknown gestures.
        public var right: Double
        /// The p-value of the difference in right answers; `nil` as for ``accuracyChance``.
        public var rightChance: Double?
    }

    /// The compared reports.
    public let reports: [EvaluationReport]
    /// The differences by row, then by report. A row that one of the reports does not have is left out.
    public let differences: [(row: Int, differences: [Difference])]

    /// Compares reports of the same data, options and seed. O(trials).
    public init(_ reports: [EvaluationReport]) {
        self.reports = reports
        let rows = reports.map(\.rows.count).min() ?? 0
        differences = (0..<rows).map { row in
            (row, reports.map { Self.difference(of: $0.rows[row], from: reports[0].rows[row], seed: $0.seed) })
        }
    }

    private static func difference(
        of row: EvaluationReport.Row, from first: EvaluationReport.Row, seed: UInt64
    ) -> Difference {
        func differ(_ value: (EvaluationTrial) -> Double?) -> (Double, Double?) {
            // A pipeline has fewer trials if some draws have no templates of the categories that it reports. Then the trials
            // cannot be paired.
            guard row.trials.count == first.trials.count else { return (0, nil) }
            var values: [Double?] = []
            for (a, b) in zip(row.trials, first.trials) {
                if let a = value(a), let b = value(b) { values.append(a - b) } else { values.append(nil) }
            }
            var index = -1
            let clusters = EvaluationReport.Row.clusters(row.trials, row.people) { _ in
                index += 1
                return values[index]
            }
            let sum = clusters.reduce(into: Bootstrap.Cluster()) {
                $0.hits += $1.hits; $0.tests += $1.tests
            }
            let mean = sum.tests > 0 ? sum.hits / sum.tests : 0
            let isSame = clusters.allSatisfy { $0.hits == 0 }
            return (mean, isSame ? nil : Bootstrap.significance(of: clusters, seed: seed))
        }
        let (accuracy, accuracyChance) = differ { $0.actual == nil ? nil : $0.isNearest ? 1 : 0 }
        let (right, rightChance) = differ { $0.isRight ? 1 : 0 }
        return Difference(
            accuracy: accuracy, accuracyChance: accuracyChance, right: right, rightChance: rightChance)
    }

    /// The cells of a table: a header, then one line per row and report.
    public var cells: [[String]] {
        let head = ["pipeline", "templates", "accuracy", "95 % range", "right", "FA", "at 5 % FA", "µs"]
        var cells = [head + ["Δ accuracy", "p", "Δ right", "p"]]
        for (row, differences) in differences {
            for (report, difference) in zip(reports, differences) {
                let figures = report.rows[row]
                cells.append([
                    report.pipeline, "\(figures.templates)", EvaluationReport.percent(figures.accuracy),
                    EvaluationReport.percent(figures.interval), EvaluationReport.percent(figures.all.rightShare),
                    figures.all.strangers > 0 ? EvaluationReport.percent(figures.all.falseAccept) : "",
                    EvaluationReport.percent(figures.acceptedAt5),
                    twoDecimals(report.nanosecondsPerMatch / 1000), Self.points(difference.accuracy),
                    Self.chance(difference.accuracyChance), Self.points(difference.right),
                    Self.chance(difference.rightChance),
                ])
            }
        }
        return cells
    }

    /// Returns a difference in percentage points, with its sign.
    private static func points(_ difference: Double) -> String {
        let hundredths = Int((difference * 10_000).rounded())
        return (hundredths > 0 ? "+" : "") + twoDecimals(Double(hundredths) / 100)
    }

    private static func chance(_ chance: Double?) -> String {
        guard let chance else { return "" }
        return chance < 0.001 ? "<0.001" : shortDecimal((chance * 1000).rounded() / 1000)
    }
}
