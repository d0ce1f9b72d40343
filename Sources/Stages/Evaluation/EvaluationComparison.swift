import Pipeline
import PipelineComponents

/// A comparison of several pipelines with the same templates and tests: the figures of each, and whether the others differ from the
/// first by more than chance.
///
/// Differences are paired: only known gestures that both pipelines test in the same draw count. People, or samples if there is
/// only one person, are resampled with replacement (`Bootstrap`). The p-value is twice the share of resamples in which the
/// difference changes its sign.
public struct EvaluationComparison: Sendable {
    /// The difference between a pipeline and the first one.
    public struct Difference: Sendable, Hashable {
        /// The difference in accuracy, as a share; positive if this pipeline recognizes more.
        public var accuracy: Double
        /// The p-value of the difference in accuracy; `nil` if there is no difference for any person (as for the first pipeline,
        /// which is compared with itself), or if there are fewer than two people or samples to resample.
        public var accuracyPValue: Double?
        /// The difference in the share of known gestures that are named correctly.
        public var right: Double
        /// The p-value of ``right``; `nil` as for ``accuracyPValue``.
        public var rightPValue: Double?
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
        // A pipeline has no trials in a draw without templates of the categories that it reports. So trials are paired by draw
        // and sample; those that only one pipeline has are left out.
        struct Key: Hashable {
            let (draw, item): (Int, Int)
        }
        let pairs = Dictionary(first.trials.map { (Key(draw: $0.draw, item: $0.item), $0) }) { trial, _ in trial }
        func differ(_ isHit: (EvaluationTrial) -> Bool) -> (Double, Double?) {
            let clusters = EvaluationReport.Row.clusters(row.trials, row.people) { trial in
                guard let pair = pairs[Key(draw: trial.draw, item: trial.item)], trial.actual != nil,
                    pair.actual != nil
                else { return nil }
                return (isHit(trial) ? 1 : 0) - (isHit(pair) ? 1 : 0)
            }
            let sum = clusters.reduce(into: Bootstrap.Cluster()) {
                $0.hits += $1.hits; $0.tests += $1.tests
            }
            let mean = sum.tests > 0 ? sum.hits / sum.tests : 0
            let isSame = clusters.allSatisfy { $0.hits == 0 }
            return (mean, isSame ? nil : Bootstrap.significance(of: clusters, seed: seed))
        }
        let (accuracy, accuracyPValue) = differ(\.isNearest)
        let (right, rightPValue) = differ(\.isRight)
        return Difference(
            accuracy: accuracy, accuracyPValue: accuracyPValue, right: right, rightPValue: rightPValue)
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
                    EvaluationReport.percent(figures.all.falseAccept), EvaluationReport.percent(figures.acceptedAt5),
                    twoDecimals(report.nanosecondsPerMatch / 1000), Self.points(difference.accuracy),
                    Self.chance(difference.accuracyPValue), Self.points(difference.right),
                    Self.chance(difference.rightPValue),
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
