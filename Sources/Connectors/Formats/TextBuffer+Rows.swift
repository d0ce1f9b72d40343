import Pipeline
import Stages

// Cells of a CSV row, with a comma before each cell. A cell without a value is empty. The header row is written by the same calls,
// with the names of the columns instead of the values; see `TextBuffer.cells`.
extension TextBuffer {
    /// Writes a row: `prefix`, the cells that `cells` writes, and a line feed.
    mutating func row(_ prefix: TextBuffer, _ cells: (inout TextBuffer) -> Void) {
        prefix.withBytes { plain($0) }
        cells(&self)
        byte(0x0A)
    }

    /// Writes a row for each element. If `elements` is `nil`, writes one row without values.
    mutating func rows<Element>(
        _ prefix: TextBuffer, _ elements: [Element]?, _ cells: (inout TextBuffer, Int, Element?) -> Void
    ) {
        guard let elements else { return row(prefix) { cells(&$0, 0, nil) } }
        for (index, element) in elements.enumerated() { row(prefix) { cells(&$0, index, element) } }
    }

    /// Begins a cell: writes the comma, and the column's name in a header row. Returns whether the caller must write a value.
    @inline(__always)
    private mutating func begin(_ name: String) -> Bool {
        byte(UInt8(ascii: ","))
        if cells == .names { plain(name) }
        return cells == .values
    }

    /// Writes a whole number.
    @inline(__always)
    mutating func column(_ name: String, _ number: Int?) {
        if begin(name), let number { integer(Int64(number)) }
    }

    /// Writes a number.
    @inline(__always)
    mutating func column(_ name: String, _ number: Double?) {
        if begin(name), let number { self.number(number) }
    }

    /// Writes text.
    @inline(__always)
    mutating func column(_ name: String, _ text: String?) {
        if begin(name), let text { cell(text) }
    }

    /// Writes a time in microseconds.
    @inline(__always)
    mutating func column(_ name: String, _ time: Timestamp?) { column(name, time.map { Int($0.rawValue) }) }

    /// Writes the value of a field that a ``MessagePayload`` declares.
    mutating func column(_ name: String, _ content: FieldContent?) {
        if begin(name), let content { cell(content) }
    }

    /// Writes a bitmap as 16 hexadecimal digits.
    mutating func column(_ name: String, hexadecimal bits: UInt64?) {
        if begin(name), let bits { hexadecimal(bits) }
    }

    /// Writes each number in its own cell. A header row has only one cell for all of them.
    mutating func columns(_ name: String, _ numbers: [Double]?) {
        guard let numbers else { return column(name, nil as Double?) }
        for number in numbers { column(name, number) }
    }

    /// Writes the columns `x`, `y`, `sample_us` and `p`.
    mutating func columns(_ sample: Sample?, _ fields: SampleFields, _ start: Timestamp) {
        column("x", sample?.x)
        column("y", sample?.y)
        column("sample_us", fields.contains(.time) ? sample.map { Double(start.rawValue) + $0.t } : nil)
        column("p", fields.contains(.pressure) ? sample?.p : nil)
    }
}

// Fields of a JSON object, with a comma before each key. A field whose value is `nil` is not written.
extension TextBuffer {
    /// Writes text.
    @inline(__always)
    mutating func member(_ key: WireKey, _ text: String?) {
        guard let text else { return }
        literal(key.member)
        quoted(text)
    }

    /// Writes a number.
    @inline(__always)
    mutating func member(_ key: WireKey, _ number: Double?) {
        guard let number else { return }
        literal(key.member)
        self.number(number)
    }

    /// Writes a whole number.
    @inline(__always)
    mutating func member(_ key: WireKey, _ number: Int?) {
        guard let number else { return }
        literal(key.member)
        integer(Int64(number))
    }

    /// Writes a time in microseconds.
    @inline(__always)
    mutating func member(_ key: WireKey, _ time: Timestamp) {
        literal(key.member)
        integer(time.rawValue)
    }
}
