/// A record where it stands in memory: valid until the next is asked for.
struct RecordPlace {
    let opcode: Opcode
    /// Where in the file the record begins.
    let offset: UInt64
    /// Where in the scanner's memory its content is.
    let content: Range<Int>

    var contentOffset: UInt64 { offset + UInt64(RecordFrame.prefix) }

    var end: UInt64 { contentOffset + UInt64(content.count) }
}

/// Finds records one behind the other, without looking at what they hold.
struct RecordScanner {
    private(set) var window: ByteWindow
    private let limits: ReadingLimits
    private var current = 0
    /// Of all bytes that have been passed.
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

    /// Whether the file goes on with what it must begin and end with; then that is passed.
    mutating func takeMagic() throws(MCAPError) -> Bool {
        pass()
        guard try window.require(Magic.bytes.count),
            window.memory[window.place..<(window.place + Magic.bytes.count)].elementsEqual(Magic.bytes)
        else { return false }
        current = Magic.bytes.count
        pass()
        return true
    }

    /// Passes the record that was found last.
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

    /// Goes back to a place that is still in memory: so many bytes behind the beginning of the record found last.
    mutating func giveUp(passing count: Int) throws(MCAPError) -> Bool {
        current = 0
        return try window.skip(UInt64(count))
    }

    /// Makes so many bytes be there; false when the input ends before.
    mutating func require(_ count: Int) throws(MCAPError) -> Bool { try window.require(count) }

    /// How many bytes are there without reading.
    var available: Int { window.available }

    /// How far from here the first place is, among the bytes that are there, at which a record could stand; `nil` when none could.
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
