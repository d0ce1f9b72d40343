/// A record in memory, valid until the next is requested.
struct RecordPlace {
    let opcode: Opcode
    /// The position of the record in the file.
    let offset: UInt64
    /// The range of its content in the scanner's memory.
    let content: Range<Int>

    var contentOffset: UInt64 { offset + UInt64(RecordFrame.prefix) }

    var end: UInt64 { contentOffset + UInt64(content.count) }
}

/// Finds one record after the other, without reading their contents.
struct RecordScanner {
    private(set) var window: ByteWindow
    private let limits: ReadingLimits
    private var current = 0
    /// The checksum of all bytes that have been passed.
    private(set) var checksum = Checksum()
    private let sums: Bool

    /// - Parameter sums: Whether a checksum of what is passed is kept.
    init(_ input: any ByteInput, limits: ReadingLimits, sums: Bool, blockSize: Int = 1 << 20) {
        window = ByteWindow(input, blockSize: blockSize)
        self.limits = limits
        self.sums = sums
    }

    var memory: [UInt8] { window.memory }
    var offset: UInt64 { window.offset }

    /// Whether the magic bytes of the beginning and the end follow; if so, they are passed.
    mutating func takeMagic() throws(MCAPError) -> Bool {
        pass()
        guard try window.require(Magic.bytes.count),
            window.memory[window.place..<(window.place + Magic.bytes.count)].elementsEqual(Magic.bytes)
        else { return false }
        current = Magic.bytes.count
        pass()
        return true
    }

    /// Passes the last record.
    mutating func pass() {
        guard current > 0 else { return }
        if sums {
            window.memory.withUnsafeBytes {
                checksum.add(UnsafeRawBufferPointer(rebasing: $0[window.place..<(window.place + current)]))
            }
        }
        window.advance(current)
        current = 0
    }

    /// The next record; `nil` at the end of the input. It stays until ``pass()``, or until the next is asked for.
    mutating func next() throws(MCAPError) -> RecordPlace? {
        pass()
        let start = window.offset
        guard try window.require(RecordFrame.prefix) else {
            if window.available == 0 { return nil }
            throw MCAPError(.truncated, "the file ends inside a record", at: start)
        }
        let opcode = Opcode(rawValue: window.memory[window.place])
        let length = window.memory.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: window.place + 1, as: UInt64.self))
        }
        if let remaining = window.remaining, length > remaining - min(remaining, UInt64(RecordFrame.prefix)) {
            throw MCAPError(
                .truncated, "a record of \(length) bytes is cut off: the file ends before it does", at: start)
        }
        guard length <= limits.recordBytes, let count = Int(exactly: length) else {
            throw MCAPError(.tooLarge, "a record claims to be \(length) bytes long", at: start)
        }
        guard try window.require(RecordFrame.prefix + count) else {
            throw MCAPError(
                .truncated, "a record of \(length) bytes is cut off: the file ends before it does", at: start)
        }
        current = RecordFrame.prefix + count
        let content = window.place + RecordFrame.prefix
        return RecordPlace(opcode: opcode, offset: start, content: content..<(content + count))
    }

    /// Goes back to a position in memory: this many bytes after the beginning of the last record.
    mutating func giveUp(passing count: Int) throws(MCAPError) -> Bool {
        current = 0
        return try window.skip(UInt64(count))
    }

    /// Reads until this many bytes are in memory; false when the input ends before.
    mutating func require(_ count: Int) throws(MCAPError) -> Bool { try window.require(count) }

    /// The number of bytes in memory.
    var available: Int { window.available }

    /// The distance to the first position in memory at which a record could begin; `nil` without one.
    func bytesToCandidate(_ limits: ReadingLimits) -> Int? {
        window.memory.withUnsafeBytes { bytes in
            var place = window.place
            while place + RecordFrame.prefix <= bytes.count {
                if (0x01...0x0F).contains(bytes[place]),
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 1, as: UInt64.self))
                        <= limits.recordBytes
                {
                    return place - window.place
                }
                place += 1
            }
            return nil
        }
    }
}
