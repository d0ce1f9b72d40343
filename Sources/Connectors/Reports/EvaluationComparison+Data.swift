import PipelineComponents
import Stages

extension EvaluationComparison {
    /// The comparison as CSV: one header, followed by the rows of all reports.
    public var csv: String { joined(\.csv) }

    /// Every trial of all reports as CSV, with one header.
    public var trials: String { joined(\.trials) }

    private func joined(_ table: (EvaluationReport) -> String) -> String {
        reports.enumerated().map { number, report in
            let text = table(report)
            return number == 0 ? text : String(text.drop { $0 != "\n" }.dropFirst())
        }.joined()
    }

    /// The comparison as a JSON document.
    public var json: String {
        let differences = differences.map { row, differences in
            JSONValue.object([
                ("templates", .integer(reports[0].rows[row].templates)),
                (
                    "pipelines",
                    .array(
                        zip(reports, differences).map { report, difference in
                            .object([
                                ("pipeline", .string(report.pipeline)), ("accuracy", .number(difference.accuracy)),
                                ("accuracy_p", difference.accuracyPValue.map(JSONValue.number) ?? .null),
                                ("right", .number(difference.right)),
                                ("right_p", difference.rightPValue.map(JSONValue.number) ?? .null),
                            ])
                        })
                ),
            ])
        }
        return JSONValue.object([
            ("reports", .array(reports.map(\.value))), ("differences", .array(differences)),
        ]).text() + "\n"
    }
}
