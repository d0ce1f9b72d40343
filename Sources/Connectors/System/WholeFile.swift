import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads and writes files as a whole.
package enum WholeFile {
    /// Reads a file of at most `limit` bytes.
    ///
    /// - Throws: An environment error when the file cannot be read or is larger than `limit`.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPart(of: path) { part in
            guard bytes.count + part.count <= limit else {
                throw PipelineError.environment("file.too_large", "\(path) has more than \(limit) bytes")
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    /// Returns the SHA-256 digest of a file of any size, in hexadecimal digits.
    ///
    /// - Throws: An environment error when the file cannot be read.
    package static func digest(of path: String) throws -> String {
        var digest = SHA256()
        try forEachPart(of: path) { digest.add($0) }
        return digest.hex
    }

    private static func forEachPart(of path: String, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        if case .success(let status) = SystemCalls.status(path), status.isDirectory {
            throw PipelineError.environment("file.directory", "\(path) is a directory, not a file")
        }
        let descriptor = try SystemCalls.openToRead(path)
        defer { SystemCalls.close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { memory in
                guard let base = memory.baseAddress else { return 0 }
                switch SystemCalls.read(descriptor, into: base, count: memory.count) {
                case .success(let count): return count
                case .failure(let error): throw error.reading(path)
                }
            }
            if count == 0 { return }
            try body(buffer[..<count])
        }
    }

    /// Writes a file atomically: writes a temporary file next to it, syncs that file and then renames it. If the path leads to a
    /// pipe or a device, writes to it directly.
    ///
    /// - Throws: An environment error when the file cannot be written. In that case, a regular file is unchanged.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        do { try replace(path, with: bytes) } catch let error as SystemError { throw error.writing(path) }
    }

    /// Does the same as ``write(_:to:)``, for a caller that handles some errors of the system.
    ///
    /// - Throws: A ``SystemError`` when the system refuses; an environment error for a link that leads nowhere.
    package static func replace(_ path: String, with bytes: [UInt8]) throws {
        var info = stat()
        let isThere = stat(path, &info) == 0
        if isThere, info.st_mode & S_IFMT != S_IFREG { return try pass(bytes, to: path) }
        // Keeps a symbolic link and replaces the file it points to.
        let target = try resolved(path)
        let temporary = "\(target).\(getpid()).tmp"
        let descriptor = try SystemCalls.openToWrite(temporary, O_WRONLY | O_CREAT | O_TRUNC).get()
        if isThere { _ = fchmod(descriptor, info.st_mode & 0o7777) }
        var failure: SystemError?
        if case .failure(let error) = bytes.withUnsafeBytes({ SystemCalls.write(descriptor, $0) }) { failure = error }
        if failure == nil, fsync(descriptor) != 0 { failure = SystemError(number: errno) }
        SystemCalls.close(descriptor)
        if failure == nil, rename(temporary, target) != 0 { failure = SystemError(number: errno) }
        if let failure {
            unlink(temporary)
            throw failure
        }
        syncFolder(of: target)
    }

    private static func pass(_ bytes: [UInt8], to path: String) throws {
        let descriptor = try SystemCalls.openToWrite(path, O_WRONLY).get()
        defer { SystemCalls.close(descriptor) }
        try bytes.withUnsafeBytes { SystemCalls.write(descriptor, $0) }.get()
    }

    /// Returns the path with its symbolic links resolved, or the path itself when nothing exists there.
    private static func resolved(_ path: String) throws -> String {
        guard let real = realpath(path, nil) else {
            let number = errno
            var info = stat()
            // The path is a symbolic link whose target does not exist.
            if lstat(path, &info) == 0 {
                throw PipelineError.environment(
                    "file.unwritable", "\(path) cannot be written: \(systemMessage(number))",
                    help: "remove the link, or make its target first")
            }
            return path
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// Makes the rename itself survive a crash. Some file systems cannot do this; that is not an error.
    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let descriptor = try? SystemCalls.openToRead(folder) else { return }
        _ = fsync(descriptor)
        SystemCalls.close(descriptor)
    }
}
