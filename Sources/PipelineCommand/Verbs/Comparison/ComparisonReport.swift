import Connectors
import Pipeline
import PipelineComponents

/// Writes a comparison as text, as JSON and as a web page.
struct ComparisonReport {
    let comparison: ResultComparison
    /// The names of the two pipelines.
    let names: (before: String, after: String)

    /// The maximum number of differences in the text.
    private static let maximumRows = 50
    /// The maximum number of differences that the web page shows as pictures.
    static let drawn = 10

    /// The numbers of results of both pipelines, and the number of each kind of difference, in one line.
    var summary: String {
        "\(names.before): \(Counted.text(comparison.before, "result")); \(names.after): \(comparison.after); "
            + "\(comparison.same) the same, \(comparison.count(.new)) new, \(comparison.count(.gone)) gone, "
            + "\(comparison.count(.different)) different"
    }

    private var rows: [[String]] {
        let several = Set(comparison.differences.map(\.moment.recording)).count > 1
        return comparison.differences.map { difference in
            let moment = difference.moment
            return [
                Timestamp(rawValue: moment.time).description, moment.stream, difference.change.rawValue,
                difference.before?.summary ?? "", difference.after?.summary ?? "",
                difference.detail + (several ? " (\(moment.recording))" : ""),
            ]
        }
    }

    /// Returns the summary and a table of the differences, as text.
    func text(_ style: Style) -> String {
        let text = style.strong(summary.shown) + "\n"
        guard !comparison.differences.isEmpty else { return text }
        var table = Table([
            ("time", .right), ("stream", .left), ("change", .left), ("before", .left), ("after", .left),
            ("first difference", .left),
        ])
        for row in rows.prefix(Self.maximumRows) { table.add(row) }
        let more = comparison.differences.count - Self.maximumRows
        return text + table.text(style) + (more > 0 ? "and \(more) more\n" : "")
    }

    /// The comparison as an entry of a JUnit report, which fails if there is a difference.
    var junit: JUnitReport.Case {
        JUnitReport.Case(
            name: "the results are those in \(names.before)",
            outcome: comparison.differences.isEmpty
                ? .passed : .failure(summary, details: text(.plain)))
    }

    /// The comparison as JSON.
    var json: JSONValue {
        .object([
            ("version", .integer(1)), ("before", .string(names.before)), ("after", .string(names.after)),
            (
                "results",
                .object([
                    ("before", .integer(comparison.before)), ("after", .integer(comparison.after)),
                    ("same", .integer(comparison.same)), ("new", .integer(comparison.count(.new))),
                    ("gone", .integer(comparison.count(.gone))),
                    ("different", .integer(comparison.count(.different))),
                ])
            ),
            (
                "differences",
                .array(
                    comparison.differences.map { difference in
                        .object([
                            ("change", .string(difference.change.rawValue)),
                            ("recording", .string(difference.moment.recording)),
                            ("kind", .string(difference.moment.kind)), ("stream", .string(difference.moment.stream)),
                            ("t_us", .integer(Int(difference.moment.time))),
                            ("before", .optional(difference.before?.text)),
                            ("after", .optional(difference.after?.text)),
                            ("first_difference", .string(difference.detail)),
                        ])
                    })
            ),
        ])
    }

    /// Returns a self-contained web page: nothing is loaded from elsewhere, and all text from the data is escaped.
    ///
    /// - Parameter pictures: Pictures of the first differences, as SVG.
    func html(_ pictures: [String?]) -> String {
        func escaped(_ text: String) -> String { GestureDrawing.escaped(text) }
        let title = escaped("\(names.before) and \(names.after)")
        var html = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <style>body{font:15px/1.5 system-ui,sans-serif;color:#30384a;max-width:72em;margin:2em auto;padding:0 1em}
            table{border-collapse:collapse}td,th{padding:.2em .6em;text-align:left;vertical-align:top}
            th{border-bottom:1px solid #30384a}tr:nth-child(even) td{background:#f5f6f8}
            figure{display:inline-block;margin:0 1.5em 1em 0;font-size:13px}</style></head><body>
            <h1>\(title)</h1>
            <p>\(escaped(summary))</p>

            """
        for (number, row) in rows.prefix(Self.drawn).enumerated() {
            guard pictures.indices.contains(number), let picture = pictures[number] else { continue }
            let change = row[3].isEmpty || row[4].isEmpty ? row[3] + row[4] : "\(row[3]) → \(row[4])"
            html += "<figure>\(picture)<figcaption>\(number + 1). \(escaped("\(row[2]): \(change)"))<br>"
            html += "\(escaped("\(row[1]) at \(row[0])"))</figcaption></figure>\n"
        }
        if !comparison.differences.isEmpty {
            html += "<table><tr><th></th><th>time</th><th>stream</th><th>change</th><th>before</th><th>after</th>"
            html += "<th>first difference</th></tr>\n"
            for (number, row) in rows.enumerated() {
                html += "<tr><td>\(number + 1)</td>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>\n"
            }
            html += "</table>\n"
        }
        return html + "</body></html>\n"
    }
}
