/// A series of messages of one kind.
public struct Channel: Hashable, Sendable {
    /// Its number.
    public var id: UInt16
    /// The number of its schema; 0 for none.
    public var schemaID: UInt16
    /// What it is called.
    public var topic: String
    /// How its messages are written: `json`, `protobuf`, `cdr`, …
    public var messageEncoding: String
    /// What else is known of it.
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
