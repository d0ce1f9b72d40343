import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Wakes a thread that waits in `poll`: what other threads write at one end makes the other readable.
///
/// Every writer holds the pipe, so that its descriptors are closed only after the last use.
final class WakePipe: Sendable {
    /// The end to wait for.
    let readEnd: Int32
    private let writeEnd: Int32

    /// Makes a pipe.
    init() throws(PipelineError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw .environment("zmq.too_many_sockets", "no pipe can be made: \(systemMessage(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        SystemCalls.close(readEnd)
        SystemCalls.close(writeEnd)
    }

    /// Wakes the thread; never waits itself.
    func signal() {
        var byte: UInt8 = 1
        // A full pipe is readable already.
        _ = write(writeEnd, &byte, 1)
    }

    /// Blocks the calling thread until somebody has signaled, or for so long.
    ///
    /// - Returns: Whether somebody has signaled.
    @discardableResult
    func wait(forMs milliseconds: Int = -1) -> Bool {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, Int32(clamping: milliseconds)) < 0, errno == EINTR {}
        guard item.revents != 0 else { return false }
        drain()
        return true
    }

    /// Blocks the calling thread until somebody has signaled, and leaves that for others to see.
    func pass() {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, -1) < 0, errno == EINTR {}
    }

    /// Takes out what was written.
    func drain() {
        var bytes = (UInt64(0), UInt64(0))
        while read(readEnd, &bytes, 16) > 0 {}
    }
}
