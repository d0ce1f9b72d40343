import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writing to file descriptors.
enum OutputFile {
    /// Writes everything, waiting where it has to.
    ///
    /// - Returns: The system's error number when it cannot be written; `nil` when all is.
    static func write(_ text: String, to file: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { write($0, to: file) }
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to file: Int32) -> Int32? {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = writeSome(file, base + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                // Somebody else made the stream non-blocking: wait until it takes more.
                var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&descriptor, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Refuses to write a picture into a file whose name promises another kind.
    ///
    /// - Parameter help: What to do for a file of the other kind.
    static func checkEnding(of path: String?, _ format: String, _ help: String) throws(UsageError) {
        guard let path, let point = path.lastIndex(of: "."), !path[point...].contains("/") else { return }
        let ending = path[path.index(after: point)...].lowercased()
        guard ending != format, ["svg", "png", "jpg", "jpeg", "gif", "pdf"].contains(ending) else { return }
        throw UsageError("\(path) ends in .\(ending), and what is written is \(format.uppercased())", help: help)
    }

    /// Whether there is something at a path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// How many bytes there are at a path; `nil` when nothing is there.
    static func size(_ path: String) -> Int64? {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : nil
    }

    /// Refuses to write over a file that a command reads.
    ///
    /// - Parameters:
    ///   - path: What would be written.
    ///   - flag: The flag that names it.
    ///   - inputs: What is read.
    /// - Throws: A usage error.
    static func refuse(_ path: String, of flag: FlagDescription, over inputs: [String]) throws {
        guard let identity = FileIdentity(path), let input = inputs.first(where: { FileIdentity($0) == identity })
        else { return }
        throw UsageError("--\(flag.name) would write over \(input), which is read", help: "give it another file")
    }

    /// Whether there is a folder at a path.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    private static func writeSome(_ file: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes, count)
        #else
            Darwin.write(file, bytes, count)
        #endif
    }
}
