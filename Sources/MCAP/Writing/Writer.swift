/// A writer of MCAP files: messages in chunks, an index for each chunk, and a summary at the end.
///
/// A chunk stays in memory until it is full or ``flush()`` is called. It is then written at once, together with its index. From
/// then on it is readable, even if the program ends without ``finish()``. If the chunk cannot be compressed or written, the call
/// throws and the messages of the chunk count as lost (``lostMessages``). The file can still be finished.
public final class Writer {
    private let output: any ByteOutput
    private let options: WriterOptions
    private let packer: Packer
    private var buffer = ByteBuffer()
    private var chunk = OpenChunk()
    private var summary = SummaryRecords()
    private var checksum = Checksum()
    private var isFinished = false

    /// The length of the file so far, in bytes.
    public private(set) var bytesWritten: UInt64 = 0

    /// The number of messages that could not be written.
    public private(set) var lostMessages: UInt64 = 0

    /// Creates a writer and writes the beginning of the file.
    public init(_ output: any ByteOutput, _ options: WriterOptions = WriterOptions()) throws(MCAPError) {
        self.output = output
        self.options = options
        packer = try Packer(options.compression)
        buffer.append(Magic.bytes)
        Header(profile: options.profile, library: options.library).write(into: &buffer)
        try emit()
    }

    /// The number of messages that are only in memory.
    public var pendingMessages: UInt64 { chunk.span.count }

    /// The uncompressed size of the records that are only in memory, in bytes.
    public var pendingBytes: Int { chunk.records.count }

    /// Adds a schema. Adding a different schema with the same number is an error.
    public func add(_ schema: Schema) throws(MCAPError) { try chunk.add(schema) }

    /// Adds a channel. Its schema must have been added before. Adding a different channel with the same number is an error.
    public func add(_ channel: Channel) throws(MCAPError) { try chunk.add(channel) }

    /// Writes a message of a channel that was added before.
    public func write(_ message: Message) throws(MCAPError) {
        try message.data.lend { (data) throws(MCAPError) in
            try write(
                channel: message.channelID, sequence: message.sequence, logTime: message.logTime,
                publishTime: message.publishTime, data: data)
        }
    }

    /// Writes a message whose data is at a pointer.
    public func write(
        channel: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64, data: UnsafeRawBufferPointer
    ) throws(MCAPError) {
        let size = try chunk.write(
            channel, sequence, logTime, publishTime, data, isSelfContained: options.selfContainedChunks)
        if size >= options.chunkSize ?? 256 << 10 { try flush() }
    }

    /// Writes an attachment.
    public func add(_ attachment: Attachment) throws(MCAPError) {
        attachment.write(into: &buffer, withCRC: options.checksums)
        let (start, length) = (bytesWritten, UInt64(buffer.count))
        try emit()
        summary.attachments.append(AttachmentIndex(attachment, offset: start, length: length))
    }

    /// Writes metadata.
    public func add(_ metadata: Metadata) throws(MCAPError) {
        metadata.write(into: &buffer)
        let (start, length) = (bytesWritten, UInt64(buffer.count))
        try emit()
        summary.metadata.append(MetadataIndex(offset: start, length: length, name: metadata.name))
    }

    /// Writes the current chunk, so that its messages can be read from then on.
    public func flush() throws(MCAPError) {
        guard chunk.records.count > 0 else { return }
        var index: ChunkIndex?
        do throws(MCAPError) {
            if options.chunkSize == nil {
                buffer.append(chunk.records.bytes[...])
            } else {
                index = try pack()
            }
            try emit()
        } catch {
            buffer.clear()
            lostMessages += chunk.span.count
            chunk.forget()
            throw error
        }
        summary.span.add(chunk.span)
        if let index { summary.chunks.append(index) }
        chunk.commit()
    }

    /// Discards the messages that are only in memory. They do not count as lost.
    public func discard() { chunk.forget() }

    /// Compresses the chunk and encodes it with its message indexes into the buffer.
    private func pack() throws(MCAPError) -> ChunkIndex {
        let (compression, sums, span) = (options.compression, options.checksums, chunk.span)
        var header: ChunkHeader?
        try chunk.records.bytes[...].lend { (bytes) throws(MCAPError) in
            try packer.pack(bytes) { packed in
                let made = ChunkHeader(
                    startTime: span.start, endTime: span.end, uncompressedSize: UInt64(bytes.count),
                    uncompressedCRC: sums ? Checksum.of(bytes) : 0, compression: compression,
                    compressedSize: UInt64(packed.count))
                made.write(into: &buffer, records: packed)
                header = made
            }
        }
        guard let header else { throw MCAPError(.compression, "a chunk could not be packed") }
        var index = ChunkIndex(header, start: bytesWritten, length: UInt64(buffer.count))
        if options.messageIndexes {
            for messages in chunk.table.messageIndexes {
                index.messageIndexOffsets.append(
                    .init(channelID: messages.channelID, offset: bytesWritten + UInt64(buffer.count)))
                messages.write(into: &buffer)
            }
            index.messageIndexLength = UInt64(buffer.count) - index.chunkLength
        }
        return index
    }

    /// Writes the rest of the messages, the summary and the footer. Nothing may be written afterward.
    public func finish() throws(MCAPError) {
        guard !isFinished else { return }
        try chunk.declareAll()
        try flush()
        isFinished = true
        DataEnd(dataSectionCRC: options.checksums ? checksum.value : 0).write(into: &buffer)
        try emit()
        summary.write(into: &buffer, at: bytesWritten, chunk.table, options)
        buffer.append(Magic.bytes)
        try emit()
    }

    /// Writes the buffer to the output and clears it.
    private func emit() throws(MCAPError) {
        defer { buffer.clear() }
        try buffer.bytes[...].lend { (bytes) throws(MCAPError) in
            try output.write(bytes)
            if options.checksums { checksum.add(bytes) }
            bytesWritten += UInt64(bytes.count)
        }
    }
}

/// The number of messages and the range of their log times.
struct MessageSpan {
    private(set) var count: UInt64 = 0
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64 = 0

    @inline(__always)
    mutating func add(_ time: UInt64) { add(MessageSpan(count: 1, start: time, end: time)) }

    mutating func add(_ other: MessageSpan) {
        guard other.count > 0 else { return }
        start = count == 0 ? other.start : min(start, other.start)
        end = max(end, other.end)
        count += other.count
    }
}
