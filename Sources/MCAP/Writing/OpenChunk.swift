/// The current chunk and the channels of the file. They are one value, so that writing a message needs only one exclusive access.
struct OpenChunk {
    private(set) var records = ByteBuffer()
    private(set) var table = ChannelTable()
    /// The log times and the number of the messages in the chunk.
    private(set) var span = MessageSpan()

    mutating func add(_ schema: Schema) throws(MCAPError) { try table.add(schema) }

    mutating func add(_ channel: Channel) throws(MCAPError) { try table.add(channel) }

    /// Writes a message, preceded by the records of its channel and schema if these are still missing. Returns the size of the
    /// chunk.
    @inline(__always)
    mutating func write(
        _ channel: UInt16, _ sequence: UInt32, _ logTime: UInt64, _ publishTime: UInt64, _ data: UnsafeRawBufferPointer,
        isSelfContained: Bool
    ) throws(MCAPError) -> Int {
        try table.declare(channel, in: &records, isSelfContained: isSelfContained)
        table.note(MessageIndex.Entry(logTime: logTime, offset: UInt64(records.count)))
        span.add(logTime)
        records.message(channel, sequence, logTime, publishTime, data)
        return records.count
    }

    /// Writes the records of all channels and schemas that are not in the file yet.
    mutating func declareAll() throws(MCAPError) { try table.declareAll(in: &records) }

    /// Starts a new chunk after this one was written.
    mutating func commit() {
        clear()
        table.commit()
    }

    /// Starts a new chunk and drops the content of this one, which was not written.
    mutating func forget() {
        clear()
        table.forget()
    }

    private mutating func clear() {
        records.clear()
        span = MessageSpan()
    }
}
