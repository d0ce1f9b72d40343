import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hears SIGINT, SIGTERM and SIGHUP (the terminal has gone): the first asks for an orderly end, the second ends the process at once,
/// or within two seconds where there is something to be done before.
/// A SIGHUP that whoever started the program has it ignore, as nohup does, stays ignored.
///
/// A handler may do next to nothing: it counts, and writes a byte into a pipe that a thread of its own reads. (Waiting for
/// blocked signals with `sigwait` would not do: on Linux the main thread of a program that uses Dispatch lets all signals in.)
enum Signals {
    private static let count = Atomic<Int32>(0)
    private static let writeEnd = Atomic<Int32>(-1)

    /// Whether something is done before the second signal ends the process.
    private static let isForcedByThread = Atomic<Bool>(false)

    /// Calls `onFirst` on a thread of its own when the first signal comes. Later calls of this function do nothing.
    ///
    /// - Parameter onForce: Called on that thread when the second comes.
    static func listen(onForce: (@Sendable () -> Void)? = nil, _ onFirst: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard writeEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // All that the handler touches exists from here on: it must not be the one to make it.
        Keys.restore()
        count.store(0, ordering: .relaxed)
        isForcedByThread.store(onForce != nil, ordering: .relaxed)
        writeEnd.store(ends[1], ordering: .releasing)
        // Detached: nobody waits for it to end.
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

    /// Waits for a byte.
    private static func wait(_ end: Int32) {
        var byte: UInt8 = 0
        while read(end, &byte, 1) < 0, errno == EINTR {}
    }

    private static let userEnd = Atomic<Int32>(-1)

    /// Calls `body` on a thread of its own whenever SIGUSR1 comes. Later calls of this function do nothing.
    static func onUser(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard userEnd.load(ordering: .acquiring) < 0, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        userEnd.store(ends[1], ordering: .releasing)
        // Detached: it waits for signals until the process ends.
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
        // What the thread does then may not come to an end.
        if before == 1 { alarm(2) }
        var byte: UInt8 = 1
        _ = write(Signals.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = savedError
    }
}
