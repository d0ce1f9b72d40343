/// The summary of a file being written.
struct SummaryRecords {
    var chunks: [ChunkIndex] = []
    var attachments: [AttachmentIndex] = []
    var metadata: [MetadataIndex] = []
    var span = MessageSpan()

    /// Writes the summary and the footer.
    ///
    /// - Parameter start: The position of the summary in the file.
    func write(into buffer: inout ByteBuffer, at start: UInt64, _ table: ChannelTable, _ options: WriterOptions) {
        let before = buffer.count
        var groups: [SummaryOffset] = []
        func group(_ opcode: Opcode, _ part: WriterOptions.Summary, _ write: (inout ByteBuffer) -> Void) {
            guard options.summary.contains(part) else { return }
            let begin = buffer.count
            write(&buffer)
            guard buffer.count > begin else { return }
            groups.append(
                SummaryOffset(
                    group: opcode, start: start + UInt64(begin - before), length: UInt64(buffer.count - begin)))
        }
        group(.schema, .schemas) { for schema in table.schemas { schema.write(into: &$0) } }
        group(.channel, .channels) { for channel in table.channels { channel.write(into: &$0) } }
        group(.statistics, .statistics) { statistics(table).write(into: &$0) }
        group(.chunkIndex, .chunkIndexes) { for index in chunks { index.write(into: &$0) } }
        group(.attachmentIndex, .attachmentIndexes) { for index in attachments { index.write(into: &$0) } }
        group(.metadataIndex, .metadataIndexes) { for index in metadata { index.write(into: &$0) } }
        let isEmpty = buffer.count == before
        let tellsGroups = options.summaryOffsets && !isEmpty
        let offsetStart = start + UInt64(buffer.count - before)
        if tellsGroups { for group in groups { group.write(into: &buffer) } }
        let footer = buffer.count
        Footer(summaryStart: isEmpty ? 0 : start, summaryOffsetStart: tellsGroups ? offsetStart : 0, summaryCRC: 0)
            .write(into: &buffer)
        guard options.checksums else { return }
        let crc = Checksum.of(buffer.bytes[before..<(footer + RecordFrame.footer - 4)])
        buffer.replace(crc, at: footer + RecordFrame.footer - 4)
    }

    private func statistics(_ table: ChannelTable) -> Statistics {
        var statistics = Statistics()
        statistics.messageCount = span.count
        statistics.schemaCount = UInt16(clamping: table.schemas.count)
        statistics.channelCount = UInt32(clamping: table.channels.count)
        statistics.attachmentCount = UInt32(clamping: attachments.count)
        statistics.metadataCount = UInt32(clamping: metadata.count)
        statistics.chunkCount = UInt32(clamping: chunks.count)
        (statistics.messageStartTime, statistics.messageEndTime) = (span.start, span.end)
        statistics.channelMessageCounts = table.counts
        return statistics
    }
}
