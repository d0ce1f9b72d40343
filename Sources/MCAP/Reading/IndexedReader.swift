/// A reader that uses the summary of a file. It lists the contents of the file, and reads messages in the order of their log times,
/// filtered by time and channel.
///
/// A chunk is loaded when its first message is due, so that memory holds only chunks that overlap in time.
public struct IndexedReader {
    private let input: any ByteInput
    private let limits: ReadingLimits
    private let checks: Bool
    private var known = KnownChannels()

    /// The first record of the file.
    public private(set) var header = Header()
    /// The last record of the file.
    public let footer: Footer
    /// The counts and the time span of the file, if the summary contains them.
    public private(set) var statistics: Statistics?
    /// The positions and contents of the chunks, in the order of the file.
    public private(set) var chunkIndexes: [ChunkIndex] = []
    /// The positions and properties of the attachments.
    public private(set) var attachmentIndexes: [AttachmentIndex] = []
    /// The positions and names of the metadata records.
    public private(set) var metadataIndexes: [MetadataIndex] = []

    /// The schemas of the summary, by number.
    public var schemas: [UInt16: Schema] { known.schemas }
    /// The channels of the summary, by number.
    public var channels: [UInt16: Channel] { known.channels }

    /// Creates a reader and reads the summary.
    ///
    /// - Throws: ``MCAPError/Code/noIndex`` if the file has no summary, or if the input is a pipe.
    public init(
        _ input: any ByteInput, limits: ReadingLimits = ReadingLimits(), checks: Bool = true
    ) throws(MCAPError) {
        (self.input, self.limits, self.checks) = (input, limits, checks)
        let tail = RecordFrame.footer + Magic.bytes.count
        guard let size = input.size else {
            throw MCAPError(.noIndex, "the index cannot be located, because the size of the input is unknown")
        }
        guard size >= UInt64(tail + Magic.bytes.count) else {
            throw MCAPError(.truncated, "the file is too short to have an index", at: 0)
        }
        guard try input.bytes(at: 0, count: Magic.bytes.count).elementsEqual(Magic.bytes) else {
            throw MCAPError(.notMCAP, "this is not an MCAP file: it does not start like one", at: 0)
        }
        let end = try input.bytes(at: size - UInt64(tail), count: tail)
        guard end.suffix(Magic.bytes.count).elementsEqual(Magic.bytes), end.first == Opcode.footer.rawValue else {
            throw MCAPError(.truncated, "the file ends without a footer: its end was never written", at: size)
        }
        let footerStart = size - UInt64(tail)
        footer = try end.read(RecordFrame.prefix..<RecordFrame.footer, at: footerStart + UInt64(RecordFrame.prefix)) {
            (fields: inout FieldReader) throws(MCAPError) in try Footer(reading: &fields)
        }
        guard footer.summaryStart != 0 else { throw MCAPError(.noIndex, "the file has no summary", at: footerStart) }
        guard footer.summaryStart < footerStart, footerStart - footer.summaryStart <= limits.recordBytes else {
            throw MCAPError(.malformed, "the summary is not where the footer says", at: footerStart)
        }
        try readSummary(to: footerStart)
        header = try readHeader()
    }

    private mutating func readSummary(to end: UInt64) throws(MCAPError) {
        let start = footer.summaryStart
        let length = Int(end - start)
        let bytes = try input.bytes(at: start, count: length + RecordFrame.footer)
        if checks, footer.summaryCRC != 0, Checksum.of(bytes[..<(length + RecordFrame.footer - 4)]) != footer.summaryCRC
        {
            throw MCAPError(.checksum, "the summary is damaged: its checksum does not match", at: start)
        }
        var reader = ChunkReader(bytes, 0..<length, chunkAt: start)
        do throws(MCAPError) {
            while let (opcode, content) = try reader.next() {
                let record = try bytes.read(content, at: UInt64(content.lowerBound)) {
                    (fields: inout FieldReader) throws(MCAPError) in try Record(opcode, &fields, checks: false)
                }
                switch record {
                case .schema(let schema): try known.add(schema)
                case .channel(let channel): try known.addWithoutSchema(channel)
                case .statistics(let record): statistics = record
                case .chunkIndex(let record): chunkIndexes.append(record)
                case .attachmentIndex(let record): attachmentIndexes.append(record)
                case .metadataIndex(let record): metadataIndexes.append(record)
                default: break
                }
            }
        } catch {
            throw MCAPError(error.code, error.message, at: start + (error.offsetInChunk ?? error.offset ?? 0))
        }
    }

    private func readHeader() throws(MCAPError) -> Header {
        guard case .header(let header)? = try record(.header, at: UInt64(Magic.bytes.count)) else {
            throw MCAPError(.malformed, "the first record is not a header", at: UInt64(Magic.bytes.count))
        }
        return header
    }

    /// Returns a cursor over the messages in the order of their log times. Messages with equal log times keep the order of the
    /// file.
    ///
    /// - Parameters:
    ///   - times: The range of log times, in nanoseconds, or `nil` for all.
    ///   - isWanted: Returns whether to read the messages of a channel.
    /// - Throws: ``MCAPError/Code/noIndex`` if the summary does not index all chunks.
    public func messages(
        in times: Range<UInt64>? = nil, where isWanted: @escaping (Channel) -> Bool = { _ in true }
    ) throws(MCAPError) -> MessageCursor {
        let told = statistics.map { $0.chunkCount == chunkIndexes.count && ($0.chunkCount > 0 || $0.messageCount == 0) }
        guard told ?? !chunkIndexes.isEmpty else {
            throw MCAPError(.noIndex, "the summary does not locate the messages", at: footer.summaryStart)
        }
        return MessageCursor(
            input, chunkIndexes, known, times, isWanted, limits: limits, checks: checks)
    }

    /// Reads an attachment.
    public func attachment(_ index: AttachmentIndex) throws(MCAPError) -> Attachment {
        guard case .attachment(let attachment)? = try record(.attachment, at: index.offset) else {
            throw MCAPError(.malformed, "there is no attachment where the index says", at: index.offset)
        }
        return attachment
    }

    /// Reads metadata.
    public func metadata(_ index: MetadataIndex) throws(MCAPError) -> Metadata {
        guard case .metadata(let metadata)? = try record(.metadata, at: index.offset) else {
            throw MCAPError(.malformed, "there is no metadata where the index says", at: index.offset)
        }
        return metadata
    }

    private func record(_ opcode: Opcode, at offset: UInt64) throws(MCAPError) -> Record? {
        guard let (place, bytes) = try input.record(at: offset, limits), place.opcode == opcode else { return nil }
        let checks = checks
        return try bytes.read(place.content, at: place.contentOffset) {
            (fields: inout FieldReader) throws(MCAPError) in try Record(opcode, &fields, checks: checks)
        }
    }
}

extension ByteInput {
    /// Reads `count` bytes at a position. Throws if the file is shorter.
    func bytes(at offset: UInt64, count: Int) throws(MCAPError) -> [UInt8] {
        var failure: MCAPError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, used in
            do throws(MCAPError) { used = try read(into: UnsafeMutableRawBufferPointer(room), at: offset) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard bytes.count == count else {
            throw MCAPError(.truncated, "the file ends earlier than expected", at: offset)
        }
        return bytes
    }

    /// Reads the record at a position. Returns `nil` if the position is too close to the end of the file, or if the file's size is
    /// unknown.
    func record(at offset: UInt64, _ limits: ReadingLimits) throws(MCAPError) -> (RecordPlace, [UInt8])? {
        guard let size, size >= UInt64(RecordFrame.prefix), offset <= size - UInt64(RecordFrame.prefix) else {
            return nil
        }
        let head = try bytes(at: offset, count: RecordFrame.prefix)
        let length = head.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        }
        guard length <= size - offset - UInt64(RecordFrame.prefix) else {
            throw MCAPError(.malformed, "a record of \(length) bytes does not end inside the file", at: offset)
        }
        guard length <= limits.recordBytes else {
            throw MCAPError(.tooLarge, "a record claims to be \(length) bytes long", at: offset)
        }
        let content = try bytes(at: offset + UInt64(RecordFrame.prefix), count: Int(length))
        return (RecordPlace(opcode: Opcode(rawValue: head[0]), offset: offset, content: 0..<content.count), content)
    }
}
