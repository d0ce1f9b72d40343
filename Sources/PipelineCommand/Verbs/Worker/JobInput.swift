import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The input of a worker: lines of text. The bytes of a recording may follow a line.
struct JobInput {
    /// The input ended in the middle of a job.
    struct Cut: Error {}

    /// A line is longer than `JobInput.longestLine`.
    struct TooLong: Error {}

    /// The maximum length of a line in bytes.
    static let longestLine = 1 << 20

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// The positions of the bytes in the buffer that were read from the descriptor and have not been used.
    private var unused = 0..<0

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads a line.
    ///
    /// - Returns: The line without its line feed, and whether there was a line feed, which the last line may lack; `nil` at the
    ///   end of the input.
    /// - Throws: ``TooLong``.
    mutating func line() throws -> (bytes: [UInt8], isEnded: Bool)? {
        var line: [UInt8] = []
        while try fill() {
            let part = buffer[unused]
            if let end = part.firstIndex(of: 0x0A) {
                line += part[..<end]
                unused = end + 1..<unused.upperBound
                if line.count > Self.longestLine { throw TooLong() }
                return (line, true)
            }
            line += part
            unused = 0..<0
            if line.count > Self.longestLine { throw TooLong() }
        }
        return line.isEmpty ? nil : (line, false)
    }

    /// Reads `count` bytes, and passes them to `body` in pieces.
    ///
    /// - Throws: ``Cut`` if the input has fewer bytes; any error that `body` throws.
    mutating func bytes(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = count
        while rest > 0 {
            guard try fill() else { throw Cut() }
            let part = unused.prefix(rest)
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
            unused = part.upperBound..<unused.upperBound
            rest -= part.count
        }
    }

    /// Reads from the descriptor if all bytes of the buffer have been used. Returns `false` at the end of the input.
    ///
    /// - Throws: An environment error if the input cannot be read.
    private mutating func fill() throws -> Bool {
        while unused.isEmpty {
            let count = buffer.withUnsafeMutableBytes { memory in
                memory.baseAddress.map { read(descriptor, $0, memory.count) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                throw PipelineError.environment(
                    "file.unreadable", "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return false }
            unused = 0..<count
        }
        return true
    }
}
