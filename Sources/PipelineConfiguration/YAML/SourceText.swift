import Pipeline

/// A text with its lines, for turning offsets into places and for showing lines beside findings.
///
/// Lines end at LF, CRLF or CR. Offsets and columns count Unicode scalars.
public struct SourceText: Sendable {
    /// The file as the user named it.
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

    /// The text.
    package var whole: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// How many lines there are; at least one.
    public var lineCount: Int { lineStarts.count }

    /// The place of an offset; offsets outside the text are moved to its nearest end. O(log n).
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

    /// The stretch between two offsets.
    public func span(from start: Int, to end: Int) -> SourceSpan {
        SourceSpan(file: file, start: position(at: start), end: position(at: max(start, end)))
    }

    /// The offset of a place, moved into the text when it lies outside.
    public func offset(of position: SourcePosition) -> Int {
        guard position.line >= 1 else { return 0 }
        guard position.line <= lineStarts.count else { return scalars.count }
        return min(lineStarts[position.line - 1] + max(position.column, 1) - 1, scalars.count)
    }

    /// The scalars of a line without its line break; empty for a line that is not there.
    package func line(_ number: Int) -> ArraySlice<Unicode.Scalar> {
        guard number >= 1, number <= lineStarts.count else { return [] }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] : scalars.count
        while end > start, scalars[end - 1] == "\n" || scalars[end - 1] == "\r" { end -= 1 }
        return scalars[start..<end]
    }

    /// The text of a stretch.
    public func text(of span: SourceSpan) -> String {
        let start = offset(of: span.start)
        let end = max(start, offset(of: span.end))
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<end])
        return String(text)
    }
}
