/// What a file begins and ends with.
enum Magic {
    static let bytes: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
}

/// How long the parts of every record are that come before its content.
enum RecordFrame {
    /// An opcode and a length.
    static let prefix = 9

    /// A footer with its opcode and length.
    static let footer = prefix + Footer.contentSize
}
