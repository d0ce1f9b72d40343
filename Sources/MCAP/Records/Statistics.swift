/// The counts and the time span of a file.
public struct Statistics: Hashable, Sendable {
    /// The number of messages of a channel.
    public struct ChannelCount: Hashable, Sendable {
        public var channelID: UInt16
        public var messages: UInt64

        public init(channelID: UInt16, messages: UInt64) {
            self.channelID = channelID
            self.messages = messages
        }
    }

    public var messageCount: UInt64 = 0
    public var schemaCount: UInt16 = 0
    public var channelCount: UInt32 = 0
    public var attachmentCount: UInt32 = 0
    public var metadataCount: UInt32 = 0
    public var chunkCount: UInt32 = 0
    /// The earliest log time, in nanoseconds; 0 if the file has no messages.
    public var messageStartTime: UInt64 = 0
    /// The latest log time, in nanoseconds; 0 if the file has no messages.
    public var messageEndTime: UInt64 = 0
    public var channelMessageCounts: [ChannelCount] = []

    public init() {}

    init(reading fields: inout FieldReader) throws(MCAPError) {
        messageCount = try fields.integer()
        schemaCount = try fields.integer()
        channelCount = try fields.integer()
        attachmentCount = try fields.integer()
        metadataCount = try fields.integer()
        chunkCount = try fields.integer()
        messageStartTime = try fields.integer()
        messageEndTime = try fields.integer()
        var counts: [ChannelCount] = []
        try fields.pairs { (inner: inout FieldReader) throws(MCAPError) in
            counts.append(ChannelCount(channelID: try inner.integer(), messages: try inner.integer()))
        }
        channelMessageCounts = counts
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.statistics) {
            $0.integer(messageCount)
            $0.integer(schemaCount)
            $0.integer(channelCount)
            $0.integer(attachmentCount)
            $0.integer(metadataCount)
            $0.integer(chunkCount)
            $0.integer(messageStartTime)
            $0.integer(messageEndTime)
            $0.counted {
                for count in channelMessageCounts {
                    $0.integer(count.channelID)
                    $0.integer(count.messages)
                }
            }
        }
    }
}
