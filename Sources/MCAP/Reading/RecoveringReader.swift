/// Reads what is left of a file that is cut off or damaged: every whole record, and every chunk whose checksum is right.
///
/// Behind damage it looks for the next place where a record stands. What it passed over is told by ``losses``; nothing there
/// means that all the data was read. The file's index need not be there; where it is, it tells of channels whose own records are lost.
public struct RecoveringReader {
    /// A part of the file that could not be read.
    public struct Loss: Hashable, Sendable {
        /// Where it begins.
        public let offset: UInt64
        /// How long it is, in bytes.
        public let length: UInt64
        /// Why.
        public let reason: MCAPError
    }

    /// How many losses are kept.
    private static let mostLosses = 1000

    private let input: any ByteInput
    private var scanner: RecordScanner
    private var chunk: ChunkReader?
    private var chunkPlace: (offset: UInt64, end: UInt64) = (0, 0)
    private var known = KnownChannels()
    private let limits: ReadingLimits
    private let unpacker = Unpacker()
    private var hasBegun = false
    private var isOver = false
    private var hasSkipped = false

    /// What could not be read, in the order of the file; the first thousand.
    public private(set) var losses: [Loss] = []
    /// How many parts could not be read.
    public private(set) var lossCount = 0
    /// Whether the file's index can be used.
    public let hasIndex: Bool
    /// Where the last record ends that was read.
    public private(set) var readUpTo: UInt64 = 0

    /// Reads an input.
    public init(_ input: any ByteInput, limits: ReadingLimits = ReadingLimits()) {
        (self.input, self.limits) = (input, limits)
        scanner = RecordScanner(input, limits: limits, sums: true)
        let index = try? IndexedReader(input, limits: limits)
        hasIndex = index != nil
        for schema in index?.schemas.values.sorted(by: { $0.id < $1.id }) ?? [] { try? known.add(schema) }
        for channel in index?.channels.values.sorted(by: { $0.id < $1.id }) ?? [] { try? known.add(channel) }
    }

    /// The channels that are known, by number.
    public var channels: [UInt16: Channel] { known.channels }

    /// The schemas that are known, by number.
    public var schemas: [UInt16: Schema] { known.schemas }

    /// The next record of the data: a header, schema, channel, message, attachment or metadata; `nil` when nothing is left.
    ///
    /// - Throws: An error of the operating system only.
    public mutating func next() throws(MCAPError) -> Record? {
        while true {
            if chunk != nil, let record = nextInChunk() { return record }
            if isOver { return nil }
            if !hasBegun {
                hasBegun = true
                if try !scanner.takeMagic() {
                    note(MCAPError(.notMCAP, "the file does not begin as an MCAP file"), from: 0, to: 0)
                    try seek(passing: 0)
                }
            }
            scanner.pass()
            let start = scanner.offset
            do throws(MCAPError) {
                if let record = try nextOutside() { return record }
            } catch {
                if error.code == .system { throw error }
                try resume(after: error, from: start)
            }
        }
    }

    private mutating func nextInChunk() -> Record? {
        while let (opcode, content) = nextPlace() {
            do throws(MCAPError) {
                if opcode == .message {
                    guard let message = try chunk?.message(content) else { break }
                    if known.knows(message.channelID) { return .message(message) }
                    noteOrphan(message)
                } else if let record = try chunk?.record(opcode, content), learn(record) {
                    return record
                }
            } catch {
                note(error, from: chunkPlace.offset, to: chunkPlace.end)
            }
        }
        chunk = nil
        return nil
    }

    /// Where the next record of the chunk is; `nil` at its end, and behind what is no record.
    private mutating func nextPlace() -> (opcode: Opcode, content: Range<Int>)? {
        do throws(MCAPError) {
            return try chunk?.next()
        } catch {
            note(error, from: chunkPlace.offset, to: chunkPlace.end)
            return nil
        }
    }

    /// A message whose channel nobody knows is of no use. One loss a channel and chunk says so.
    private mutating func noteOrphan(_ message: Message) {
        let error = MCAPError(
            .malformed, "messages of the channel \(message.channelID), which is lost", at: chunkPlace.offset)
        if losses.last?.reason != error { note(error, from: chunkPlace.offset, to: chunkPlace.end) }
    }

    /// Learns of a channel or schema; false when it is none, or cannot be true.
    private mutating func learn(_ record: Record) -> Bool {
        do throws(MCAPError) {
            switch record {
            case .schema(let schema): try known.add(schema)
            case .channel(let channel): try known.add(channel)
            default: return false
            }
            return true
        } catch {
            note(error, from: chunkPlace.offset, to: chunkPlace.end)
            return false
        }
    }

    private mutating func nextOutside() throws(MCAPError) -> Record? {
        guard let place = try scanner.next() else {
            isOver = true
            note(
                MCAPError(.truncated, "the file ends before its end was written", at: scanner.offset),
                from: scanner.offset, to: scanner.offset)
            return nil
        }
        let (content, offset) = (place.content, place.contentOffset)
        switch place.opcode {
        case .message:
            let message = try Message(scanner.memory, content, at: offset)
            guard known.knows(message.channelID) else {
                throw MCAPError(.malformed, "a message of the channel \(message.channelID), which is lost", at: offset)
            }
            readUpTo = place.end
            return .message(message)
        case .chunk:
            if try !isEndOfRecord(place.end), try readChunkOfWrongLength(at: place.offset) { return nil }
            chunkPlace = (place.offset, place.end)
            chunk = try ChunkReader(
                unpacking: scanner.memory, content, at: place.offset, unpacker, limits: limits, checks: true)
            readUpTo = place.end
            return nil
        default:
            let record = try scanner.memory.read(content, at: offset) { (fields: inout FieldReader) throws(MCAPError) in
                try Record(place.opcode, &fields, checks: true)
            }
            chunkPlace = (place.offset, place.end)
            readUpTo = place.end
            return finish(record)
        }
    }

    /// What of a record is handed on.
    private mutating func finish(_ record: Record?) -> Record? {
        switch record {
        case .schema, .channel:
            guard let record, learn(record) else { return nil }
            return record
        case .header, .attachment, .metadata: return record
        case .dataEnd(let end):
            isOver = true
            if !hasSkipped, lossCount == 0, end.dataSectionCRC != 0, end.dataSectionCRC != scanner.checksum.value {
                note(
                    MCAPError(.checksum, "something is damaged, and nothing says where", at: scanner.offset), from: 0,
                    to: scanner.offset)
            }
            return nil
        case .footer, .statistics, .chunkIndex, .attachmentIndex, .metadataIndex, .summaryOffset:
            // The end of the data is lost, and everything before it was read or is told as lost.
            isOver = true
            return nil
        case .message, nil: return nil
        }
    }

    private mutating func note(_ error: MCAPError, from start: UInt64, to end: UInt64) {
        lossCount += 1
        guard losses.count < Self.mostLosses else { return }
        losses.append(Loss(offset: start, length: end - min(end, start), reason: error))
    }

    // MARK: - Behind damage

    /// Goes on behind a record that cannot be read.
    private mutating func resume(after error: MCAPError, from start: UInt64) throws(MCAPError) {
        hasSkipped = true
        if try readChunkOfWrongLength(at: start) { return }
        // Where a record follows, its length is right, and only what it holds is damaged.
        if let end = try lengthThatHolds(at: start) {
            _ = try scanner.giveUp(passing: Int(end - start))
        } else if try isChunkCutOff(at: start) {
            // Nothing follows, and what it holds cannot be checked.
            _ = try scanner.giveUp(passing: scanner.available)
            while try scanner.require(1) { _ = try scanner.giveUp(passing: scanner.available) }
        } else {
            try seek(passing: 1)
        }
        note(error, from: start, to: scanner.offset)
    }

    /// Whether a chunk begins at a place that is longer than the file, and says so twice.
    private func isChunkCutOff(at start: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, let end = try declaredEnd(ofChunkAt: start) else { return false }
        let bytes = try input.bytes(at: start, count: RecordFrame.prefix)
        let length = bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        }
        return end > size && length == end - start - UInt64(RecordFrame.prefix)
    }

    /// Reads a chunk whose record is not as long as it says, by the length of what is packed in it; false where there is none.
    private mutating func readChunkOfWrongLength(at start: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, let end = try declaredEnd(ofChunkAt: start), end <= size,
            end - start <= limits.recordBytes, try isEndOfRecord(end), try lengthThatHolds(at: start) == nil
        else { return false }
        let bytes = try input.bytes(
            at: start + UInt64(RecordFrame.prefix), count: Int(end - start) - RecordFrame.prefix)
        do throws(MCAPError) {
            chunk = try ChunkReader(
                unpacking: bytes, 0..<bytes.count, at: start, unpacker, limits: limits, checks: true)
        } catch {
            return false
        }
        hasSkipped = true
        chunkPlace = (start, end)
        readUpTo = end
        note(
            MCAPError(.malformed, "a chunk is not as long as it says; what it holds is whole", at: start), from: start,
            to: start)
        _ = try scanner.giveUp(passing: Int(end - start))
        return true
    }

    /// Where a chunk ends by the length of what is packed in it, which its record tells a second time; `nil` where there is none.
    private func declaredEnd(ofChunkAt start: UInt64) throws(MCAPError) -> UInt64? {
        let (name, packed) = (RecordFrame.prefix + 28, RecordFrame.prefix + 32)
        guard let size = input.size, size - min(size, start) >= UInt64(packed + 4 + 8) else { return nil }
        let bytes = try input.bytes(at: start, count: packed + 4 + 8)
        guard bytes[0] == Opcode.chunk.rawValue, bytes[name] <= 4, bytes[(name + 1)..<packed].allSatisfy({ $0 == 0 })
        else { return nil }
        let place = packed + Int(bytes[name])
        let length = bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        guard length < 1 << 48 else { return nil }
        return start + UInt64(place + 8) + length
    }

    /// Where the record at a place ends, if another begins there.
    private func lengthThatHolds(at start: UInt64) throws(MCAPError) -> UInt64? {
        guard let head = try head(at: start) else { return nil }
        let end = start + UInt64(RecordFrame.prefix) + head.length
        return try isEndOfRecord(end) ? end : nil
    }

    /// Looks for the next place where a record stands.
    ///
    /// - Parameter count: How many bytes are passed at once.
    private mutating func seek(passing count: Int) throws(MCAPError) {
        hasSkipped = true
        guard try scanner.giveUp(passing: count) else { return }
        while try scanner.require(RecordFrame.prefix) {
            if let size = input.size, size <= scanner.offset { break }
            guard let count = scanner.bytesToCandidate(limits) else {
                _ = try scanner.giveUp(passing: max(1, scanner.available - RecordFrame.prefix + 1))
                continue
            }
            _ = try scanner.giveUp(passing: count)
            if try isRecord(at: scanner.offset) { return }
            _ = try scanner.giveUp(passing: 1)
        }
        _ = try scanner.giveUp(passing: scanner.available)
    }

    /// Whether what stands at a place can be read as a record, and another follows.
    private func isRecord(at offset: UInt64) throws(MCAPError) -> Bool {
        guard let head = try head(at: offset) else { return false }
        let end = offset + UInt64(RecordFrame.prefix) + head.length
        guard try isEndOfRecord(end) else { return false }
        if let next = try self.head(at: end) {
            guard try isEndOfRecord(end + UInt64(RecordFrame.prefix) + next.length) else { return false }
        }
        if head.opcode == .message {
            guard head.length >= UInt64(Message.fixedSize) else { return false }
            let id = try input.bytes(at: offset + UInt64(RecordFrame.prefix), count: 2)
            return channels.isEmpty || channels[UInt16(id[0]) | UInt16(id[1]) << 8] != nil
        }
        if head.opcode == .chunk { return try declaredEnd(ofChunkAt: offset) == end }
        do throws(MCAPError) {
            guard let (place, bytes) = try input.record(at: offset, limits) else { return false }
            return try bytes.read(place.content, at: 0) { (fields: inout FieldReader) throws(MCAPError) in
                if place.opcode == .messageIndex { _ = try MessageIndex(reading: &fields) }
                return try Record(place.opcode, &fields, checks: true) != nil || place.opcode == .messageIndex
            }
        } catch {
            if error.code == .system { throw error }
            return false
        }
    }

    private func head(at offset: UInt64) throws(MCAPError) -> (opcode: Opcode, length: UInt64)? {
        guard let size = input.size, offset < size, size - offset >= UInt64(RecordFrame.prefix) else { return nil }
        let bytes = try input.bytes(at: offset, count: RecordFrame.prefix)
        let length = bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        }
        guard Opcode(rawValue: bytes[0]).isKnown, length <= size - offset - UInt64(RecordFrame.prefix) else {
            return nil
        }
        return (Opcode(rawValue: bytes[0]), length)
    }

    /// Whether a record begins at a place, or the file is over.
    private func isEndOfRecord(_ offset: UInt64) throws(MCAPError) -> Bool {
        guard let size = input.size, offset <= size else { return false }
        if offset == size { return true }
        if size - offset == UInt64(Magic.bytes.count) {
            return try input.bytes(at: offset, count: Magic.bytes.count).elementsEqual(Magic.bytes)
        }
        // What is cut off there begins as a record all the same.
        guard size - offset >= UInt64(RecordFrame.prefix) else { return true }
        let bytes = try input.bytes(at: offset, count: RecordFrame.prefix)
        guard Opcode(rawValue: bytes[0]).isKnown else { return false }
        // No record is longer than memory can hold: the upper bytes of its length are 0.
        return bytes[6] == 0 && bytes[7] == 0 && bytes[8] == 0
    }
}
