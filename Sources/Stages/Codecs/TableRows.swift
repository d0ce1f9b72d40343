import Pipeline

/// Splits lines into the cells of a table (RFC 4180): cells in quotes may hold delimiters, line feeds and, doubled, quotes.
struct TableRows {
    private let lines: LineReader
    private let delimiter: UInt8
    /// The cells of the current row, one behind the other, without their quotes.
    private var bytes: [UInt8] = []
    /// Where each cell ends in `bytes`.
    private var ends: [Int] = []

    /// The line on which the current row began, from 1.
    private(set) var lineNumber = 0

    init(_ lines: LineReader, delimiter: UInt8) {
        self.lines = lines
        self.delimiter = delimiter
    }

    /// Whether the next row can probably be had without waiting for input.
    var hasRow: Bool { lines.hasLine }

    /// How many cells the current row has.
    var count: Int { ends.count }

    /// A cell of the current row, from 0, without blanks around it; empty when there is none.
    func cell(_ index: Int) -> ArraySlice<UInt8> {
        guard index >= 0, index < ends.count else { return [] }
        var cell = bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
        while let first = cell.first, first == 0x20 || first == 0x09 { cell.removeFirst() }
        while let last = cell.last, last == 0x20 || last == 0x09 { cell.removeLast() }
        return cell
    }

    /// Moves to the next row that is not empty; false at the end.
    ///
    /// - Throws: A frame error without a place; the row is passed over.
    mutating func next() throws -> Bool {
        repeat {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            var isOpen = false
            repeat {
                guard let line = try lines.next() else {
                    if isOpen {
                        throw PipelineError.frame("decode.truncated", "the text ends inside a cell in quotes")
                    }
                    return false
                }
                if !isOpen { lineNumber = lines.lineNumber }
                guard case .bytes(let text) = line, bytes.count + text.count <= lines.maxLineBytes else {
                    throw PipelineError.frame("decode.line_too_long", "longer than max_line_bytes")
                }
                if isOpen { bytes.append(0x0A) }
                isOpen = try split(text, isOpen: isOpen)
            } while isOpen
        } while ends.count == 1 && cell(0).isEmpty
        return true
    }

    /// Splits a line; whether it ends inside a cell in quotes.
    private mutating func split(_ text: UnsafeRawBufferPointer, isOpen: Bool) throws(PipelineError) -> Bool {
        var isQuoted = isOpen
        var isAtCellStart = !isOpen
        var i = 0
        while i < text.count {
            let byte = text[i]
            if isQuoted {
                if byte != 0x22 {
                    bytes.append(byte)
                } else if i + 1 < text.count, text[i + 1] == 0x22 {
                    bytes.append(0x22)
                    i += 1
                } else {
                    isQuoted = false
                    guard i + 1 == text.count || text[i + 1] == delimiter else {
                        throw .frame("decode.syntax", "something stands behind a cell in quotes")
                    }
                }
            } else if byte == delimiter {
                ends.append(bytes.count)
                isAtCellStart = true
                i += 1
                continue
            } else if byte == 0x22, isAtCellStart {
                isQuoted = true
            } else {
                bytes.append(byte)
            }
            isAtCellStart = false
            i += 1
        }
        if !isQuoted { ends.append(bytes.count) }
        return isQuoted
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
