/// What is wrong with a file, or could not be written.
public struct MCAPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing it is.
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

        /// The file does not begin as MCAP files do.
        public static let notMCAP = Code(value: .notMCAP)
        /// The file ends inside a record, or before its end was written.
        public static let truncated = Code(value: .truncated)
        /// A record does not hold what it must.
        public static let malformed = Code(value: .malformed)
        /// Something claims to be larger than is allowed.
        public static let tooLarge = Code(value: .tooLarge)
        /// Bytes are not those that were written.
        public static let checksum = Code(value: .checksum)
        /// A chunk cannot be unpacked, or is packed in a way that is not known.
        public static let compression = Code(value: .compression)
        /// The file has no index of its chunks.
        public static let noIndex = Code(value: .noIndex)
        /// The operating system could not read or write.
        public static let system = Code(value: .system)
        /// What a writer was given cannot stand in a file.
        public static let misuse = Code(value: .misuse)
    }

    /// What kind of thing it is.
    public var code: Code

    /// What is wrong, as a sentence without its place.
    public var message: String

    /// The byte of the file at which it is.
    public var offset: UInt64?

    /// The byte of the unpacked chunk at which it is, where `offset` is that of a chunk.
    public var offsetInChunk: UInt64?

    /// The operating system's number, of errors of reading and writing.
    public var systemError: Int32?

    /// Makes an error.
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
        return "chunk at byte \(offset), byte \(offsetInChunk) of what it holds: \(message)"
    }

    /// The same of a record inside a chunk: what was its place is its place in the chunk.
    func inside(chunkAt chunk: UInt64) -> MCAPError {
        MCAPError(code, message, at: chunk, inChunk: offset)
    }
}
