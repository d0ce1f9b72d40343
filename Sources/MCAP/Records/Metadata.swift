/// Named key-value pairs that describe the recording.
public struct Metadata: Hashable, Sendable {
    public var name: String
    public var values: [StringPair]

    public init(name: String, values: [StringPair]) {
        self.name = name
        self.values = values
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        name = try fields.string()
        values = try fields.stringMap()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.metadata) {
            $0.string(name)
            $0.stringMap(values)
        }
    }
}

/// The position of a metadata record.
public struct MetadataIndex: Hashable, Sendable {
    /// The position of the record.
    public var offset: UInt64
    /// The length of the record, including its opcode and length field.
    public var length: UInt64
    public var name: String

    init(offset: UInt64, length: UInt64, name: String) {
        self.offset = offset
        self.length = length
        self.name = name
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        offset = try fields.integer()
        length = try fields.integer()
        name = try fields.string()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.metadataIndex) {
            $0.integer(offset)
            $0.integer(length)
            $0.string(name)
        }
    }
}
