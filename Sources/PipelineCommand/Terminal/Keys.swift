import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads single keys from the terminal on standard input while a command runs.
enum Keys {
    /// The terminal settings to restore. They are in plain memory, without a lock, so that a signal handler can read them. The
    /// memory is written once, before `isChanged` is set, and only read afterwards.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    /// Whether the terminal settings have been changed and must be restored.
    private static let isChanged = Atomic<Bool>(false)

    /// Whether standard input is a terminal that this program may read. A background process may not read it.
    static var areAvailable: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        // The result is negative if the terminal does not control this process. The process may then read it even in the
        // background.
        return foreground < 0 || foreground == getpgrp()
    }

    /// Calls `onKey` for every key, on a separate thread. Until ``restore()``, the terminal passes each key at once, without an
    /// echo. After that, `onKey` is still called, but only when the user ends a line.
    static func listen(_ onKey: @escaping @Sendable (Character) -> Void) {
        var settings = termios()
        guard areAvailable, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        saved.initialize(to: settings)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Set the flag before the settings change, so that a signal at any point after the change restores them.
        isChanged.store(true, ordering: .releasing)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return }
        // The thread waits for keys until the process ends.
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

    /// Restores the terminal's previous settings. A signal handler may call this, but only after ordinary code has called it once
    /// and so initialized the static variables.
    static func restore() {
        guard isChanged.exchange(false, ordering: .acquiringAndReleasing) else { return }
        _ = tcsetattr(STDIN_FILENO, TCSANOW, saved)
    }
}
