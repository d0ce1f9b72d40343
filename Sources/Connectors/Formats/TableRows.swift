import Pipeline

/// Reads the rows of a table line by line; see ``RowCells``.
struct TableRows {
    private let lines: LineReader
    private var cells: RowCells

    /// The line on which the current row began, from 1.
    private(set) var lineNumber = 0

    init(_ lines: LineReader, delimiter: UInt8) {
        self.lines = lines
        cells = RowCells(delimiter: delimiter)
    }

    /// Whether the next row can probably be had without waiting for input.
    var hasRow: Bool { lines.hasLine }

    /// How many cells the current row has.
    var count: Int { cells.count }

    /// A cell of the current row, from 0; empty when there is none.
    func cell(_ index: Int) -> ArraySlice<UInt8> { cells[index] }

    /// Moves to the next row that is not empty; false at the end.
    ///
    /// - Throws: A frame error, located by the byte of the row for quotes that stand where none can; the row is passed over.
    mutating func next() throws -> Bool {
        repeat {
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
        } while cells.count == 1 && cells[0].isEmpty
        return true
    }
}

/// The finite number that a cell spells out in full, if it does.
func number(in cell: ArraySlice<UInt8>) -> Double? {
    // Up to 15 digits with up to 22 places are exact in one division (Clinger 1990); the rest takes the long way.
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
    // Double(_:) also takes hexadecimal digits and words; a table has neither.
    guard cell.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
    guard let value = Double(String(decoding: cell, as: UTF8.self)), value.isFinite else { return nil }
    return value
}
