#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes text to file descriptors.
enum DescriptorOutput {
    /// Writes all of the text, and waits when the descriptor is not ready.
    ///
    /// - Returns: The system's error number if the text cannot be written; `nil` if all of it was.
    static func write(_ text: String, to file: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: file) }
    }

    /// Writes all of the bytes, and waits when the descriptor is not ready.
    ///
    /// - Returns: The system's error number if the bytes cannot be written; `nil` if all of them were.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32? {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = writeSome(file, base + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                // Another process made the stream non-blocking: wait until it accepts more.
                var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&descriptor, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    private static func writeSome(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes, count)
        #else
            Darwin.write(file, bytes, count)
        #endif
    }
}
