/// A record of any kind, except chunks and message indexes.
public enum Record: Hashable, Sendable {
    case header(Header)
    case footer(Footer)
    case schema(Schema)
    case channel(Channel)
    case message(Message)
    case chunkIndex(ChunkIndex)
    case attachment(Attachment)
    case attachmentIndex(AttachmentIndex)
    case statistics(Statistics)
    case metadata(Metadata)
    case metadataIndex(MetadataIndex)
    case summaryOffset(SummaryOffset)
    case dataEnd(DataEnd)

    /// Reads the content of a record. Returns `nil` for chunks, messages and message indexes, and for opcodes of later versions
    /// of the format.
    ///
    /// Chunks and messages are not read here, because the readers parse them themselves.
    init?(_ opcode: Opcode, _ fields: inout FieldReader, checks: Bool) throws(MCAPError) {
        switch opcode {
        case .header: self = .header(try Header(reading: &fields))
        case .footer: self = .footer(try Footer(reading: &fields))
        case .schema: self = .schema(try Schema(reading: &fields))
        case .channel: self = .channel(try Channel(reading: &fields))
        case .chunkIndex: self = .chunkIndex(try ChunkIndex(reading: &fields))
        case .attachment: self = .attachment(try Attachment(reading: &fields, checks: checks))
        case .attachmentIndex: self = .attachmentIndex(try AttachmentIndex(reading: &fields))
        case .statistics: self = .statistics(try Statistics(reading: &fields))
        case .metadata: self = .metadata(try Metadata(reading: &fields))
        case .metadataIndex: self = .metadataIndex(try MetadataIndex(reading: &fields))
        case .summaryOffset: self = .summaryOffset(try SummaryOffset(reading: &fields))
        case .dataEnd: self = .dataEnd(try DataEnd(reading: &fields))
        case let opcode where opcode.rawValue == 0:
            throw MCAPError(.malformed, "a record has the invalid kind 0", at: fields.offset)
        default: return nil
        }
    }
}
