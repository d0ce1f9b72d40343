import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the operating system's description of an error number.
func systemMessage(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
}

/// Calls on files and descriptors that retry when interrupted and report errors as `SystemError` or `PipelineError`.
package enum SystemCalls {
    /// The type and size of the file that a path leads to.
    struct Status {
        let isDirectory: Bool
        let isRegular: Bool
        let size: Int64
    }

    /// Returns the status of the file that a path leads to, or the error.
    static func status(_ path: String) -> Result<Status, SystemError> {
        var info = stat()
        guard stat(path, &info) == 0 else { return .failure(SystemError(number: errno)) }
        let type = info.st_mode & S_IFMT
        return .success(
            Status(isDirectory: type == S_IFDIR, isRegular: type == S_IFREG, size: Int64(info.st_size)))
    }

    /// Returns whether a path leads to something that is not a folder.
    package static func isFile(_ path: String) -> Bool {
        if case .success(let status) = status(path) { !status.isDirectory } else { false }
    }

    /// Returns whether a path leads to a named pipe.
    package static func isPipe(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO
    }

    /// Returns whether a path leads to something that gives its bytes only once: a pipe, a socket or a device.
    static func isReadOnce(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && [S_IFIFO, S_IFSOCK, S_IFCHR].contains(info.st_mode & S_IFMT)
    }

    /// Returns whether there is a folder at a path. A link to a folder does not count.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Opens a file for reading.
    static func openToRead(_ path: String) throws(PipelineError) -> Int32 {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw SystemError(number: errno).reading(path) }
        return descriptor
    }

    /// Opens a file for reading. Does not wait for a writer when the file is a named pipe.
    static func openToReadAtOnce(_ path: String) throws(PipelineError) -> Int32 {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw SystemError(number: errno).reading(path) }
        makeBlocking(descriptor)
        return descriptor
    }

    /// Opens a file for writing. A new file can be read by everyone and written by its owner.
    ///
    /// Never waits: opening a named pipe that has no reader fails with `ENXIO`.
    static func openToWrite(_ path: String, _ flags: Int32) -> Result<Int32, SystemError> {
        let descriptor = retrying { open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644) }
        guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
        makeBlocking(descriptor)
        return .success(descriptor)
    }

    private static func makeBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// Returns the value of an environment variable, or `nil` when it is not set.
    static func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Returns whether a descriptor is open for reading.
    static func isReadable(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_WRONLY
    }

    /// Closes a descriptor.
    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// Reads the bytes that are available, at most `count`. Returns 0 at the end.
    static func read(
        _ descriptor: Int32, into memory: UnsafeMutableRawPointer, count: Int
    ) -> Result<Int, SystemError> {
        #if canImport(Glibc)
            let got = retrying { Glibc.read(descriptor, memory, count) }
        #else
            let got = retrying { Darwin.read(descriptor, memory, count) }
        #endif
        return got < 0 ? .failure(SystemError(number: errno)) : .success(got)
    }

    /// Writes all of `bytes`.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Result<Void, SystemError> {
        writeAsMuchAsPossible(descriptor, bytes).error.map { .failure($0) } ?? .success(())
    }

    /// Writes `bytes` until all are written or an error occurs. Returns the number of bytes written, and the error.
    static func writeAsMuchAsPossible(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
    ) -> (count: Int, error: SystemError?) {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            #if canImport(Glibc)
                let put = retrying { Glibc.write(descriptor, base, rest.count) }
            #else
                let put = retrying { Darwin.write(descriptor, base, rest.count) }
            #endif
            if put < 0 {
                guard errno == EAGAIN else { return (bytes.count - rest.count, SystemError(number: errno)) }
                // Another program that shares the descriptor may have made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
                continue
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[put...])
        }
        return (bytes.count, nil)
    }

    /// Removes the last `count` bytes written to a regular file. Returns `false`, and changes nothing, when that is impossible: for
    /// a pipe, or for a file to which another process has appended.
    static func takeBack(_ count: Int, from descriptor: Int32) -> Bool {
        var info = stat()
        let end = lseek(descriptor, 0, SEEK_CUR)
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, end >= count, info.st_size == end,
            ftruncate(descriptor, end - off_t(count)) == 0
        else { return false }
        _ = lseek(descriptor, end - off_t(count), SEEK_SET)
        return true
    }

    private static func retrying<Number: FixedWidthInteger & SignedInteger>(_ call: () -> Number) -> Number {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}

/// An error number of the operating system.
package struct SystemError: Error {
    /// The value of `errno`.
    let number: Int32

    package init(number: Int32) { self.number = number }

    /// Whether compressed data is damaged or cut off. Reading a file never fails with this number.
    var isDamage: Bool { number == EBADMSG }

    /// Whether the disk is full, or a quota is used up. A later write may succeed.
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }

    /// Returns the error to report for a file that could not be read.
    func reading(_ path: String) -> PipelineError {
        switch number {
        case ENOENT:
            .environment("file.not_found", "\(path) is not there")
        case EACCES, EPERM: .environment("file.unreadable", "\(path) may not be read: \(systemMessage(number))")
        case _ where isDamage: .environment("file.damaged", "\(path) is damaged, or cut off: it cannot be unpacked")
        default: .environment("file.unreadable", "\(path) cannot be read: \(systemMessage(number))")
        }
    }

    /// Returns the error to report for a file that could not be written.
    package func writing(_ path: String) -> PipelineError {
        guard number != ENOENT else {
            return .environment(
                "file.unwritable", "\(path) cannot be written: its folder does not exist", help: "make the folder first"
            )
        }
        return .environment("file.unwritable", "\(path) cannot be written: \(systemMessage(number))")
    }
}
