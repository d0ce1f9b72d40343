import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads single keys from the terminal on standard input while a command runs.
enum Keys {
    /// The previous settings of the terminal, and whether to restore them. A signal handler may restore them, so neither needs a
    /// lock.
    // Plain memory for a plain value. It is written once, before the flag is set, and only read afterwards.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let isChanged = Atomic<Bool>(false)

    /// Whether standard input is a terminal that this program may read, which it may not in the background.
    static var areThere: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        // The terminal may also be one that does not control this process.
        return foreground < 0 || foreground == getpgrp()
    }

    /// Calls `onKey` for every key, on its own thread, until ``restore()``. The terminal no longer echoes keys.
    static func listen(_ onKey: @escaping @Sendable (Character) -> Void) {
        var settings = termios()
        guard areThere, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        saved.initialize(to: settings)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Set the flag first, so that a signal at this point finds something to restore.
        isChanged.store(true, ordering: .releasing)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return }
        // A thread of its own: it waits for keys until the process ends.
        startThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return }
                onKey(Character(UnicodeScalar(byte)))
            }
        }
    }

    /// Restores the terminal's previous settings. A signal handler may call this after the first call from elsewhere.
    static func restore() {
        guard isChanged.exchange(false, ordering: .acquiringAndReleasing) else { return }
        _ = tcsetattr(STDIN_FILENO, TCSANOW, saved)
    }
}
