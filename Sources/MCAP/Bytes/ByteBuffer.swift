/// A growing byte buffer that records are encoded into. Integers are little-endian.
struct ByteBuffer {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    @inline(__always)
    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 {
            integer(UInt32(truncatingIfNeeded: $0.count))
            bytes.append(contentsOf: $0)
        }
    }

    @inline(__always)
    mutating func append(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

    @inline(__always)
    mutating func append(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }

    mutating func stringMap(_ pairs: [StringPair]) {
        counted {
            for pair in pairs {
                $0.string(pair.key)
                $0.string(pair.value)
            }
        }
    }

    /// Writes a list, preceded by its length in bytes.
    mutating func counted(_ write: (inout ByteBuffer) -> Void) {
        let start = count
        integer(UInt32(0))
        write(&self)
        replace(UInt32(truncatingIfNeeded: count - start - 4), at: start)
    }

    /// Writes a record: its opcode, its length, and the content that `write` appends.
    mutating func record(_ opcode: Opcode, _ write: (inout ByteBuffer) -> Void) {
        byte(opcode.rawValue)
        let start = count
        integer(UInt64(0))
        write(&self)
        replace(UInt64(count - start - 8), at: start)
    }

    mutating func replace<Number: FixedWidthInteger>(_ number: Number, at place: Int) {
        withUnsafeBytes(of: number.littleEndian) { source in
            bytes.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[place..<(place + source.count)]).copyMemory(from: source)
            }
        }
    }
}
