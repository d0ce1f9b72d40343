import Pipeline
import PipelineComponents
import PipelineConfiguration

/// The outcome of a test, as text and as JSON.
struct TestOutcome {
    /// The pipeline's file.
    let path: String

    /// The outcome of the test.
    let report: TestReport

    /// Returns a line with the outcome, followed by the differences from what the test expects.
    func text(_ style: Style) -> String {
        var text = report.passed ? style.good("✓") : style.error("✗")
        text += " \(path): \(report.name.shown)"
        text += style.faint("  (\(Counted.text(Int(report.frames), "frame")), \(Self.time(report.duration)))") + "\n"
        return text + differences(style)
    }

    /// Returns the differences from what the test expects, in lines of text; empty if it passed.
    private func differences(_ style: Style) -> String {
        var text = ""
        for problem in report.problems {
            text += "    \(style.strong(problem.place.shown))\n"
            if let timelines = problem.timelines {
                text += "      expected  \(timelines.expected)\n"
                text += "      actual    \(timelines.actual)\n"
                text += "                \(style.error(Self.carets(timelines)))\n"
            }
            for detail in problem.details { text += "      \(detail.shown)\n" }
        }
        return text
    }

    /// The outcome as an entry of a JUnit report. The summary is the first difference.
    var junit: JUnitReport.Case {
        let first = report.problems.first.map { "\($0.place): \($0.details.first ?? "not as expected")" }
        return JUnitReport.Case(
            name: report.name, duration: report.duration,
            outcome: first.map { .failure($0, details: differences(.plain)) } ?? .passed)
    }

    /// Returns all outcomes as JSON.
    static func json(_ verdicts: [TestOutcome]) -> JSONValue {
        .object([
            ("version", .integer(1)), ("passed", .integer(verdicts.count { $0.report.passed })),
            ("failed", .integer(verdicts.count { !$0.report.passed })),
            ("tests", .array(verdicts.map(\.json))),
        ])
    }

    private var json: JSONValue {
        .object([
            ("file", .string(path)), ("name", .string(report.name)), ("passed", .boolean(report.passed)),
            ("frames", .integer(Int(report.frames))), ("virtual_ms", .number(Double(report.duration / 1000) / 1000)),
            (
                "problems",
                .array(
                    report.problems.map { problem in
                        .object([
                            ("where", .string(problem.place)),
                            ("expected", .optional(problem.timelines?.expected)),
                            ("actual", .optional(problem.timelines?.actual)),
                            ("details", .array(problem.details.map { .string($0) })),
                        ])
                    })
            ),
        ])
    }

    /// Returns a line with a caret at every position at which the two timelines differ.
    private static func carets(_ timelines: (expected: String, actual: String)) -> String {
        var line = String(zip(timelines.expected, timelines.actual).map { $0 == $1 ? " " : "^" })
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    /// Returns a simulated time with its unit: `12.5 ms`, `3 s`.
    private static func time(_ nanoseconds: Int64) -> String {
        let microseconds = nanoseconds / 1000
        let (value, unit) = microseconds < 1_000_000 ? (microseconds, "ms") : (microseconds / 1000, "s")
        let fraction = String(1000 + value % 1000).dropFirst()
        let digits = fraction.reversed().drop { $0 == "0" }.reversed()
        return "\(value / 1000)" + (digits.isEmpty ? "" : "." + String(digits)) + " \(unit)"
    }
}
