import Pipeline
import Stages

/// A self-contained web page about an evaluation. The page loads nothing from elsewhere and escapes all names in the data.
public struct EvaluationPage {
    private let comparison: EvaluationComparison

    /// The maximum number of confusions to draw.
    private static let drawn = 8
    private static let style = """
        body{font:15px/1.5 system-ui,'Helvetica Neue',Arial,sans-serif;color:#30384a;max-width:72em;margin:2em auto;padding:0 1em}
        h1,h2,h3{line-height:1.2}table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .6em;text-align:right}
        th{border-bottom:1px solid #30384a}td:first-child,th:first-child{text-align:left}tr:nth-child(even) td{background:#f5f6f8}
        .plots svg{margin:0 1em 1em 0}.pair{display:inline-block;margin:0 1.5em 1em 0;text-align:center;font-size:13px}
        .matrix td{background:none;text-align:center;min-width:1.6em;padding:.1em}.matrix{font-size:12px}
        .note{color:#666;font-size:13px}
        """

    /// Creates a page about one or several reports on the same data.
    public init(_ comparison: EvaluationComparison) { self.comparison = comparison }

    /// The page as an HTML document.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the page's content.
    public var html: String {
        let title = comparison.reports.map { $0.pipeline.isEmpty ? $0.method : $0.pipeline }.joined(separator: ", ")
        var html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        html += "<title>\(escaped("How well \(title) recognizes"))</title>\n<style>\(Self.style)</style></head><body>\n"
        html += "<h1>\(escaped("How well \(title) recognizes"))</h1>\n"
        if comparison.reports.count > 1 {
            html += "<h2>Compared</h2>\n" + table(comparison.cells)
            html +=
                "<p class=\"note\">Δ: the difference from the first, in percentage points. p: how likely such a difference is by chance, by a paired bootstrap over people.</p>\n"
        }
        for report in comparison.reports { html += section(of: report) }
        html += """
            <p class="note">accuracy: the nearest class is the right one. right: the pipeline, with its limits, names the right class. FA: the share of \
            unknown gestures that the pipeline names. 95 % range: a bootstrap over people, or over samples if there is only one person. \
            at N % FA: the share that is recognized and accepted with the one threshold that accepts N % of unknown gestures.</p>

            """
        return html + "</body></html>\n"
    }

    private func section(of report: EvaluationReport) -> String {
        var html = "<h2>\(escaped(report.pipeline.isEmpty ? report.method : report.pipeline))</h2>\n"
        html +=
            "<p>\(escaped(report.headline)). One match took \(twoDecimals(report.nanosecondsPerMatch / 1000)) µs.</p>\n"
        html += table(rows(of: report))
        guard let row = report.rows.last else { return html }
        var plots = [report.learningCurve, report.acceptance(of: row)]
        if let reliability = report.reliability(of: row) { plots.append(reliability) }
        html +=
            "<div class=\"plots\">" + plots.map { String(decoding: $0.picture.svg(), as: UTF8.self) }.joined()
            + "</div>\n"
        html += "<h3>Classes and people, with \(row.templates) templates</h3>\n"
        html += table(parts("class", report.classes, row.byClass)) + table(parts("person", report.people, row.byPerson))
        html += "<h3>Confusion matrix of the last row</h3>\n" + matrix(report, row)
        html += confusions(report)
        return html
    }

    private func rows(of report: EvaluationReport) -> [[String]] {
        var cells = [
            [
                "templates", "people", "tests", "accuracy", "95 % range", "right", "95 % range", "FA", "at 5 % FA",
                "at 1 % FA", "calibration error",
            ]
        ]
        for row in report.rows {
            cells.append([
                "\(row.templates)", row.users == 0 ? "own" : "\(row.users)", "\(row.tests)",
                EvaluationReport.percent(row.accuracy), EvaluationReport.percent(row.interval),
                EvaluationReport.percent(row.all.rightShare), EvaluationReport.percent(row.rightInterval),
                EvaluationReport.percent(row.all.falseAccept), EvaluationReport.percent(row.acceptedAt5),
                EvaluationReport.percent(row.acceptedAt1),
                row.reliability.map { EvaluationReport.percent($0.error) } ?? "",
            ])
        }
        return cells
    }

    private func parts(_ noun: String, _ names: [String], _ parts: [EvaluationReport.Row.Part]) -> [[String]] {
        var cells = [[noun, "tests", "accuracy", "right", "None", "unknown", "FA"]]
        for (name, part) in zip(names, parts) where part.tests + part.unknownTests > 0 {
            cells.append([
                name.isEmpty ? "–" : name, "\(part.tests)", EvaluationReport.percent(part.accuracy),
                EvaluationReport.percent(part.rightShare), "\(part.none)", "\(part.unknownTests)",
                EvaluationReport.percent(part.falseAccept),
            ])
        }
        return cells
    }

    /// Returns the confusion matrix as an HTML table. The darker a cell, the more frequent the confusion.
    private func matrix(_ report: EvaluationReport, _ row: EvaluationReport.Row) -> String {
        guard report.classes.count <= 60 else {
            return "<p>The matrix of \(report.classes.count) classes is in the JSON report.</p>\n"
        }
        var html = "<table class=\"matrix\"><tr><th>was \\ taken for</th>"
        for number in report.classes.indices { html += "<th>\(number + 1)</th>" }
        html += "</tr>\n"
        for (actual, counts) in row.confusion.enumerated() {
            html += "<tr><td>\(actual + 1) \(escaped(report.classes[actual]))</td>"
            let sum = max(counts.reduce(0, +), 1)
            for (found, count) in counts.enumerated() {
                let share = Double(count) / Double(sum)
                let color = actual == found ? "39,120,74" : "192,57,43"
                // Rare confusions must be visible too, so every confusion has a minimum color depth.
                let depth = count == 0 ? 0 : actual == found ? 0.15 + 0.6 * share : 0.25 + 0.75 * share
                html +=
                    "<td style=\"background:rgba(\(color),\(twoDecimals(depth)))\">\(count == 0 ? "" : "\(count)")</td>"
            }
            html += "</tr>\n"
        }
        return html + "</table>\n"
    }

    /// Returns the worst confusions as HTML. Each one shows a misclassified sample next to a sample of the class that was
    /// recognized, by the same person if possible.
    private func confusions(_ report: EvaluationReport) -> String {
        let worst = report.confusions.prefix(Self.drawn)
        guard !worst.isEmpty else { return "<p>Nothing was taken for anything else.</p>\n" }
        var html = "<h3>The worst confusions of all rows</h3>\n"
        for pair in worst {
            guard let actual = report.classes.firstIndex(of: pair.actual),
                let found = report.classes.firstIndex(of: pair.found)
            else { continue }
            let trials = report.rows.flatMap(\.trials).filter { $0.actual == actual && $0.nearest.category == found }
            guard let sample = trials.min(by: { ($0.nearest.ratio, $0.item) < ($1.nearest.ratio, $1.item) })?.item
            else { continue }
            let person = report.items[sample].user
            let likeness =
                report.items.first { $0.label == pair.found && $0.user == person }
                ?? report.items.first { $0.label == pair.found }
            html += "<div class=\"pair\">" + GestureDrawing.svg(report.items[sample].sample, side: 120)
            if let likeness { html += GestureDrawing.svg(likeness.sample, side: 120) }
            html += "<br>\(escaped(pair.actual)) (left) taken for \(escaped(pair.found)): \(pair.count)"
            html += person.isEmpty ? "</div>\n" : "<br>by \(escaped(person))</div>\n"
        }
        return html
    }

    /// Returns an HTML table. The first element of `cells` is the header.
    private func table(_ cells: [[String]]) -> String {
        var html = "<table>"
        for (number, line) in cells.enumerated() {
            let tag = number == 0 ? "th" : "td"
            html += "<tr>" + line.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>\n"
        }
        return html + "</table>\n"
    }

    private func escaped(_ text: String) -> String { GestureDrawing.escaped(text) }
}
