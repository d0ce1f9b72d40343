import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The input of a worker: lines, some of which are followed by bytes.
struct JobInput {
    /// The input ended in the middle of a job.
    struct Cut: Error {}

    /// A line is longer than `JobInput.longestLine`.
    struct TooLong: Error {}

    /// The maximum length of a line.
    static let longestLine = 1 << 20

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// The bytes of the buffer that have been read from the descriptor and not yet been used.
    private var unused = 0..<0

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads a line, without its line feed; `nil` at the end of the input. The last line need not have a line feed.
    ///
    /// - Throws: ``TooLong``.
    mutating func line() throws -> (bytes: [UInt8], isEnded: Bool)? {
        var line: [UInt8] = []
        while fill() {
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

    /// Reads `count` bytes in pieces.
    ///
    /// - Throws: ``Cut`` if there are fewer. An error of `body`.
    mutating func bytes(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = count
        while rest > 0 {
            guard fill() else { throw Cut() }
            let part = unused.prefix(rest)
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
            unused = part.upperBound..<unused.upperBound
            rest -= part.count
        }
    }

    /// Reads from the descriptor if all bytes have been used. Returns `false` at the end.
    private mutating func fill() -> Bool {
        while unused.isEmpty {
            let count = buffer.withUnsafeMutableBytes { memory in
                memory.baseAddress.map { read(descriptor, $0, memory.count) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unused = 0..<count
        }
        return true
    }
}
