/// A definition of the structure of messages.
public struct Schema: Hashable, Sendable {
    /// The number of the schema, from 1.
    public var id: UInt16
    /// The name.
    public var name: String
    /// The encoding of `data`: `jsonschema`, `protobuf`, …; empty if there is no schema.
    public var encoding: String
    /// The schema itself.
    public var data: [UInt8]

    public init(id: UInt16 = 0, name: String, encoding: String, data: [UInt8]) {
        self.id = id
        self.name = name
        self.encoding = encoding
        self.data = data
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        id = try fields.integer()
        guard id != 0 else { throw MCAPError(.malformed, "a schema has the number 0", at: fields.offset) }
        name = try fields.string()
        encoding = try fields.string()
        data = Array(try fields.bytes(counted: UInt32.self))
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.schema) {
            $0.integer(id)
            $0.string(name)
            $0.string(encoding)
            $0.integer(UInt32(truncatingIfNeeded: data.count))
            $0.append(data)
        }
    }
}
