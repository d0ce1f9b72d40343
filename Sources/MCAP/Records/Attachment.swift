/// A file attached to the recording.
public struct Attachment: Hashable, Sendable {
    /// The time of recording, in nanoseconds.
    public var logTime: UInt64
    /// The time of creation, in nanoseconds; 0 if unknown.
    public var createTime: UInt64
    /// The name.
    public var name: String
    /// The media type, such as `text/plain`.
    public var mediaType: String
    /// The content.
    public var data: [UInt8]

    public init(logTime: UInt64, createTime: UInt64 = 0, name: String, mediaType: String, data: [UInt8]) {
        self.logTime = logTime
        self.createTime = createTime
        self.name = name
        self.mediaType = mediaType
        self.data = data
    }

    /// Reads the content of an attachment record.
    ///
    /// - Parameter checks: Whether the checksum is verified.
    init(reading fields: inout FieldReader, checks: Bool) throws(MCAPError) {
        logTime = try fields.integer()
        createTime = try fields.integer()
        name = try fields.string()
        mediaType = try fields.string()
        data = Array(try fields.bytes(counted: UInt64.self))
        let covered = UnsafeRawBufferPointer(rebasing: fields.bytes[..<fields.place])
        let crc: UInt32 = try fields.integer()
        if checks, crc != 0, Checksum.of(covered) != crc {
            throw MCAPError(.checksum, "the attachment \(name.debugDescription) is damaged", at: fields.offset)
        }
    }

    func write(into buffer: inout ByteBuffer, withCRC: Bool) {
        buffer.record(.attachment) {
            let start = $0.count
            $0.integer(logTime)
            $0.integer(createTime)
            $0.string(name)
            $0.string(mediaType)
            $0.integer(UInt64(data.count))
            $0.append(data)
            $0.integer(withCRC ? Checksum.of($0.bytes[start...]) : 0)
        }
    }
}
