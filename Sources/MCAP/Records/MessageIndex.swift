/// The positions of one channel's messages in the preceding chunk.
public struct MessageIndex: Hashable, Sendable {
    /// The position of one message.
    public struct Entry: Hashable, Sendable {
        /// The log time of the message, in nanoseconds.
        public var logTime: UInt64
        /// The position of the message record in the uncompressed chunk.
        public var offset: UInt64

        public init(logTime: UInt64, offset: UInt64) {
            self.logTime = logTime
            self.offset = offset
        }
    }

    public var channelID: UInt16
    public var entries: [Entry]

    public init(channelID: UInt16, entries: [Entry]) {
        self.channelID = channelID
        self.entries = entries
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        channelID = try fields.integer()
        var entries: [Entry] = []
        try fields.pairs { (inner: inout FieldReader) throws(MCAPError) in
            entries.append(Entry(logTime: try inner.integer(), offset: try inner.integer()))
        }
        self.entries = entries
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.messageIndex) {
            $0.integer(channelID)
            $0.counted {
                for entry in entries {
                    $0.integer(entry.logTime)
                    $0.integer(entry.offset)
                }
            }
        }
    }
}
