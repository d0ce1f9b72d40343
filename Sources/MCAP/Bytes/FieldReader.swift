/// A cursor that reads the fields of a record in order.
struct FieldReader {
    let bytes: UnsafeRawBufferPointer
    private(set) var place = 0
    /// The position of the content in the file, for errors.
    let offset: UInt64

    init(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        self.bytes = bytes
        self.offset = offset
    }

    var remaining: Int { bytes.count - place }

    @inline(__always)
    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(MCAPError) -> Number {
        guard remaining >= MemoryLayout<Number>.size else { throw tooShort() }
        let number = bytes.loadUnaligned(fromByteOffset: place, as: Number.self)
        place += MemoryLayout<Number>.size
        return Number(littleEndian: number)
    }

    mutating func string() throws(MCAPError) -> String {
        let count = Int(try integer(UInt32.self))
        let start = place
        let bytes = try take(count)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MCAPError(.malformed, "a text is not UTF-8", at: offset + UInt64(start))
        }
        return text
    }

    /// Reads bytes that are preceded by their count.
    mutating func bytes<Length: FixedWidthInteger & UnsignedInteger>(
        counted: Length.Type
    ) throws(MCAPError) -> UnsafeRawBufferPointer {
        let length = try integer(Length.self)
        guard let count = Int(exactly: length) else { throw tooShort() }
        return try take(count)
    }

    /// Reads a list of pairs that is preceded by its length in bytes. Calls `read` once for each pair.
    mutating func pairs(_ read: (inout FieldReader) throws(MCAPError) -> Void) throws(MCAPError) {
        let start = offset + UInt64(place) + 4
        var inner = FieldReader(try bytes(counted: UInt32.self), at: start)
        while inner.remaining > 0 { try read(&inner) }
    }

    mutating func stringMap() throws(MCAPError) -> [StringPair] {
        var map: [StringPair] = []
        try pairs { (inner: inout FieldReader) throws(MCAPError) in
            map.append(StringPair(try inner.string(), try inner.string()))
        }
        return map
    }

    private mutating func take(_ count: Int) throws(MCAPError) -> UnsafeRawBufferPointer {
        guard remaining >= count else { throw tooShort() }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<(place + count)])
    }

    private func tooShort() -> MCAPError {
        MCAPError(.malformed, "a record is too short for its fields", at: offset + UInt64(place))
    }
}
