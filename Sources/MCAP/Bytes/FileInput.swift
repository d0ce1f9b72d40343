#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An input that reads a file or a pipe.
public final class FileInput: ByteInput {
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    public let size: UInt64?

    /// Creates an input that opens a file for reading.
    public convenience init(path: String) throws(MCAPError) {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(errno) }
        self.init(descriptor: descriptor)
    }

    /// Creates an input that reads from a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for reading.
    ///   - ownsDescriptor: Whether the input closes the descriptor when it is deallocated.
    public init(descriptor: Int32, ownsDescriptor: Bool = true) {
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        var info = stat()
        let isRegular = fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
        size = isRegular ? UInt64(info.st_size) : nil
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    public func read(into room: UnsafeMutableRawBufferPointer) throws(MCAPError) -> Int {
        #if canImport(Glibc)
            let count = retrying { Glibc.read(descriptor, room.baseAddress, room.count) }
        #else
            let count = retrying { Darwin.read(descriptor, room.baseAddress, room.count) }
        #endif
        guard count >= 0 else { throw .system(errno) }
        return count
    }

    public func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MCAPError) -> Int {
        guard let start = off_t(exactly: offset) else { return 0 }
        var got = 0
        while got < room.count {
            let count = retrying {
                pread(descriptor, room.baseAddress.map { $0 + got }, room.count - got, start + off_t(got))
            }
            guard count >= 0 else { throw .system(errno) }
            if count == 0 { break }
            got += count
        }
        return got
    }
}

/// Repeats a system call as long as a signal interrupts it (`EINTR`).
func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

extension MCAPError {
    /// Creates an error from an error number of the operating system.
    static func system(_ number: Int32) -> MCAPError {
        MCAPError(
            .system, strerror(number).map { String(cString: $0) } ?? "error \(number)", systemError: number)
    }
}
