/// Checks whether a record can begin at a given position of a file. It works only for an input whose size is known, not for a pipe.
struct RecordProbe {
    private let input: any ByteInput
    /// Whether the file ends with the magic bytes. If it does, no record extends beyond the end of the file.
    let isWhole: Bool

    init(_ input: any ByteInput) {
        self.input = input
        let count = Magic.bytes.count
        let size = input.size ?? 0
        // A system error can be ignored here, because it recurs when the file is read.
        let end = size < UInt64(count) ? nil : try? input.bytes(at: size - UInt64(count), count: count)
        isWhole = end == Magic.bytes
    }

    /// Returns the opcode and length at a position, or `nil` if they cannot belong to a record in the file.
    func head(at offset: UInt64) throws(MCAPError) -> (opcode: Opcode, length: UInt64)? {
        guard let size = input.size, offset < size, size - offset >= UInt64(RecordFrame.prefix) else { return nil }
        let bytes = try input.bytes(at: offset, count: RecordFrame.prefix)
        let length = Self.length(bytes, at: 1)
        guard Opcode(rawValue: bytes[0]).isKnown, length <= size - offset - UInt64(RecordFrame.prefix) else {
            return nil
        }
        return (Opcode(rawValue: bytes[0]), length)
    }

    /// Whether a record can begin at a position, or the file ends there.
    func isEndOfRecord(_ offset: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size else { return false }
        var offset = offset
        // Skip up to eight records of unknown kinds. A record of a known kind must follow them.
        for _ in 0..<8 {
            guard offset <= size else { return false }
            let left = size - offset
            // The rest is too short for a record. In a file that was cut off, it may be the beginning of one.
            guard left >= UInt64(RecordFrame.prefix) else { return !isWhole || left == UInt64(Magic.bytes.count) }
            let bytes = try input.bytes(at: offset, count: RecordFrame.prefix)
            let (opcode, length) = (Opcode(rawValue: bytes[0]), Self.length(bytes, at: 1))
            // No record is larger than memory.
            guard opcode.rawValue != 0, length < 1 << 40 else { return false }
            guard length <= left - UInt64(RecordFrame.prefix) else { return !isWhole && opcode.isKnown }
            if opcode.isKnown { return true }
            offset += UInt64(RecordFrame.prefix) + length
        }
        return false
    }

    /// Whether the summary can continue at a position, or no further record fits there.
    func isInSummary(_ offset: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, offset <= size, size - offset >= UInt64(RecordFrame.prefix) else { return true }
        switch Opcode(rawValue: try input.bytes(at: offset, count: 1)[0]) {
        case .footer, .schema, .channel, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset:
            return true
        default: return false
        }
    }

    /// Returns the end of a chunk, computed from the length of its compressed records. This length is independent of the record's
    /// length field, so the two can be compared. Returns `nil` if the bytes are not a chunk. The opcode is not checked.
    func declaredEnd(ofChunkAt start: UInt64) throws(MCAPError) -> UInt64? {
        let (name, packed) = (RecordFrame.prefix + 28, RecordFrame.prefix + 32)
        guard let size = input.size, size - min(size, start) >= UInt64(packed + 4 + 8) else { return nil }
        let bytes = try input.bytes(at: start, count: packed + 4 + 8)
        guard bytes[name] <= 4, bytes[(name + 1)..<packed].allSatisfy({ $0 == 0 }) else { return nil }
        let place = packed + Int(bytes[name])
        let length = Self.length(bytes, at: place)
        guard length < 1 << 48 else { return nil }
        return start + UInt64(place + 8) + length
    }

    /// Whether a chunk begins at a position and extends beyond the end of the file, and both of its lengths agree.
    func isChunkCutOff(at start: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, let end = try declaredEnd(ofChunkAt: start), end > size else { return false }
        let bytes = try input.bytes(at: start, count: RecordFrame.prefix)
        return bytes[0] == Opcode.chunk.rawValue
            && Self.length(bytes, at: 1) == end - start - UInt64(RecordFrame.prefix)
    }

    private static func length(_ bytes: [UInt8], at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }
}
