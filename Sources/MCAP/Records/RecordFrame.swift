/// The magic bytes that begin and end every MCAP file.
enum Magic {
    static let bytes: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
}

/// The sizes of a record's parts outside of its content, in bytes.
enum RecordFrame {
    /// The opcode and the length field before the content.
    static let prefix = 9

    /// A whole footer record, including its opcode and length field.
    static let footer = prefix + Footer.contentSize
}
