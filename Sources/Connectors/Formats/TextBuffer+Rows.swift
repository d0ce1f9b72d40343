import Pipeline
import Stages

// Cells of a CSV row, each after a comma. An unknown value is an empty cell.
extension TextBuffer {
    /// Writes a row: `prefix`, the cells that `cells` writes, and a line feed.
    mutating func row(_ prefix: TextBuffer, _ cells: (inout TextBuffer) -> Void) {
        prefix.withBytes { plain($0) }
        cells(&self)
        byte(0x0A)
    }

    /// Writes a whole number.
    mutating func column(_ number: Int?) {
        byte(UInt8(ascii: ","))
        if let number { integer(Int64(number)) }
    }

    /// Writes a number.
    mutating func column(_ number: Double?) {
        byte(UInt8(ascii: ","))
        if let number { self.number(number) }
    }

    /// Writes text.
    mutating func column(_ text: String?) {
        byte(UInt8(ascii: ","))
        if let text { cell(text) }
    }

    /// Writes a time in microseconds.
    mutating func column(_ time: Timestamp) { column(Int(time.rawValue)) }

    /// Writes the columns `x,y,sample_us,p`.
    mutating func column(_ sample: Sample?, _ fields: SampleFields, _ start: Timestamp) {
        column(sample?.x)
        column(sample?.y)
        column(fields.contains(.time) ? sample.map { Double(start.rawValue) + $0.t } : nil)
        column(fields.contains(.pressure) ? sample?.p : nil)
    }
}

// Optional members of a JSON object. `key` is all text before the value, as in `,"label":`.
extension TextBuffer {
    /// Writes text.
    @inline(__always)
    mutating func member(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        literal(key)
        quoted(text)
    }

    /// Writes a number.
    @inline(__always)
    mutating func member(_ key: StaticString, _ number: Double?) {
        guard let number else { return }
        literal(key)
        self.number(number)
    }

    /// Writes a whole number.
    @inline(__always)
    mutating func member(_ key: StaticString, _ number: Int?) {
        guard let number else { return }
        literal(key)
        integer(Int64(number))
    }

    /// Writes a time in microseconds.
    @inline(__always)
    mutating func member(_ key: StaticString, _ time: Timestamp) {
        literal(key)
        integer(time.rawValue)
    }
}
