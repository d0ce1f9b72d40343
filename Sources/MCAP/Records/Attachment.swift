/// A file inside the file.
public struct Attachment: Hashable, Sendable {
    /// When it was recorded, in nanoseconds.
    public var logTime: UInt64
    /// When it was made, in nanoseconds; 0 when not known.
    public var createTime: UInt64
    /// What it is called.
    public var name: String
    /// What it holds, such as `text/plain`.
    public var mediaType: String
    /// What it holds.
    public var data: [UInt8]

    public init(logTime: UInt64, createTime: UInt64 = 0, name: String, mediaType: String, data: [UInt8]) {
        self.logTime = logTime
        self.createTime = createTime
        self.name = name
        self.mediaType = mediaType
        self.data = data
    }

    /// - Parameter checks: Whether the checksum is compared.
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
