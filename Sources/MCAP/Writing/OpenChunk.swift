/// The chunk that is in memory, and the channels of the file. Together they are one value, so that a message is one access to it.
struct OpenChunk {
    private(set) var records = ByteBuffer()
    private(set) var table = ChannelTable()
    /// Log times and number of the messages that are in memory.
    private(set) var span = MessageSpan()

    mutating func add(_ schema: Schema) throws(MCAPError) { try table.add(schema) }

    mutating func add(_ channel: Channel) throws(MCAPError) { try table.add(channel) }

    /// Writes a message, behind the records of its channel and schema where they are not known yet; how large the chunk is then.
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

    /// Writes the records of every channel and schema that are nowhere in the file yet.
    mutating func declareAll() throws(MCAPError) { try table.declareAll(in: &records) }

    /// The chunk is in the file: begins the next.
    mutating func commit() {
        clear()
        table.commit()
    }

    /// The chunk is lost: begins the next.
    mutating func forget() {
        clear()
        table.forget()
    }

    private mutating func clear() {
        records.clear()
        span = MessageSpan()
    }
}
