import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hears single keys on the terminal that is standard input, while a command runs.
enum Keys {
    /// How the terminal was set before, and whether that is to be restored: a signal handler may do so, which takes no lock.
    // Plain memory for plain values: written once, before the flag is set, and only read from then on.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let isChanged = Atomic<Bool>(false)

    /// Whether somebody sits at standard input, and this program may read it: not in the background.
    static var areThere: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        // It may also be a terminal that does not control this process.
        return foreground < 0 || foreground == getpgrp()
    }

    /// Calls `onKey` for every key, on a thread of its own, until ``restore()``. Keys are no longer shown.
    static func listen(_ onKey: @escaping @Sendable (Character) -> Void) {
        var settings = termios()
        guard areThere, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        saved.initialize(to: settings)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // First, so that a signal that comes in between finds something to restore.
        isChanged.store(true, ordering: .releasing)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return }
        // Detached: it waits for keys until the process ends.
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

    /// Sets the terminal as it was. A signal handler may call it once somebody else has.
    static func restore() {
        guard isChanged.exchange(false, ordering: .acquiringAndReleasing) else { return }
        _ = tcsetattr(STDIN_FILENO, TCSANOW, saved)
    }
}
