import Pipeline
import PipelineComponents

/// Renders findings as text, each with the line that it refers to and carets under the position.
///
/// ```
/// error[option.range]: 1 is out of range
///  --> strokes.yaml:5:25
///   |
/// 5 |   - resample: { points: 1 }
///   |                         ^ allowed: 2 to 4096
///   = help: …
/// ```
public struct DiagnosticRenderer: Sendable {
    /// Whether to use ANSI escapes for colors.
    public var usesColor: Bool

    /// The maximum width of a shown line in terminal cells. Longer lines are truncated around the position.
    public var width: Int

    /// The maximum number of findings to show. The others are only counted.
    public var limit: Int

    private let texts: [String: SourceText]

    /// Creates a renderer for findings that refer to `texts`.
    public init(texts: [SourceText], usesColor: Bool = false, width: Int = 120, limit: Int = 100) {
        self.texts = Dictionary(texts.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
        self.usesColor = usesColor
        self.width = max(width, 20)
        self.limit = limit
    }

    /// Returns all findings, separated by empty lines, and a last line with their counts. Returns an empty string if there are no
    /// findings.
    public func render(_ diagnostics: [Diagnostic]) -> String {
        guard !diagnostics.isEmpty else { return "" }
        var output = diagnostics.prefix(limit).map(render).joined(separator: "\n")
        if diagnostics.count > limit { output += "\n… and \(diagnostics.count - limit) more\n" }
        return output + "\n" + Self.summary(of: diagnostics) + "\n"
    }

    /// Returns the counts of errors and warnings: `2 errors, 1 warning`.
    public static func summary(of diagnostics: [Diagnostic]) -> String {
        let errors = diagnostics.count { $0.severity == .error }
        let warnings = diagnostics.count - errors
        var parts: [String] = []
        if errors > 0 || warnings == 0 { parts.append(errors == 1 ? "1 error" : "\(errors) errors") }
        if warnings > 0 { parts.append(warnings == 1 ? "1 warning" : "\(warnings) warnings") }
        return parts.joined(separator: ", ")
    }

    /// Returns one finding, with a line break at the end.
    public func render(_ diagnostic: Diagnostic) -> String {
        let color = diagnostic.severity == .error ? "31" : "33"
        var output = paint("\(diagnostic.severity.rawValue)[\(diagnostic.code)]", "1;\(color)")
        output += paint(": \(visible(diagnostic.message))", "1") + "\n"
        var gutter = " "
        if let span = diagnostic.span {
            let number = String(span.start.line)
            gutter = String(repeating: " ", count: number.count)
            output += gutter + paint("--> ", "1;34") + "\(visible(span.file)):\(span.start.line):\(span.start.column)\n"
            if let text = texts[span.file], span.start.line <= text.lineCount, !text.scalars.isEmpty {
                let (line, offset, length) = excerpt(span, text)
                let bar = paint("|", "1;34")
                let label = diagnostic.label.map { " \(visible($0))" } ?? ""
                let carets = String(repeating: "^", count: length) + label
                output += "\(gutter) \(bar)\n"
                output += "\(paint(number, "1;34")) \(bar)\(line.isEmpty ? "" : " ")\(line)\n"
                output += "\(gutter) \(bar) \(String(repeating: " ", count: offset))\(paint(carets, "1;\(color)"))\n"
            } else if let label = diagnostic.label {
                output += "\(gutter) \(paint("=", "1;34")) \(visible(label))\n"
            }
        }
        if let help = diagnostic.help ?? diagnostic.fix?.title {
            output += "\(gutter) \(paint("=", "1;34")) \(paint("help", "1")): \(visible(help))\n"
        }
        return output
    }

    // MARK: - Lines

    /// Returns the first line of a span as it is shown, and the offset and number of the carets below it, in terminal cells.
    ///
    /// If the span has several lines, the carets end with its first line.
    private func excerpt(_ span: SourceSpan, _ text: SourceText) -> (line: String, offset: Int, length: Int) {
        let line = text.line(span.start.line)
        var first = min(max(span.start.column - 1, 0), line.count)
        var last = span.end.line == span.start.line ? min(span.end.column - 1, line.count) : line.count
        last = max(last, first)
        // Truncated parts on the left and right are shown as an ellipsis.
        var shown = line
        let widths = line.map(Self.width)
        var hasLeft = false
        var hasRight = false
        if widths.reduce(0, +) > width {
            let (begin, end) = window(widths, around: first)
            hasLeft = begin > 0
            hasRight = end < line.count
            shown = line.dropFirst(begin).prefix(end - begin)
            first -= begin
            last = max(first, min(last - begin, shown.count))
        }
        var output = hasLeft ? "…" : ""
        var offset = hasLeft ? 1 : 0
        var length = 0
        for (index, scalar) in shown.enumerated() {
            output += Self.shown(scalar)
            if index < first { offset += Self.width(scalar) } else if index < last { length += Self.width(scalar) }
        }
        if hasRight { output += "…" }
        while output.hasSuffix(" ") { output.removeLast() }
        return (output, offset, max(length, 1))
    }

    /// Returns the part of a long line to show: a third of the width before the position, and the rest after it.
    private func window(_ widths: [Int], around place: Int) -> (begin: Int, end: Int) {
        var begin = place
        var room = width / 3
        while begin > 0, widths[begin - 1] <= room {
            begin -= 1
            room -= widths[begin]
        }
        var end = begin
        room = width
        while end < widths.count, widths[end] <= room {
            room -= widths[end]
            end += 1
        }
        return (begin, end)
    }

    /// Returns the text that is shown for a scalar of a line. Hidden scalars are replaced by a visible one, so that the carets are
    /// at the right position.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        if scalar == "\t" { return "    " }
        return scalar.isHidden ? "\u{FFFD}" : String(scalar)
    }

    /// Returns the number of terminal cells for a scalar.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        scalar.isHidden && scalar != "\t" ? 1 : displayWidth(scalar)
    }

    /// Returns a text in a form that is safe to show: truncated, and with hidden characters escaped. The text may contain names
    /// from a file.
    private func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return String(scalars.prefix(1000)).shown + (scalars.count > 1000 ? "…" : "")
    }

    private func paint(_ text: String, _ code: String) -> String {
        usesColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
