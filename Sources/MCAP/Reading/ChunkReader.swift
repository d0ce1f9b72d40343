/// A reader of the records in a decompressed chunk.
struct ChunkReader {
    /// The memory that contains the records.
    let memory: [UInt8]
    /// The range of the records in `memory`.
    private let range: Range<Int>
    private var place: Int
    /// The position of the chunk in the file, for errors.
    private let chunkOffset: UInt64
    /// Whether the chunk had a checksum that matched.
    private var isChecked = false

    init(_ memory: [UInt8], _ range: Range<Int>, chunkAt offset: UInt64) {
        self.memory = memory
        self.range = range
        place = range.lowerBound
        chunkOffset = offset
    }

    /// Creates a reader by decompressing a chunk and verifying its checksum.
    ///
    /// - Parameters:
    ///   - memory: The memory that contains the content of the chunk record.
    ///   - content: The range of that content in `memory`.
    ///   - offset: The position of the chunk in the file.
    init(
        unpacking memory: [UInt8], _ content: Range<Int>, at offset: UInt64, _ unpacker: Unpacker,
        limits: ReadingLimits, checks: Bool
    ) throws(MCAPError) {
        let (header, records) = try memory.read(content, at: offset + UInt64(RecordFrame.prefix)) {
            (fields: inout FieldReader) throws(MCAPError) in try ChunkHeader.read(&fields)
        }
        let packed = (content.lowerBound + records.lowerBound)..<(content.lowerBound + records.upperBound)
        if header.compression == .none {
            guard header.uncompressedSize == UInt64(packed.count) else {
                throw MCAPError(
                    .malformed, "a chunk holds \(packed.count) bytes but declares \(header.uncompressedSize)",
                    at: offset)
            }
            self.init(memory, packed, chunkAt: offset)
        } else {
            try limits.check(header, at: offset)
            let unpacked = try memory.lend(packed) { (bytes) throws(MCAPError) in
                try unpacker.unpack(bytes, header.compression, count: Int(header.uncompressedSize), at: offset)
            }
            self.init(unpacked, 0..<unpacked.count, chunkAt: offset)
        }
        if checks, header.uncompressedCRC != 0 {
            guard Checksum.of(self.memory[range]) == header.uncompressedCRC else {
                throw MCAPError(.checksum, "a chunk is damaged: its checksum does not match", at: offset)
            }
            isChecked = true
        }
    }

    /// Throws if a record of the chunk cannot be read. Reads no record if the checksum matched.
    func requireWhole() throws(MCAPError) {
        guard !isChecked else { return }
        var reader = self
        while let (opcode, content) = try reader.next() {
            if opcode == .message { _ = try message(content) } else { _ = try record(opcode, content) }
        }
    }

    /// The position of the next record in the decompressed chunk.
    var offset: UInt64 { UInt64(place - range.lowerBound) }

    /// Moves to a position in the decompressed chunk.
    mutating func seek(to offset: UInt64) { place = range.lowerBound + Int(clamping: min(offset, UInt64(range.count))) }

    /// Returns the opcode of the next record and the range of its content in `memory`, or `nil` at the end.
    @inline(__always)
    mutating func next() throws(MCAPError) -> (opcode: Opcode, content: Range<Int>)? {
        guard place < range.upperBound else { return nil }
        guard range.upperBound - place >= RecordFrame.prefix else { throw cutOff() }
        let opcode = Opcode(rawValue: memory[place])
        let length = memory.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place + 1, as: UInt64.self))
        }
        let content = place + RecordFrame.prefix
        guard length <= UInt64(range.upperBound - content) else { throw cutOff() }
        place = content + Int(length)
        return (opcode, content..<place)
    }

    /// Returns the message with this content.
    @inline(__always)
    func message(_ content: Range<Int>) throws(MCAPError) -> Message {
        do throws(MCAPError) {
            return try Message(memory, content, at: UInt64(content.lowerBound - range.lowerBound))
        } catch {
            throw error.inside(chunkAt: chunkOffset)
        }
    }

    /// Returns the channel and the log time of the message with this content.
    @inline(__always)
    func key(_ content: Range<Int>) throws(MCAPError) -> (channelID: UInt16, logTime: UInt64) {
        do throws(MCAPError) {
            let head = try Message.head(memory, content, at: UInt64(content.lowerBound - range.lowerBound))
            return (head.channelID, head.logTime)
        } catch {
            throw error.inside(chunkAt: chunkOffset)
        }
    }

    /// Returns the schema or channel with this content. Returns `nil` for an opcode that this version of the format does not
    /// define.
    func record(_ opcode: Opcode, _ content: Range<Int>) throws(MCAPError) -> Record? {
        do throws(MCAPError) {
            let place = UInt64(content.lowerBound - range.lowerBound)
            guard opcode == .schema || opcode == .channel else {
                if opcode.isKnown || opcode.rawValue == 0 {
                    throw MCAPError(
                        .malformed, "a record of the kind \(opcode.rawValue) is not allowed in a chunk", at: place)
                }
                return nil
            }
            return try memory.read(content, at: place) { (fields: inout FieldReader) throws(MCAPError) in
                try Record(opcode, &fields, checks: false)
            }
        } catch {
            throw error.inside(chunkAt: chunkOffset)
        }
    }

    private func cutOff() -> MCAPError {
        MCAPError(.malformed, "a record extends beyond the end of its chunk", at: offset).inside(chunkAt: chunkOffset)
    }
}
