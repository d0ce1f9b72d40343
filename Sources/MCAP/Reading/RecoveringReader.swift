/// Reads what is left of a file that is cut off or damaged: every whole record, and every chunk whose checksum is right, or which
/// can be read to its end where it has none.
///
/// The length of a record is believed where the record tells it twice, or where another stands behind it. Behind damage the reader
/// looks for the next place where a record stands. What it passed over is told by ``losses``; nothing there means that all the data
/// was read. The file's index need not be there; where it is, it tells of channels whose own records are lost.
///
/// Messages outside of chunks have no checksum of their own. What is damaged in one cannot be told from what was written: only the
/// checksum of all the data says that something is.
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

    let input: any ByteInput
    let probe: RecordProbe
    var scanner: RecordScanner
    private var chunk: ChunkReader?
    private var chunkPlace: (offset: UInt64, end: UInt64) = (0, 0)
    private var known = KnownChannels()
    let limits: ReadingLimits
    let unpacker = Unpacker()
    private var hasBegun = false
    private var isOver = false
    var hasSkipped = false
    /// Whether the messages of this file stand in chunks, as far as is known.
    private var hasChunks = false
    /// Whether some stand outside of them.
    private var hasLooseMessages = false
    /// Where the record ends that cannot be read, where that is known.
    var trueEnd: UInt64?

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
        (self.input, self.limits, probe) = (input, limits, RecordProbe(input))
        scanner = RecordScanner(input, limits: limits, sums: true)
        let index = try? IndexedReader(input, limits: limits)
        hasIndex = index != nil
        hasChunks = index.map { !$0.chunkIndexes.isEmpty } ?? false
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
        switch place.opcode {
        case .message: return try looseMessage(place)
        case .chunk:
            // A length that is not told twice gives way to one at which the chunk can be read.
            if try probe.declaredEnd(ofChunkAt: place.offset) != place.end, try readChunkOfWrongHead(at: place.offset) {
                return nil
            }
            let opened = try ChunkReader(
                unpacking: scanner.memory, place.content, at: place.offset, unpacker, limits: limits, checks: true)
            try opened.requireWhole()
            begin(opened, place.offset, place.end)
            return nil
        default: return try other(place)
        }
    }

    /// A message that stands outside of chunks: nothing but what stands behind it tells whether it is one.
    private mutating func looseMessage(_ place: RecordPlace) throws(MCAPError) -> Record? {
        if hasChunks, try readChunkOfWrongHead(at: place.offset) { return nil }
        guard try isFollowed(place) else { throw wrongLength(place) }
        let message = try Message(scanner.memory, place.content, at: place.contentOffset)
        guard known.knows(message.channelID) else {
            throw MCAPError(
                .malformed, "a message of the channel \(message.channelID), which is lost", at: place.contentOffset)
        }
        // In a file of chunks it may be anything: what has no checksum is not taken for a message behind damage, nor where it is
        // a record of another kind to the last byte.
        if hasChunks, !hasLooseMessages {
            guard !hasSkipped, !isOfOtherKind(place) else {
                throw MCAPError(
                    .malformed, "a message stands outside of the chunks, and cannot be checked", at: place.offset)
            }
        }
        if !hasSkipped { hasLooseMessages = true }
        readUpTo = place.end
        return .message(message)
    }

    /// A record that is neither a message nor a chunk.
    private mutating func other(_ place: RecordPlace) throws(MCAPError) -> Record? {
        if try readChunkOfWrongHead(at: place.offset) { return nil }
        let (record, rest) = try read(place, as: place.opcode)
        // What it holds is shorter than it is: either another record begins there, and its length is wrong, or one does behind it.
        if rest > 0 {
            if place.opcode.isKnown, try isRecord(at: place.end - UInt64(rest)) {
                trueEnd = place.end - UInt64(rest)
                throw wrongLength(place)
            }
            guard try isFollowed(place) else { throw wrongLength(place) }
        }
        if (place.opcode == .header) != (readUpTo == 0), place.opcode == .header || lossCount == 0 {
            throw MCAPError(
                .malformed, place.opcode == .header ? "a second header" : "the first record is no header",
                at: place.offset)
        }
        if place.opcode.endsData, try !isEndOfData(place, record) {
            throw MCAPError(
                .malformed, "a record of the kind \(place.opcode.rawValue) stands where none may be", at: place.offset)
        }
        chunkPlace = (place.offset, place.end)
        readUpTo = place.end
        return finish(record)
    }

    /// Reads the content of a record as that of some kind, and says how much it leaves.
    private func read(_ place: RecordPlace, as opcode: Opcode) throws(MCAPError) -> (record: Record?, rest: Int) {
        try scanner.memory.read(place.content, at: place.contentOffset) {
            (fields: inout FieldReader) throws(MCAPError) in
            if opcode == .messageIndex { _ = try MessageIndex(reading: &fields) }
            let record = try Record(opcode, &fields, checks: true)
            return (record, fields.remaining)
        }
    }

    /// Whether a message is a whole record of another kind.
    private func isOfOtherKind(_ place: RecordPlace) -> Bool {
        for opcode: Opcode in [.messageIndex, .header, .schema, .channel, .attachment, .metadata]
        where (try? read(place, as: opcode).rest) == 0 { return true }
        return false
    }

    /// Whether the data ends with a record: its checksum says so, or what follows.
    private func isEndOfData(_ place: RecordPlace, _ record: Record?) throws(MCAPError) -> Bool {
        if case .dataEnd(let end) = record, end.dataSectionCRC != 0, end.dataSectionCRC == scanner.checksum.value {
            return true
        }
        return try probe.isInSummary(place.end)
    }

    mutating func begin(_ opened: ChunkReader, _ start: UInt64, _ end: UInt64) {
        (chunk, chunkPlace, readUpTo, hasChunks) = (opened, (start, end), end, true)
    }

    private func wrongLength(_ place: RecordPlace) -> MCAPError {
        MCAPError(.malformed, "a record is not as long as it says", at: place.offset)
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

    mutating func note(_ error: MCAPError, from start: UInt64, to end: UInt64) {
        lossCount += 1
        guard losses.count < Self.mostLosses else { return }
        losses.append(Loss(offset: start, length: end - min(end, start), reason: error))
    }
}

extension Opcode {
    /// Whether no data follows such a record.
    fileprivate var endsData: Bool {
        switch self {
        case .dataEnd, .footer, .statistics, .chunkIndex, .attachmentIndex, .metadataIndex, .summaryOffset: true
        default: false
        }
    }
}
