/// The bytes at the beginning and end of every MCAP file.
enum Magic {
    static let bytes: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
}

/// Sizes of the parts of a record outside its content, in bytes.
enum RecordFrame {
    /// The opcode and the length before the content.
    static let prefix = 9

    /// A footer with its opcode and length.
    static let footer = prefix + Footer.contentSize
}
