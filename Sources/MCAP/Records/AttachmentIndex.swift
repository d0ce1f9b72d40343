/// The position and the properties of an attachment.
public struct AttachmentIndex: Hashable, Sendable {
    /// The position of the attachment's record.
    public var offset: UInt64
    /// The length of the attachment's record, including its opcode and length field.
    public var length: UInt64
    /// The time of recording, in nanoseconds.
    public var logTime: UInt64
    /// The time of creation, in nanoseconds; 0 if unknown.
    public var createTime: UInt64
    /// The size of the content, in bytes.
    public var dataSize: UInt64
    public var name: String
    public var mediaType: String

    init(_ attachment: Attachment, offset: UInt64, length: UInt64) {
        self.offset = offset
        self.length = length
        logTime = attachment.logTime
        createTime = attachment.createTime
        dataSize = UInt64(attachment.data.count)
        name = attachment.name
        mediaType = attachment.mediaType
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        offset = try fields.integer()
        length = try fields.integer()
        logTime = try fields.integer()
        createTime = try fields.integer()
        dataSize = try fields.integer()
        name = try fields.string()
        mediaType = try fields.string()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.attachmentIndex) {
            $0.integer(offset)
            $0.integer(length)
            $0.integer(logTime)
            $0.integer(createTime)
            $0.integer(dataSize)
            $0.string(name)
            $0.string(mediaType)
        }
    }
}
