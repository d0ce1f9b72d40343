/// The location of a record in memory, valid until the next record is requested.
struct RecordPlace {
    let opcode: Opcode
    /// The position of the record in the file.
    let offset: UInt64
    /// The range of its content in the scanner's memory, or in the array that was returned with it.
    let content: Range<Int>

    var contentOffset: UInt64 { offset + UInt64(RecordFrame.prefix) }

    var end: UInt64 { contentOffset + UInt64(content.count) }
}

/// A scanner that finds the records of an input in order, without parsing their contents.
struct RecordScanner {
    private(set) var window: ByteWindow
    private let limits: ReadingLimits
    private var current = 0
    /// The checksum of all records and magic bytes that were passed.
    private(set) var checksum = Checksum()
    private let sums: Bool

    /// Creates a scanner.
    ///
    /// - Parameter sums: Whether to compute the checksum of the bytes that are passed.
    init(_ input: any ByteInput, limits: ReadingLimits, sums: Bool, blockSize: Int = 1 << 20) {
        window = ByteWindow(input, blockSize: blockSize)
        self.limits = limits
        self.sums = sums
    }

    var memory: [UInt8] { window.memory }
    var offset: UInt64 { window.offset }

    /// Moves past the magic bytes of the beginning or the end, if they follow. Returns whether they did.
    mutating func takeMagic() throws(MCAPError) -> Bool {
        pass()
        guard try window.require(Magic.bytes.count),
            window.memory[window.place..<(window.place + Magic.bytes.count)].elementsEqual(Magic.bytes)
        else { return false }
        current = Magic.bytes.count
        pass()
        return true
    }

    /// Moves past the current record and adds it to the checksum.
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

    /// Returns the next record, or `nil` at the end of the input. The record stays in memory until ``pass()`` or the next call.
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

    /// Abandons the current record and moves to the position `count` bytes after its beginning. These bytes do not enter the
    /// checksum. Returns `false` if the input ends first.
    mutating func giveUp(passing count: Int) throws(MCAPError) -> Bool {
        current = 0
        return try window.skip(UInt64(count))
    }

    /// Reads until `count` bytes are in memory. Returns `false` if the input ends first.
    mutating func require(_ count: Int) throws(MCAPError) -> Bool { try window.require(count) }

    /// The number of unread bytes in memory.
    var available: Int { window.available }

    /// Returns the distance to the first position in memory at which a record could begin, or `nil` if there is none.
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
