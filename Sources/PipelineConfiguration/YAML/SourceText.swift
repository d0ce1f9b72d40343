import Pipeline

/// A text that is split into lines, for converting between offsets and positions and for showing lines in findings.
///
/// Lines end with LF, CRLF, or CR. Offsets and columns count Unicode scalars.
public struct SourceText: Sendable {
    /// The file name as given by the user.
    public let file: String

    package let scalars: [Unicode.Scalar]
    private let lineStarts: [Int]

    /// Splits a text into lines. O(n).
    public init(file: String, text: String) {
        self.file = file
        let scalars = Array(text.unicodeScalars)
        var starts = [0]
        for (index, scalar) in scalars.enumerated() {
            let isCarriageReturn = scalar == "\r" && !(index + 1 < scalars.count && scalars[index + 1] == "\n")
            if scalar == "\n" || isCarriageReturn { starts.append(index + 1) }
        }
        self.scalars = scalars
        lineStarts = starts
    }

    /// The complete text.
    package var whole: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// The number of lines; at least one.
    public var lineCount: Int { lineStarts.count }

    /// Returns the position of an offset. Offsets outside the text are clamped. O(log n).
    public func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), scalars.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return SourcePosition(line: low + 1, column: offset - lineStarts[low] + 1)
    }

    /// Returns the span between two offsets.
    public func span(from start: Int, to end: Int) -> SourceSpan {
        SourceSpan(file: file, start: position(at: start), end: position(at: max(start, end)))
    }

    /// Returns the offset of a position. Positions outside the text are clamped.
    public func offset(of position: SourcePosition) -> Int {
        guard position.line >= 1 else { return 0 }
        guard position.line <= lineStarts.count else { return scalars.count }
        return min(lineStarts[position.line - 1] + max(position.column, 1) - 1, scalars.count)
    }

    /// Returns the scalars of a line without its line break, or an empty slice if there is no such line.
    package func line(_ number: Int) -> ArraySlice<Unicode.Scalar> {
        guard number >= 1, number <= lineStarts.count else { return [] }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] : scalars.count
        while end > start, scalars[end - 1] == "\n" || scalars[end - 1] == "\r" { end -= 1 }
        return scalars[start..<end]
    }

    /// Returns the offsets of a span.
    package func range(of span: SourceSpan) -> Range<Int> {
        let start = offset(of: span.start)
        return start..<max(start, offset(of: span.end))
    }

    /// Returns the text of a span.
    public func text(of span: SourceSpan) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range(of: span)])
        return String(text)
    }
}
