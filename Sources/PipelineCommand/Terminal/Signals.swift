import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Handles SIGINT, SIGTERM and, unless ``onHangup(_:)`` was called, SIGHUP (the terminal has gone). The first signal asks for an
/// orderly end. The second ends the process at once, or within two seconds if there is something to do before.
///
/// A SIGHUP that the parent process set to be ignored, as nohup does, stays ignored.
///
/// A handler may do very little: it counts, and writes a byte to a pipe that a separate thread reads. Waiting for blocked signals
/// with `sigwait` does not work, because on Linux the main thread of a program that uses Dispatch unblocks all signals.
enum Signals {
    private static let count = Atomic<Int32>(0)
    private static let writeEnd = Atomic<Int32>(-1)

    /// Whether there is something to do before the second signal ends the process.
    private static let isForcedByThread = Atomic<Bool>(false)

    /// Calls `onFirst` on its own thread when the first signal arrives. Later calls of this function do nothing.
    ///
    /// - Parameter onForce: Called on that thread when the second signal arrives.
    static func listen(onForce: (@Sendable () -> Void)? = nil, _ onFirst: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard writeEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Initialize everything that the handler uses now: the handler must not be the first to access it.
        Keys.restore()
        count.store(0, ordering: .relaxed)
        isForcedByThread.store(onForce != nil, ordering: .relaxed)
        writeEnd.store(ends[1], ordering: .releasing)
        // A thread of its own, which nothing waits for.
        startThread { [readEnd = ends[0]] in
            wait(readEnd)
            onFirst()
            guard let onForce else { return }
            wait(readEnd)
            onForce()
            Keys.restore()
            _exit(ExitCode.interrupted.rawValue)
        }
        for number in [SIGINT, SIGTERM] { _ = signal(number, handle) }
        _ = signal(SIGALRM) { _ in _exit(ExitCode.interrupted.rawValue) }
        let previous = signal(SIGHUP, handle)
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { _ = signal(SIGHUP, SIG_IGN) }
    }

    /// From now on calls `body` when SIGHUP comes, on a thread of its own; where the terminal has gone it stays what it was, a
    /// request to end. Does nothing where SIGHUP is ignored.
    static func onHangup(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard hangupEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        hangupEnd.store(ends[1], ordering: .releasing)
        let hadTerminal = hasTerminal
        // Detached: it waits for signals until the process ends.
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

    /// Whether the process has a terminal that controls it.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Waits for a byte.
    private static func wait(_ end: Int32) {
        var byte: UInt8 = 0
        while read(end, &byte, 1) < 0, errno == EINTR {}
    }

    private static let userEnd = Atomic<Int32>(-1)

    /// Calls `body` on its own thread whenever SIGUSR1 arrives. Later calls of this function do nothing.
    static func onUser(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard userEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        userEnd.store(ends[1], ordering: .releasing)
        // A thread of its own: it waits for signals until the process ends.
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
        let before = Signals.count.wrappingAdd(1, ordering: .relaxed).oldValue
        if before > 1 || before == 1 && !Signals.isForcedByThread.load(ordering: .relaxed) {
            Keys.restore()
            _exit(ExitCode.interrupted.rawValue)
        }
        // The work that the thread now does may never end, so limit it to two seconds.
        if before == 1 { alarm(2) }
        var byte: UInt8 = 1
        _ = write(Signals.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = savedError
    }
}
