/// A reader of files that are cut off or damaged. It reads everything intact: whole records, and chunks whose checksum matches. A
/// chunk without a checksum is read if all of its records can be parsed.
///
/// The reader trusts the length of a record if the record declares it twice, or if another record follows. After damage, it
/// searches for the next position at which a record begins. ``losses`` describes the parts that were skipped. If it is empty, all
/// data was read. The file's index is not required. If there is one, it supplies channels whose own records are lost.
///
/// Messages outside of chunks have no checksum of their own. Damage inside such a message cannot be located: only the checksum of
/// all the data reveals it.
public struct RecoveringReader {
    /// A part of the file that could not be read.
    public struct Loss: Hashable, Sendable {
        /// The position of the part in the file.
        public let offset: UInt64
        /// The length of the part, in bytes.
        public let length: UInt64
        /// The error that made the part unreadable.
        public let reason: MCAPError
    }

    /// The largest number of losses that are kept.
    private static let maxLosses = 1000

    let input: any ByteInput
    let probe: RecordProbe
    var scanner: RecordScanner
    private var chunk: ChunkReader?
    private var chunkPlace: (offset: UInt64, end: UInt64) = (0, 0)
    private var known = KnownChannels()
    /// The last definition of each schema and channel in the data.
    private var lastSchemas: [UInt16: Schema] = [:]
    private var lastChannels: [UInt16: Channel] = [:]
    let limits: ReadingLimits
    let unpacker = Unpacker()
    private var hasBegun = false
    private var isOver = false
    /// Whether a part of the file was skipped.
    var hasSkipped = false
    /// Whether the file stores messages in chunks, as far as is known.
    private var hasChunks = false
    /// Whether the file stores messages outside of chunks, as found before any damage.
    private var hasLooseMessages = false
    /// The true end of the current unreadable record, if it is known.
    var trueEnd: UInt64?

    /// The parts that could not be read, in the order of the file. At most the first 1000 are kept.
    public private(set) var losses: [Loss] = []
    /// The number of parts that could not be read.
    public private(set) var lossCount = 0
    /// Whether the file's index is usable.
    public let hasIndex: Bool
    /// The position in the file right after the last record that was read.
    public private(set) var readUpTo: UInt64 = 0

    /// Creates a reader, and reads the file's index if there is one.
    public init(_ input: any ByteInput, limits: ReadingLimits = ReadingLimits()) {
        (self.input, self.limits, probe) = (input, limits, RecordProbe(input))
        scanner = RecordScanner(input, limits: limits, sums: true)
        let index = try? IndexedReader(input, limits: limits)
        hasIndex = index != nil
        hasChunks = index.map { !$0.chunkIndexes.isEmpty } ?? false
        for schema in index?.schemas.values.sorted(by: { $0.id < $1.id }) ?? [] { try? known.add(schema) }
        for channel in index?.channels.values.sorted(by: { $0.id < $1.id }) ?? [] { try? known.add(channel) }
    }

    /// The channels found so far, by number.
    public var channels: [UInt16: Channel] { known.channels }

    /// The schemas found so far, by number.
    public var schemas: [UInt16: Schema] { known.schemas }

    /// Returns the next record of the data: a header, schema, channel, message, attachment or metadata. Returns `nil` when nothing
    /// is left.
    ///
    /// - Throws: Only errors of the operating system.
    public mutating func next() throws(MCAPError) -> Record? {
        while true {
            if chunk != nil, let record = nextInChunk() { return record }
            if isOver { return nil }
            if !hasBegun {
                let isMCAP = try scanner.takeMagic()
                hasBegun = true
                if !isMCAP {
                    note(MCAPError(.notMCAP, "the file does not begin like an MCAP file"), from: 0, to: 0)
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

    /// Returns the next record of the chunk. Returns `nil` at the chunk's end, or at bytes that are not a record, which count as a
    /// loss.
    private mutating func nextPlace() -> (opcode: Opcode, content: Range<Int>)? {
        do throws(MCAPError) {
            return try chunk?.next()
        } catch {
            note(error, from: chunkPlace.offset, to: chunkPlace.end)
            return nil
        }
    }

    /// Reports a message of an unknown channel as lost. Consecutive messages of the same channel and chunk share one loss.
    private mutating func noteOrphan(_ message: Message) {
        let error = MCAPError(
            .malformed,
            "messages belong to the channel \(message.channelID), whose definition is lost or contradictory",
            at: chunkPlace.offset)
        if losses.last?.reason != error { note(error, from: chunkPlace.offset, to: chunkPlace.end) }
    }

    /// Adds a schema or channel to the known ones. A definition that contradicts the known one is reported as a loss. It replaces
    /// the known one in two cases: the known one is only in the index, or the data has the new definition twice in a row.
    ///
    /// - Returns: Whether the definition applies to the messages that follow. False for other records.
    private mutating func learn(_ record: Record) -> Bool {
        var applies = false
        do throws(MCAPError) {
            switch record {
            case .schema(let schema):
                applies = lastSchemas.updateValue(schema, forKey: schema.id) ?? schema == schema
                try known.add(schema, replacing: applies)
            case .channel(let channel):
                applies = lastChannels.updateValue(channel, forKey: channel.id) ?? channel == channel
                try known.add(channel, replacing: applies)
            default: return false
            }
            return true
        } catch {
            note(error, from: chunkPlace.offset, to: chunkPlace.end)
            return applies
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
            // If the two lengths of the chunk disagree, try the other one first.
            if try probe.declaredEnd(ofChunkAt: place.offset) != place.end,
                try readChunkWithDamagedHead(at: place.offset)
            {
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

    /// Reads a message outside of chunks. Only the record that follows can confirm that it is a message.
    private mutating func looseMessage(_ place: RecordPlace) throws(MCAPError) -> Record? {
        if hasChunks, try readChunkWithDamagedHead(at: place.offset) { return nil }
        guard try isFollowed(place) else { throw wrongLength(place) }
        let message = try Message(scanner.memory, place.content, at: place.contentOffset)
        guard known.knows(message.channelID) else {
            throw MCAPError(
                .malformed,
                "a message belongs to the channel \(message.channelID), whose definition is lost or contradictory",
                at: place.contentOffset)
        }
        // In a chunked file, nothing proves that these bytes are a message: they have no checksum. So they are not accepted after
        // damage, or if they also parse completely as a record of another kind.
        if hasChunks, !hasLooseMessages {
            guard !hasSkipped, !isOfOtherKind(place) else {
                throw MCAPError(
                    .malformed, "a message is outside of the chunks, and cannot be checked", at: place.offset)
            }
        }
        if !hasSkipped { hasLooseMessages = true }
        readUpTo = place.end
        return .message(message)
    }

    /// Reads a record that is neither a message nor a chunk.
    private mutating func other(_ place: RecordPlace) throws(MCAPError) -> Record? {
        if try readChunkWithDamagedHead(at: place.offset) { return nil }
        let (record, rest) = try read(place, as: place.opcode)
        // The fields end before the record does. If another record begins right after them, the record's length is wrong. Otherwise
        // a record must follow the declared end.
        if rest > 0 {
            if place.opcode.isKnown, try isRecord(at: place.end - UInt64(rest)) {
                trueEnd = place.end - UInt64(rest)
                throw wrongLength(place)
            }
            guard try isFollowed(place) else { throw wrongLength(place) }
        }
        if (place.opcode == .header) != (readUpTo == 0), place.opcode == .header || lossCount == 0 {
            throw MCAPError(
                .malformed, place.opcode == .header ? "a second header" : "the first record is not a header",
                at: place.offset)
        }
        if place.opcode.endsData, try !isEndOfData(place, record) {
            throw MCAPError(
                .malformed, "a record of the kind \(place.opcode.rawValue) is not allowed here", at: place.offset)
        }
        chunkPlace = (place.offset, place.end)
        readUpTo = place.end
        return finish(record)
    }

    /// Parses the content of a record as if its opcode were `opcode`. Also returns the number of bytes left over.
    private func read(_ place: RecordPlace, as opcode: Opcode) throws(MCAPError) -> (record: Record?, rest: Int) {
        try scanner.memory.read(place.content, at: place.contentOffset) {
            (fields: inout FieldReader) throws(MCAPError) in
            if opcode == .messageIndex { _ = try MessageIndex(reading: &fields) }
            let record = try Record(opcode, &fields, checks: true)
            return (record, fields.remaining)
        }
    }

    /// Whether the bytes of a message also parse completely as a record of another kind.
    private func isOfOtherKind(_ place: RecordPlace) -> Bool {
        for opcode: Opcode in [.messageIndex, .header, .schema, .channel, .attachment, .metadata]
        where (try? read(place, as: opcode).rest) == 0 { return true }
        return false
    }

    /// Whether a record ends the data section, judged by its checksum or by what follows.
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

    /// Processes a record and returns it if it is to be passed to the caller.
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
                    MCAPError(.checksum, "the file is damaged, at an unknown place", at: scanner.offset), from: 0,
                    to: scanner.offset)
            }
            return nil
        case .footer, .statistics, .chunkIndex, .attachmentIndex, .metadataIndex, .summaryOffset:
            // The record that ends the data is lost. Everything before it was read or reported as a loss.
            isOver = true
            return nil
        case .message, nil: return nil
        }
    }

    mutating func note(_ error: MCAPError, from start: UInt64, to end: UInt64) {
        lossCount += 1
        guard losses.count < Self.maxLosses else { return }
        losses.append(Loss(offset: start, length: end - min(end, start), reason: error))
    }
}

extension Opcode {
    /// Whether no data follows a record of this kind.
    fileprivate var endsData: Bool {
        switch self {
        case .dataEnd, .footer, .statistics, .chunkIndex, .attachmentIndex, .metadataIndex, .summaryOffset: true
        default: false
        }
    }
}
