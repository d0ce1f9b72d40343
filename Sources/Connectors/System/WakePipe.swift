import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Wakes a thread that waits in `poll`: a signal from another thread makes the read end of the pipe readable.
///
/// Every writer keeps a reference to the pipe, so that its descriptors are closed only after their last use.
final class WakePipe: Sendable {
    /// The descriptor to poll.
    let readEnd: Int32
    private let writeEnd: Int32

    /// Creates the pipe.
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

    /// Wakes the thread. Never blocks.
    func signal() {
        var byte: UInt8 = 1
        // A full pipe is already readable.
        _ = write(writeEnd, &byte, 1)
    }

    /// Blocks the calling thread until the pipe is signaled or the time has passed. A negative time means no limit.
    ///
    /// - Returns: Whether the pipe was signaled.
    @discardableResult
    func wait(forMs milliseconds: Int = -1) -> Bool {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, Int32(clamping: milliseconds)) < 0, errno == EINTR {}
        guard item.revents != 0 else { return false }
        drain()
        return true
    }

    /// Blocks the calling thread until the pipe is signaled. Keeps the signal for other threads.
    func pass() {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, -1) < 0, errno == EINTR {}
    }

    /// Removes all signals.
    func drain() {
        var bytes = (UInt64(0), UInt64(0))
        while read(readEnd, &bytes, 16) > 0 {}
    }
}
