import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends another thread's wait for input: writes to a pipe that the waiting thread polls.
final class Waker: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// Creates the pipe.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PipelineError.environment("system.pipe", "no pipe could be made: \(systemMessage(errno))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait and every later one.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits until the descriptor has input or is at its end. Returns `false` when `wake()` ended the wait instead.
    func waitForInput(on descriptor: Int32) -> Bool {
        while true {
            var watched = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&watched, 2, -1)
            if count < 0, errno == EINTR { continue }
            return watched[1].revents == 0
        }
    }
}
