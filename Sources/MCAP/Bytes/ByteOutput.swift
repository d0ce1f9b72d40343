#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a file is written to.
public protocol ByteOutput: AnyObject {
    /// Writes bytes: all of them, or none where what was written of them can be taken back.
    func write(_ bytes: UnsafeRawBufferPointer) throws(MCAPError)
}

/// A file in memory.
public final class MemoryOutput: ByteOutput {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
}

/// A file, or a pipe, that is open for writing.
public final class FileOutput: ByteOutput {
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    /// Makes a file, in place of what may be there.
    public convenience init(path: String) throws(MCAPError) {
        let descriptor = retrying { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        guard descriptor >= 0 else { throw .system(errno) }
        self.init(descriptor: descriptor)
    }

    /// Writes to a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: An open file.
    ///   - ownsDescriptor: Whether it is closed at the end.
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

    /// Takes back what was written last, where that can be: half a record is of no use, and takes up room on a full disk.
    private func takeBack(_ count: Int) {
        let end = lseek(descriptor, 0, SEEK_CUR)
        guard end >= count, ftruncate(descriptor, end - off_t(count)) == 0 else { return }
        _ = lseek(descriptor, end - off_t(count), SEEK_SET)
    }
}
