import Pipeline

/// The detection of files in the MCAP format, and of paths that are not files.
package enum MCAPFile {
    /// The magic bytes at the start of a file.
    static let beginning: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

    /// Whether a file is to be read as MCAP: it begins with the magic bytes, whatever its name, or its name ends in `.mcap`. A file
    /// that cannot be read, or only once, is judged by its name.
    package static func isRead(at path: String) -> Bool {
        if isWritten(at: path) { return true }
        guard !SystemCalls.isReadOnce(path), let descriptor = try? SystemCalls.openToRead(path) else { return false }
        defer { SystemCalls.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        let count = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.flatMap { try? SystemCalls.read(descriptor, into: $0, count: memory.count).get() }
        }
        return count == beginning.count && bytes == beginning
    }

    /// Throws a configuration error if a path leads to a pipe, a socket or a device. Verbs that read a recording several
    /// times, for example to find its kind first, call this before they open it: what they read first would be missing
    /// later.
    package static func refusePipe(_ path: String) throws(PipelineError) {
        // The null device is equally empty each time.
        guard SystemCalls.isReadOnce(path), path != "/dev/null" else { return }
        throw PipelineError(
            .configuration, "recording.pipe", "\(path) is a pipe or a device, which can be read only once",
            help: "write its data to a file first")
    }

    /// Whether a file of this name is written as MCAP.
    package static func isWritten(at path: String) -> Bool { path.lowercased().hasSuffix(".mcap") }
}
