import MCAP

/// A record in the description of a conformance file: field names and values, as text.
struct ConformanceRecord: Equatable {
    let type: String
    let fields: [String: String]

    init(type: String, fields: [String: String]) {
        self.type = type
        self.fields = fields
    }

    init(_ record: Record) {
        switch record {
        case .header(let header):
            self.init("Header", [("library", header.library), ("profile", header.profile)])
        case .footer(let footer):
            self.init(
                "Footer",
                [
                    ("summary_crc", footer.summaryCRC), ("summary_offset_start", footer.summaryOffsetStart),
                    ("summary_start", footer.summaryStart),
                ])
        case .schema(let schema):
            self.init(
                "Schema",
                [
                    ("data", Self.list(schema.data)), ("encoding", schema.encoding), ("id", schema.id),
                    ("name", schema.name),
                ])
        case .channel(let channel):
            self.init(
                "Channel",
                [
                    ("id", channel.id), ("message_encoding", channel.messageEncoding),
                    ("metadata", Self.map(channel.metadata)), ("schema_id", channel.schemaID),
                    ("topic", channel.topic),
                ])
        case .message(let message):
            self.init(
                "Message",
                [
                    ("channel_id", message.channelID), ("data", Self.list(message.data)),
                    ("log_time", message.logTime), ("publish_time", message.publishTime),
                    ("sequence", message.sequence),
                ])
        case .chunkIndex(let index):
            let offsets = index.messageIndexOffsets.map { "\($0.channelID)=\($0.offset)" }.joined(separator: ",")
            self.init(
                "ChunkIndex",
                [
                    ("chunk_length", index.chunkLength), ("chunk_start_offset", index.chunkStart),
                    ("compressed_size", index.compressedSize), ("compression", index.compression.rawValue),
                    ("message_end_time", index.endTime), ("message_index_length", index.messageIndexLength),
                    ("message_index_offsets", offsets), ("message_start_time", index.startTime),
                    ("uncompressed_size", index.uncompressedSize),
                ])
        case .attachment(let attachment):
            self.init(
                "Attachment",
                [
                    ("create_time", attachment.createTime), ("data", Self.list(attachment.data)),
                    ("log_time", attachment.logTime), ("media_type", attachment.mediaType),
                    ("name", attachment.name),
                ])
        case .attachmentIndex(let index):
            self.init(
                "AttachmentIndex",
                [
                    ("create_time", index.createTime), ("data_size", index.dataSize), ("length", index.length),
                    ("log_time", index.logTime), ("media_type", index.mediaType), ("name", index.name),
                    ("offset", index.offset),
                ])
        case .statistics(let all):
            let counts = all.channelMessageCounts.map { "\($0.channelID)=\($0.messages)" }.joined(separator: ",")
            self.init(
                "Statistics",
                [
                    ("attachment_count", all.attachmentCount), ("channel_count", all.channelCount),
                    ("channel_message_counts", counts), ("chunk_count", all.chunkCount),
                    ("message_count", all.messageCount), ("message_end_time", all.messageEndTime),
                    ("message_start_time", all.messageStartTime), ("metadata_count", all.metadataCount),
                    ("schema_count", all.schemaCount),
                ])
        case .metadata(let metadata):
            self.init("Metadata", [("metadata", Self.map(metadata.values)), ("name", metadata.name)])
        case .metadataIndex(let index):
            self.init("MetadataIndex", [("length", index.length), ("name", index.name), ("offset", index.offset)])
        case .summaryOffset(let offset):
            self.init(
                "SummaryOffset",
                [
                    ("group_length", offset.length), ("group_opcode", offset.group.rawValue),
                    ("group_start", offset.start),
                ])
        case .dataEnd(let end): self.init("DataEnd", [("data_section_crc", end.dataSectionCRC)])
        }
    }

    private init(_ type: String, _ fields: [(String, Any)]) {
        self.type = type
        self.fields = Dictionary(uniqueKeysWithValues: fields.map { ($0.0, "\($0.1)") })
    }

    private static func list(_ bytes: some Sequence<UInt8>) -> String { bytes.map { "\($0)" }.joined(separator: ",") }

    private static func map(_ pairs: [StringPair]) -> String {
        pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}
