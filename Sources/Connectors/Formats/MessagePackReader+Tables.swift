import Pipeline

// Reading a table of numbers in one pass over the bytes. Every count that the document claims is checked against the bytes that are
// present.
extension MessagePackReader {
    /// The maximum number of columns in rows that are objects.
    static let maxColumns = 16

    package func table(_ names: [UInt8], into numbers: inout [Double]) -> NumberTable? {
        guard isUnread, let base = bytes.baseAddress else { return nil }
        var bytes = TableBytes(base: base, end: bytes.count, at: at)
        guard let (rows, isObject) = bytes.container() else { return nil }
        // The first row determines the width. Each number takes at least one byte, so a table cannot have more numbers than bytes
        // remain.
        var first = bytes
        guard rows > 0, !isObject || first.text() != nil, let (width, hasColumns) = first.container(), width > 0,
            !hasColumns || width <= Self.maxColumns, !rows.multipliedReportingOverflow(by: width).overflow,
            rows * width <= first.end - first.at
        else { return nil }
        let table = NumberTable(rows: rows, width: width, hasColumns: hasColumns)
        if numbers.count > rows * width { numbers.removeLast(numbers.count - rows * width) }
        if numbers.count < rows * width {
            numbers.append(contentsOf: repeatElement(0, count: rows * width - numbers.count))
        }
        let isRead = names.withUnsafeBufferPointer { names in
            numbers.withUnsafeMutableBufferPointer { numbers in
                bytes.read(table, names: isObject ? names : nil, columns, into: numbers)
            }
        }
        guard isRead else { return nil }
        tableEnd.pointee = bytes.at
        return table
    }

    package func tableColumn(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[columns[index]])
    }

    package func passTable() {
        at = tableEnd.pointee
        isUnread = false
    }
}

/// A cursor over the bytes of a document. Its functions return `nil` or false if the bytes end too early or have an unexpected
/// form.
private struct TableBytes {
    let base: UnsafeRawPointer
    let end: Int
    var at: Int

    @inline(__always)
    private func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

    @inline(__always)
    private func load<Number: FixedWidthInteger>(_ place: Int, as: Number.Type) -> Number {
        Number(bigEndian: base.loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    /// Reads the rows of a table. Returns false if a row differs from the expected shape.
    ///
    /// - Parameters:
    ///   - table: The expected shape.
    ///   - names: The expected keys of the rows if the table is an object, each preceded by its length; `nil` if the table is a
    ///     list.
    ///   - columns: Receives the ranges of the keys in the first row, if the rows are objects.
    ///   - numbers: Receives the numbers, row by row.
    mutating func read(
        _ table: NumberTable, names: UnsafeBufferPointer<UInt8>?, _ columns: UnsafeMutablePointer<Range<Int>>,
        into numbers: UnsafeMutableBufferPointer<Double>
    ) -> Bool {
        var (filled, name) = (0, 0)
        let header = table.width < 16 ? UInt8(table.hasColumns ? 0x80 : 0x90) | UInt8(table.width) : 0xC1
        for row in 0..<table.rows {
            if let names {
                guard name < names.count, let first = names.baseAddress, passText(first + name) else { return false }
                name &+= 1 &+ Int(names[name])
            }
            // The header of a row of fewer than 16 numbers is one byte.
            if at < end, byte(at) == header {
                at &+= 1
            } else {
                guard let (width, hasColumns) = container(), width == table.width, hasColumns == table.hasColumns
                else { return false }
            }
            for column in 0..<table.width {
                if table.hasColumns {
                    if row == 0 {
                        guard let key = text() else { return false }
                        columns[column] = key
                    } else if !passCopy(of: columns[column]) {
                        return false
                    }
                }
                guard let number = number() else { return false }
                numbers[filled] = number
                filled &+= 1
            }
        }
        return true
    }

    /// Moves past the header of a list or an object. Returns the number of its elements or fields.
    @inline(__always)
    mutating func container() -> (count: Int, isObject: Bool)? {
        guard at < end else { return nil }
        let first = byte(at)
        switch first {
        case 0x80...0x9F:
            at &+= 1
            return (Int(first & 15), first < 0x90)
        case 0xDC, 0xDE:
            guard end &- at >= 3 else { return nil }
            defer { at &+= 3 }
            return (Int(load(at &+ 1, as: UInt16.self)), first == 0xDE)
        case 0xDD, 0xDF:
            guard end &- at >= 5 else { return nil }
            defer { at &+= 5 }
            return (Int(load(at &+ 1, as: UInt32.self)), first == 0xDF)
        default: return nil
        }
    }

    /// Moves past a string of fewer than 32 bytes and returns its range.
    @inline(__always)
    mutating func text() -> Range<Int>? {
        guard at < end, byte(at) & 0xE0 == 0xA0 else { return nil }
        let range = (at &+ 1)..<(at &+ 1 &+ Int(byte(at) & 31))
        guard range.upperBound <= end else { return nil }
        at = range.upperBound
        return range
    }

    /// Moves past a short string that equals the earlier string at `other`.
    @inline(__always)
    mutating func passCopy(of other: Range<Int>) -> Bool {
        if other.count == 1, end &- at >= 2 {
            // Compares two bytes at once: the header of a string of one byte, and that byte.
            guard load(at, as: UInt16.self) == load(other.lowerBound &- 1, as: UInt16.self) else { return false }
            at &+= 2
            return true
        }
        guard let range = text(), range.count == other.count else { return false }
        return Self.areSame(base + range.lowerBound, base + other.lowerBound, range.count)
    }

    /// Moves past a string of fewer than 32 bytes that equals a name, which is preceded by its length.
    @inline(__always)
    mutating func passText(_ name: UnsafePointer<UInt8>) -> Bool {
        let count = Int(name[0])
        guard count < 32, end &- at > count, byte(at) == 0xA0 | name[0], Self.areSame(base + at + 1, name + 1, count)
        else { return false }
        at &+= 1 &+ count
        return true
    }

    /// Returns whether two strings of equal length have the same bytes. They are short, so a call of `memcmp` would take longer
    /// than the comparison. The last eight or four bytes may include bytes that were compared before.
    @inline(__always)
    private static func areSame(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
        @inline(__always)
        func areSame<Word: FixedWidthInteger>(_ at: Int, _: Word.Type) -> Bool {
            a.loadUnaligned(fromByteOffset: at, as: Word.self) == b.loadUnaligned(fromByteOffset: at, as: Word.self)
        }
        guard count >= 8 else {
            if count >= 4 { return areSame(0, UInt32.self) && areSame(count &- 4, UInt32.self) }
            for at in 0..<count where !areSame(at, UInt8.self) { return false }
            return true
        }
        var at = 0
        while at < count &- 8 {
            guard areSame(at, UInt64.self) else { return false }
            at &+= 8
        }
        return areSame(count &- 8, UInt64.self)
    }

    /// Reads a finite number.
    @inline(__always)
    mutating func number() -> Double? {
        // Handles the two most common forms here. Other forms are in a separate function, so that this one stays small enough to
        // inline.
        guard end &- at >= 9 else { return otherNumber() }
        switch byte(at) {
        case 0xCB:
            let value = Double(bitPattern: load(at &+ 1, as: UInt64.self))
            guard value.isFinite else { return nil }
            at &+= 9
            return value
        case 0xCE:
            defer { at &+= 5 }
            return Double(load(at &+ 1, as: UInt32.self))
        default: return otherNumber()
        }
    }

    @inline(never)
    private mutating func otherNumber() -> Double? {
        let left = end &- at
        guard left > 0 else { return nil }
        let first = byte(at)
        let (value, size): (Double, Int)
        switch first {
        case 0xCB where left >= 9: (value, size) = (Double(bitPattern: load(at &+ 1, as: UInt64.self)), 9)
        case 0xCA where left >= 5: (value, size) = (Double(Float(bitPattern: load(at &+ 1, as: UInt32.self))), 5)
        case 0...0x7F: (value, size) = (Double(first), 1)
        case 0xE0...0xFF: (value, size) = (Double(Int8(bitPattern: first)), 1)
        case 0xCC where left >= 2: (value, size) = (Double(byte(at &+ 1)), 2)
        case 0xCD where left >= 3: (value, size) = (Double(load(at &+ 1, as: UInt16.self)), 3)
        case 0xCE where left >= 5: (value, size) = (Double(load(at &+ 1, as: UInt32.self)), 5)
        case 0xD0 where left >= 2: (value, size) = (Double(Int8(bitPattern: byte(at &+ 1))), 2)
        case 0xD1 where left >= 3: (value, size) = (Double(load(at &+ 1, as: Int16.self)), 3)
        case 0xD2 where left >= 5: (value, size) = (Double(load(at &+ 1, as: Int32.self)), 5)
        default: return nil
        }
        guard value.isFinite else { return nil }
        at &+= size
        return value
    }
}
