import Pipeline

/// The cells of one row of delimited text (RFC 4180). A cell in quotes can contain delimiters, line feeds and doubled quotes.
///
/// Blanks around a cell are not part of it, but blanks inside quotes are. The memory is reused from row to row.
struct RowCells: Sendable {
    private enum State { case before, plain, quoted, behind }

    /// The byte between cells. `nil` means that any run of blanks separates cells.
    private let delimiter: UInt8?
    /// The concatenated contents of the cells, without quotes.
    private var bytes: [UInt8] = []
    /// The end of each cell in `bytes`.
    private var ends: [Int] = []
    /// The position of each cell in the text.
    private var places: [Int] = []
    private var state = State.before

    /// Creates an empty row.
    init(delimiter: UInt8?) { self.delimiter = delimiter }

    /// The number of cells.
    var count: Int { ends.count }

    /// Whether a quoted cell continues on the next line.
    var isOpen: Bool { state == .quoted }

    /// The total number of bytes in the cells.
    var byteCount: Int { bytes.count }

    /// Returns the cell at an index from 0. Returns an empty cell if the index is out of range.
    subscript(index: Int) -> ArraySlice<UInt8> {
        guard ends.indices.contains(index) else { return [] }
        return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Returns the position of a cell, in bytes from the beginning of the text.
    func place(_ index: Int) -> Int { places.indices.contains(index) ? places[index] : 0 }

    /// Removes the cells of the previous row.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        state = .before
    }

    /// The number of cells, not counting an empty last cell: many programs end a row with a delimiter.
    var filledCount: Int { count > 0 && self[count - 1].isEmpty ? count - 1 : count }

    /// Reads the row that begins at a position of a text, replacing the previous row. At the end of the text, the row has no cells.
    /// O(bytes).
    ///
    /// - Returns: The position of the next row.
    /// - Throws: A frame error, located by byte: `decode.syntax` for a misplaced quote or a NUL byte, `decode.truncated` for a text
    ///   that ends inside a cell in quotes.
    mutating func takeRow(of text: UnsafeRawBufferPointer, at place: Int) throws(PipelineError) -> Int {
        begin()
        var start = place
        repeat {
            guard start < text.count else {
                if isOpen { throw unclosed }
                return start
            }
            let end = text[start...].firstIndex(of: 0x0A) ?? text.count
            let isReturned = end > start && text[end - 1] == 0x0D
            try take(UnsafeRawBufferPointer(rebasing: text[start..<(isReturned ? end - 1 : end)]), at: start)
            start = end + 1
        } while isOpen
        return start
    }

    /// Reads a line: a row, or the continuation of one. O(bytes).
    ///
    /// - Parameters:
    ///   - line: The bytes of the line.
    ///   - place: The position of the line, in bytes from the beginning of the text.
    /// - Throws: A frame error (`decode.syntax`), located by byte, for a misplaced quote or a NUL byte.
    mutating func take(_ line: UnsafeRawBufferPointer, at place: Int) throws(PipelineError) {
        if let zero = line.firstIndex(of: 0) { throw Self.wrong("a NUL byte in text", place + zero, help: nil) }
        if isOpen { bytes.append(0x0A) }
        var i = 0
        while i < line.count {
            let byte = line[i]
            switch state {
            case .quoted:
                if byte != 0x22 {
                    bytes.append(byte)
                } else if i + 1 < line.count, line[i + 1] == 0x22 {
                    bytes.append(0x22)
                    i += 1
                } else {
                    state = .behind
                }
            case .before:
                if byte == delimiter {
                    places.append(place + i)
                    ends.append(bytes.count)
                } else if !Self.isBlank(byte) {
                    places.append(place + i)
                    state = byte == 0x22 ? .quoted : .plain
                    if byte != 0x22 { bytes.append(byte) }
                }
            case .plain:
                if separates(byte) {
                    endPlain()
                } else if byte == 0x22 {
                    throw Self.wrong("a cell that is not in quotes contains a quote", place + i)
                } else {
                    bytes.append(byte)
                }
            case .behind:
                if separates(byte) {
                    ends.append(bytes.count)
                    state = .before
                } else if !Self.isBlank(byte) {
                    throw Self.wrong("something follows a cell in quotes", place + i)
                }
            }
            i += 1
        }
        switch state {
        case .quoted: return
        case .plain: endPlain()
        case .behind: ends.append(bytes.count)
        case .before:
            // A line that ends with a delimiter has one more cell. An empty line is one empty cell.
            guard delimiter != nil else { return }
            places.append(place + line.count)
            ends.append(bytes.count)
        }
        state = .before
    }

    /// The error for a text that ends inside a quoted cell.
    var unclosed: PipelineError {
        .frame(
            "decode.truncated", "the text ends inside a cell in quotes", location: "byte \(places.last ?? 0)",
            help: Self.remedy)
    }

    private mutating func endPlain() {
        let begin = ends.last ?? 0
        while bytes.count > begin, let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
        ends.append(bytes.count)
        state = .before
    }

    private func separates(_ byte: UInt8) -> Bool { delimiter.map { byte == $0 } ?? Self.isBlank(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func wrong(_ message: String, _ place: Int, help: String? = remedy) -> PipelineError {
        .frame("decode.syntax", message, location: "byte \(place)", help: help)
    }

    private static let remedy =
        "put a cell that contains quotes in quotes, and double each quote in it: \"5\"\" pen\""
}
