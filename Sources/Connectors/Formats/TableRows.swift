import Pipeline

/// Reads the rows of a table line by line; see ``RowCells``.
struct TableRows {
    private let lines: LineReader
    private var cells: RowCells

    /// The line on which the current row begins, counted from 1.
    private(set) var lineNumber = 0

    /// Whether there is an empty row before the current one.
    private(set) var followsEmptyRow = false

    init(_ lines: LineReader, delimiter: UInt8) {
        self.lines = lines
        cells = RowCells(delimiter: delimiter)
    }

    /// Whether the next row is probably available without waiting for input.
    var hasRow: Bool { lines.hasLine }

    /// The number of cells in the current row.
    var count: Int { cells.count }

    /// Returns a cell of the current row, counted from 0. Returns an empty cell if the index is out of range.
    func cell(_ index: Int) -> ArraySlice<UInt8> { cells[index] }

    /// Returns the text of a cell of the current row.
    ///
    /// - Throws: A frame error if the text is not UTF-8.
    func text(_ index: Int) throws(PipelineError) -> String {
        guard let text = String(validating: cell(index), as: UTF8.self) else {
            throw .frame("decode.utf8", "column \(index + 1) is not UTF-8", help: "convert the file to UTF-8")
        }
        return text
    }

    /// Returns whether a cell is one number, finite or not: `1e400` and `nan` are numbers, too.
    func isNumber(_ index: Int) -> Bool { Double(String(decoding: cell(index), as: UTF8.self)) != nil }

    /// Moves to the next row that is not empty. Returns false at the end.
    ///
    /// - Throws: A frame error for a misplaced quote, located by byte in the row. The row is skipped.
    mutating func next() throws -> Bool {
        followsEmptyRow = false
        while true {
            cells.begin()
            var place = 0
            repeat {
                guard let line = try lines.next() else {
                    if cells.isOpen { throw cells.unclosed }
                    return false
                }
                if !cells.isOpen { lineNumber = lines.lineNumber }
                guard case .bytes(let text) = line, cells.byteCount + text.count <= lines.maxLineBytes else {
                    throw PipelineError.frame("decode.line_too_long", "longer than max_line_bytes")
                }
                try cells.take(text, at: place)
                place += text.count + 1
            } while cells.isOpen
            guard cells.count == 1, cells[0].isEmpty else { return true }
            followsEmptyRow = true
        }
    }
}

/// Returns the finite number in a cell. Returns `nil` if the whole cell is not one number.
func number(in cell: ArraySlice<UInt8>) -> Double? {
    // One division gives the correctly rounded value of a number with up to 15 digits, because both operands are exact (Clinger
    // 1990). Other numbers take the slow path.
    var digits = 0
    var places = 0
    var mantissa: Int64 = 0
    var isNegative = false
    var hasPoint = false
    for (i, byte) in zip(0..., cell) {
        switch byte {
        case 0x30...0x39:
            digits += 1
            if hasPoint { places += 1 }
            guard digits <= 15 else { return slowNumber(in: cell) }
            mantissa = mantissa * 10 + Int64(byte - 0x30)
        case UInt8(ascii: "."):
            guard !hasPoint else { return nil }
            hasPoint = true
        case UInt8(ascii: "-") where i == 0: isNegative = true
        default: return slowNumber(in: cell)
        }
    }
    guard digits > 0 else { return nil }
    let value = Double(mantissa) / powersOfTen[places]
    return isNegative ? -value : value
}

private let powersOfTen: [Double] = (0...15).map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }

private func slowNumber(in cell: ArraySlice<UInt8>) -> Double? {
    // Double(_:) also accepts hexadecimal digits and words, which are not valid in a table.
    guard cell.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
    guard let value = Double(String(decoding: cell, as: UTF8.self)), value.isFinite else { return nil }
    return value
}
