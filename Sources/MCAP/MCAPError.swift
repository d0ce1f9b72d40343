/// An error in reading or writing an MCAP file.
public struct MCAPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The category of an error.
    public struct Code: Hashable, Sendable {
        private enum Value: String {
            case notMCAP, truncated, malformed, tooLarge, checksum, compression, noIndex, system, misuse
        }
        private let value: Value

        /// The name of the code, for messages: `not_mcap`, `truncated`, …
        public var name: String {
            switch value {
            case .notMCAP: "not_mcap"
            case .tooLarge: "too_large"
            case .noIndex: "no_index"
            default: value.rawValue
            }
        }

        /// The file does not begin with the MCAP magic bytes.
        public static let notMCAP = Code(value: .notMCAP)
        /// The file ends inside a record, or without its footer.
        public static let truncated = Code(value: .truncated)
        /// A record violates the format.
        public static let malformed = Code(value: .malformed)
        /// A record or chunk declares a size above the ``ReadingLimits``.
        public static let tooLarge = Code(value: .tooLarge)
        /// A checksum does not match the bytes.
        public static let checksum = Code(value: .checksum)
        /// A chunk cannot be compressed or decompressed, or its compression is unknown.
        public static let compression = Code(value: .compression)
        /// The file has no usable index of its chunks.
        public static let noIndex = Code(value: .noIndex)
        /// The operating system could not read or write.
        public static let system = Code(value: .system)
        /// The caller gave a writer a value that cannot be stored in a file.
        public static let misuse = Code(value: .misuse)
    }

    /// The category of the error.
    public var code: Code

    /// A description of the error, without its position.
    public var message: String

    /// The position in the file, in bytes.
    public var offset: UInt64?

    /// The position in the uncompressed chunk, in bytes. If it is set, `offset` is the position of the chunk.
    public var offsetInChunk: UInt64?

    /// The operating system's error number, for errors with the code ``Code/system``.
    public var systemError: Int32?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, at offset: UInt64? = nil, inChunk offsetInChunk: UInt64? = nil,
        systemError: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.offsetInChunk = offsetInChunk
        self.systemError = systemError
    }

    public var description: String {
        guard let offset else { return message }
        guard let offsetInChunk else { return "byte \(offset): \(message)" }
        return "chunk at byte \(offset), byte \(offsetInChunk) of its uncompressed content: \(message)"
    }

    /// Returns the same error for a record inside a chunk. The error's offset becomes its offset in the chunk.
    func inside(chunkAt chunk: UInt64) -> MCAPError {
        MCAPError(code, message, at: chunk, inChunk: offset)
    }
}
