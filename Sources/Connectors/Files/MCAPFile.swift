/// The detection of files in the MCAP format.
package enum MCAPFile {
    /// The magic bytes at the start of a file.
    static let beginning: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

    /// Whether a file is to be read as MCAP: it begins with the magic bytes, whatever its name, or its name ends in `.mcap`. A file
    /// that cannot be read is judged by its name.
    package static func isRead(at path: String) -> Bool {
        if isWritten(at: path) { return true }
        guard !SystemCalls.isPipe(path), let descriptor = try? SystemCalls.openToRead(path) else { return false }
        defer { SystemCalls.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        let count = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.flatMap { try? SystemCalls.read(descriptor, into: $0, count: memory.count).get() }
        }
        return count == beginning.count && bytes == beginning
    }

    /// Whether a file of this name is written as MCAP.
    package static func isWritten(at path: String) -> Bool { path.lowercased().hasSuffix(".mcap") }
}
