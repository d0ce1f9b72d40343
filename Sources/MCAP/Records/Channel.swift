/// A series of messages with the same topic, schema and encoding.
public struct Channel: Hashable, Sendable {
    /// The number of the channel.
    public var id: UInt16
    /// The number of its schema; 0 if it has none.
    public var schemaID: UInt16
    /// The topic.
    public var topic: String
    /// The encoding of its messages: `json`, `protobuf`, `cdr`, …
    public var messageEncoding: String
    /// Key-value pairs for applications.
    public var metadata: [StringPair]

    public init(
        id: UInt16 = 0, schemaID: UInt16 = 0, topic: String, messageEncoding: String, metadata: [StringPair] = []
    ) {
        self.id = id
        self.schemaID = schemaID
        self.topic = topic
        self.messageEncoding = messageEncoding
        self.metadata = metadata
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        id = try fields.integer()
        schemaID = try fields.integer()
        topic = try fields.string()
        messageEncoding = try fields.string()
        metadata = try fields.stringMap()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.channel) {
            $0.integer(id)
            $0.integer(schemaID)
            $0.string(topic)
            $0.string(messageEncoding)
            $0.stringMap(metadata)
        }
    }
}
