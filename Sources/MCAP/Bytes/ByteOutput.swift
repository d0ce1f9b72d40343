#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The destination that an MCAP file is written to.
public protocol ByteOutput: AnyObject {
    /// Writes all of the bytes. On failure, a conforming type removes the part that was already written, if it can.
    func write(_ bytes: UnsafeRawBufferPointer) throws(MCAPError)
}

/// An output that collects the file in memory.
public final class MemoryOutput: ByteOutput {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
}

/// An output that writes to a file or a pipe.
public final class FileOutput: ByteOutput {
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    /// Creates a file. An existing file at the path is truncated.
    public convenience init(path: String) throws(MCAPError) {
        let descriptor = retrying { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        guard descriptor >= 0 else { throw .system(errno) }
        self.init(descriptor: descriptor)
    }

    /// Creates an output that writes to a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for writing.
    ///   - ownsDescriptor: Whether the output closes the descriptor when it is deallocated.
    public init(descriptor: Int32, ownsDescriptor: Bool = true) {
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(MCAPError) {
        var put = 0
        while put < bytes.count {
            #if canImport(Glibc)
                let count = retrying { Glibc.write(descriptor, bytes.baseAddress.map { $0 + put }, bytes.count - put) }
            #else
                let count = retrying { Darwin.write(descriptor, bytes.baseAddress.map { $0 + put }, bytes.count - put) }
            #endif
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
                continue
            }
            guard count >= 0 else {
                let number = errno
                takeBack(put)
                throw .system(number)
            }
            put += count
        }
    }

    /// Removes the last `count` bytes written, if the output allows it. Half a record is useless and takes up space on a full disk.
    private func takeBack(_ count: Int) {
        let end = lseek(descriptor, 0, SEEK_CUR)
        guard end >= count, ftruncate(descriptor, end - off_t(count)) == 0 else { return }
        _ = lseek(descriptor, end - off_t(count), SEEK_SET)
    }
}
