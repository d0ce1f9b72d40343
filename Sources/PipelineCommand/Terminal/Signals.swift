import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Handles SIGINT, SIGTERM and, unless ``onHangup(_:)`` was called, SIGHUP (the terminal was closed). The first signal requests an
/// orderly end. The second signal ends the process: after `onForce` has returned, but after two seconds at the latest.
///
/// A signal within half a second of the last one that counted does not count: `timeout`, for example, sends the same signal to a
/// process and then to its group.
///
/// A SIGHUP that the parent process set to be ignored, as nohup does, stays ignored.
///
/// The handler only counts the signals and writes a byte to a pipe, because a signal handler may call few functions. A separate
/// thread reads the pipe. `sigwait` cannot be used instead: it needs the signals to be blocked, and on Linux the main thread of a
/// program that uses Dispatch unblocks all signals.
enum Signals {
    private static let count = Atomic<Int32>(0)
    private static let writeEnd = Atomic<Int32>(-1)

    /// The shortest time between two signals that count, in nanoseconds.
    private static var shortestGap: Int64 { 500_000_000 }
    /// When the last signal that counted arrived, in nanoseconds of the monotonic clock.
    private static let lastTime = Atomic<Int64>(-shortestGap)

    /// What the first and the second signal do, and whether the first has arrived.
    private struct Request {
        var action: @Sendable () -> Void = {}
        var force: @Sendable () -> Void = {}
        var hasArrived = false
    }

    private static let request = Lock(Request())

    /// Calls `onFirst` on a separate thread when the first signal arrives. A later call of this function replaces both functions,
    /// and calls the new `onFirst` at once if the signal has already arrived.
    ///
    /// - Parameters:
    ///   - console: Reports that the second signal ends the process.
    ///   - onForce: Called on that thread when the second signal arrives, just before the process ends.
    static func listen(
        _ console: Console, onForce: @escaping @Sendable () -> Void = {}, _ onFirst: @escaping @Sendable () -> Void
    ) {
        let isLate = request.withLock { request in
            request.action = onFirst
            request.force = {
                onForce()
                console.error("a second signal ends the program at once; unfinished work is lost")
            }
            return request.hasArrived
        }
        if isLate { onFirst() }
        var ends: [Int32] = [-1, -1]
        guard writeEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Initialize everything that the handler uses now: the handler must not be the first to access it.
        Keys.restore()
        count.store(0, ordering: .relaxed)
        lastTime.store(-shortestGap, ordering: .relaxed)
        writeEnd.store(ends[1], ordering: .releasing)
        // The thread ends with the process.
        startThread { [readEnd = ends[0]] in
            wait(readEnd)
            arrive()
            wait(readEnd)
            request.withLock { $0.force }()
            Keys.restore()
            _exit(ExitCode.interrupted.rawValue)
        }
        for number in [SIGINT, SIGTERM] { _ = signal(number, handle) }
        _ = signal(SIGALRM) { _ in
            Keys.restore()
            _exit(ExitCode.interrupted.rawValue)
        }
        let previous = signal(SIGHUP, handle)
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { _ = signal(SIGHUP, SIG_IGN) }
    }

    /// Does what the first signal requests.
    private static func arrive() {
        let action = request.withLock { request in
            request.hasArrived = true
            return request.action
        }
        action()
    }

    /// Calls `body` on a separate thread whenever SIGHUP arrives. If the process has lost its terminal, the signal requests an
    /// orderly end instead. Does nothing if the parent process set SIGHUP to be ignored. Later calls of this function do nothing.
    ///
    /// Call this after ``listen(_:onForce:_:)``, which also sets the handler of SIGHUP.
    static func onHangup(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard hangupEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        hangupEnd.store(ends[1], ordering: .releasing)
        let hadTerminal = hasTerminal
        // The thread waits for signals until the process ends.
        startThread { [readEnd = ends[0]] in
            while true {
                wait(readEnd)
                if hadTerminal, !hasTerminal { handle(SIGHUP) } else { body() }
            }
        }
        let previous = signal(SIGHUP) { _ in
            let savedError = errno
            var byte: UInt8 = 1
            _ = write(Signals.hangupEnd.load(ordering: .acquiring), &byte, 1)
            errno = savedError
        }
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { _ = signal(SIGHUP, SIG_IGN) }
    }

    private static let hangupEnd = Atomic<Int32>(-1)

    /// Whether the process has a controlling terminal.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Waits until the pipe has a byte, and reads it.
    private static func wait(_ end: Int32) {
        var byte: UInt8 = 0
        while read(end, &byte, 1) < 0, errno == EINTR {}
    }

    private static let userEnd = Atomic<Int32>(-1)

    /// Calls `body` on a separate thread whenever SIGUSR1 arrives. Later calls of this function do nothing.
    static func onUser(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard userEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        userEnd.store(ends[1], ordering: .releasing)
        // The thread waits for signals until the process ends.
        startThread { [readEnd = ends[0]] in
            var byte: UInt8 = 0
            while true {
                let count = read(readEnd, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return }
                body()
            }
        }
        _ = signal(SIGUSR1) { _ in
            let savedError = errno
            var byte: UInt8 = 1
            _ = write(Signals.userEnd.load(ordering: .acquiring), &byte, 1)
            errno = savedError
        }
    }

    private static let handle: @convention(c) (Int32) -> Void = { _ in
        let savedError = errno
        defer { errno = savedError }
        let (now, last) = (Signals.now, Signals.lastTime.load(ordering: .relaxed))
        // Of two signals that two threads handle at the same time, one counts.
        guard now - last >= Signals.shortestGap,
            Signals.lastTime.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        let before = Signals.count.wrappingAdd(1, ordering: .relaxed).oldValue
        if before > 1 {
            Keys.restore()
            _exit(ExitCode.interrupted.rawValue)
        }
        // The thread may hang in `onFirst` or `onForce`, so the alarm ends the process after two seconds.
        if before == 1 { alarm(2) }
        var byte: UInt8 = 1
        _ = write(Signals.writeEnd.load(ordering: .acquiring), &byte, 1)
    }

    /// The time of the monotonic clock, in nanoseconds. A signal handler may call this.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
