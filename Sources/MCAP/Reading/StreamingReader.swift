/// A reader that reads a file from beginning to end, record by record. Memory does not grow with the file: it holds one record, one
/// decompressed chunk, and the known channels.
///
/// All checksums are verified by default. The first damage is an error and ends the reading. ``RecoveringReader`` continues after
/// damage.
public struct StreamingReader {
    private var scanner: RecordScanner
    private var chunk: ChunkReader?
    private var chunkOffset: UInt64 = 0
    private var known = KnownChannels()
    private let limits: ReadingLimits
    private let checks: Bool
    private let unpacker = Unpacker()
    private var state = State.beginning
    private var summary: Checksum?
    private var summaryStart: UInt64 = 0

    private enum State { case beginning, data, summary, over }

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - input: The file, from its first byte.
    ///   - limits: The largest records and chunks that are accepted.
    ///   - checks: Whether checksums are verified.
    public init(_ input: any ByteInput, limits: ReadingLimits = ReadingLimits(), checks: Bool = true) {
        scanner = RecordScanner(input, limits: limits, sums: checks)
        self.limits = limits
        self.checks = checks
    }

    /// The channels read so far, by number.
    public var channels: [UInt16: Channel] { known.channels }

    /// The schemas read so far, by number.
    public var schemas: [UInt16: Schema] { known.schemas }

    /// The position in the file of the last record, or of the chunk that contains it.
    public var offset: UInt64 { scanner.offset }

    /// Returns the next record, or `nil` after the end of the file. Chunks are decompressed, and their records are returned one by
    /// one. Message indexes and records of later versions of the format are skipped.
    public mutating func next() throws(MCAPError) -> Record? {
        while true {
            if chunk != nil, let record = try nextInChunk() { return record }
            guard state != .over else { return nil }
            do throws(MCAPError) {
                if let record = try nextOutside() { return record }
            } catch {
                state = .over
                throw error
            }
        }
    }

    /// Returns the next message, skipping other records, or `nil` at the end.
    @inline(__always)
    public mutating func nextMessage() throws(MCAPError) -> Message? {
        while let record = try next() {
            if case .message(let message) = record { return message }
        }
        return nil
    }

    @inline(__always)
    private mutating func nextInChunk() throws(MCAPError) -> Record? {
        do throws(MCAPError) {
            while let (opcode, content) = try chunk?.next() {
                if opcode == .message {
                    guard let message = try chunk?.message(content) else { return nil }
                    guard known.knows(message.channelID) else {
                        throw MCAPError(
                            .malformed, "a message belongs to the channel \(message.channelID), which is not defined"
                        )
                        .inside(chunkAt: chunkOffset)
                    }
                    return .message(message)
                }
                guard let record = try chunk?.record(opcode, content) else { continue }
                try learn(record, at: chunkOffset)
                return record
            }
        } catch {
            (chunk, state) = (nil, .over)
            throw error
        }
        chunk = nil
        return nil
    }

    private mutating func learn(_ record: Record, at offset: UInt64) throws(MCAPError) {
        do throws(MCAPError) {
            if case .schema(let schema) = record { try known.add(schema) }
            if case .channel(let channel) = record { try known.add(channel) }
        } catch {
            throw MCAPError(error.code, error.message, at: offset)
        }
    }

    private mutating func nextOutside() throws(MCAPError) -> Record? {
        if state == .beginning {
            guard try scanner.takeMagic() else {
                throw MCAPError(.notMCAP, "this is not an MCAP file: it does not start like one", at: 0)
            }
        }
        guard let place = try scanner.next() else {
            throw MCAPError(.truncated, "the file ends without a footer: its end was never written", at: scanner.offset)
        }
        if state == .beginning, place.opcode != .header {
            throw MCAPError(.malformed, "the first record is not a header", at: place.offset)
        }
        if state == .summary { addToSummary(place) }
        switch place.opcode {
        case .message where state == .data:
            let message = try Message(scanner.memory, place.content, at: place.contentOffset)
            guard known.knows(message.channelID) else {
                throw MCAPError(
                    .malformed, "a message belongs to the channel \(message.channelID), which is not defined",
                    at: place.offset)
            }
            return .message(message)
        case .chunk where state == .data:
            chunkOffset = place.offset
            chunk = try ChunkReader(
                unpacking: scanner.memory, place.content, at: place.offset, unpacker, limits: limits, checks: checks)
            return nil
        default: return try other(place)
        }
    }

    /// Reads a record that is neither a message nor a chunk.
    private mutating func other(_ place: RecordPlace) throws(MCAPError) -> Record? {
        let checks = checks
        let record = try scanner.memory.read(place.content, at: place.contentOffset) {
            (fields: inout FieldReader) throws(MCAPError) in try Record(place.opcode, &fields, checks: checks)
        }
        guard place.opcode.isAllowed(inSummary: state == .summary, first: state == .beginning) else {
            throw MCAPError(
                .malformed, "a record of the kind \(place.opcode.rawValue) is not allowed here", at: place.offset)
        }
        if state == .beginning { state = .data }
        guard let record else { return nil }
        try learn(record, at: place.offset)
        switch record {
        case .dataEnd(let end):
            if checks, end.dataSectionCRC != 0, end.dataSectionCRC != scanner.checksum.value {
                throw MCAPError(
                    .checksum, "the data before this position is damaged: its checksum does not match",
                    at: place.offset)
            }
            state = .summary
            summary = Checksum()
            summaryStart = place.end
        case .footer(let footer): try finish(footer, place)
        default: break
        }
        return record
    }

    private mutating func addToSummary(_ place: RecordPlace) {
        let isFooter = place.opcode == .footer
        let start = place.content.lowerBound - RecordFrame.prefix
        // The summary checksum does not cover its own field in the footer.
        let end = isFooter ? place.content.lowerBound + min(16, place.content.count) : place.content.upperBound
        scanner.memory.withUnsafeBytes { summary?.add(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    private mutating func finish(_ footer: Footer, _ place: RecordPlace) throws(MCAPError) {
        state = .over
        if checks, footer.summaryCRC != 0, footer.summaryStart == 0 || footer.summaryStart == summaryStart,
            footer.summaryCRC != summary?.value
        {
            throw MCAPError(.checksum, "the summary is damaged: its checksum does not match", at: summaryStart)
        }
        guard footer.summaryStart == 0 || footer.summaryStart == summaryStart else {
            throw MCAPError(
                .malformed,
                "the footer says that the summary begins at byte \(footer.summaryStart), but it begins at \(summaryStart)",
                at: place.offset)
        }
        guard try scanner.takeMagic() else {
            throw MCAPError(.truncated, "the file does not end like an MCAP file", at: scanner.offset)
        }
    }
}

extension Opcode {
    /// Whether a record of this kind may appear in a section of a file, outside of chunks.
    fileprivate func isAllowed(inSummary: Bool, first: Bool) -> Bool {
        switch self {
        case .header: first
        case .schema, .channel: !first
        case .message, .chunk, .messageIndex, .attachment, .metadata, .dataEnd: !inSummary && !first
        case .footer, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset: inSummary
        default: true
        }
    }
}
