import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the file of a configuration, up to a size limit.
enum ConfigurationFile {
    /// The reason why a file cannot be read.
    struct Failure: Error {
        let diagnostic: Diagnostic
    }

    /// Reads the file at a path. Returns more than `limit` bytes if the file is larger.
    static func read(_ path: String, limit: Int) -> Result<[UInt8], Failure> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(failure(path, errno)) }
        defer { close(descriptor) }
        return read(descriptor, path, limit: limit)
    }

    /// Reads an open file or pipe. The descriptor stays open. Returns more than `limit` bytes if the file is larger.
    static func read(_ descriptor: Int32, _ path: String, limit: Int) -> Result<[UInt8], Failure> {
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return .failure(failure(path, EISDIR))
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // Stop as soon as the limit is exceeded. The caller reports a file that is too large.
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { readBytes(descriptor, $0) }
            if count < 0 { return .failure(failure(path, errno)) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return .success(bytes)
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        let (name, message): (String, String) =
            switch code {
            case ENOENT: ("file.not_found", "\(path) is not there")
            case EISDIR: ("file.directory", "\(path) is a directory, not a configuration")
            case EACCES: ("file.unreadable", "\(path) may not be read")
            default: ("file.unreadable", "\(path) cannot be read: \(String(cString: strerror(code)))")
            }
        var diagnostic = Diagnostic(.error, name, message)
        diagnostic.isEnvironmental = true
        return Failure(diagnostic: diagnostic)
    }
}

private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
    }
}
