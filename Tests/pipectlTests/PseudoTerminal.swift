import Foundation

/// A terminal without a user: the output of a process at one end is read at the other.
struct PseudoTerminal {
    /// The end that a user would see.
    private let screen: Int32
    /// The end that a process is given.
    let line: FileHandle

    init() throws {
        screen = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard screen >= 0 else { throw Program.Missing(description: "no pseudo terminal") }
        #if os(Linux)
            // Glibc's functions that unlock a pseudo terminal and return its number are not available in Swift. These are the
            // requests that they make (TIOCSPTLCK, TIOCGPTN).
            var lock: Int32 = 0
            var number: Int32 = 0
            let isReady = ioctl(screen, 0x4004_5431, &lock) == 0 && ioctl(screen, 0x8004_5430, &number) == 0
            let name = isReady ? "/dev/pts/\(number)" : nil
        #else
            let name =
                grantpt(screen) == 0 && unlockpt(screen) == 0 ? ptsname(screen).map { String(cString: $0) } : nil
        #endif
        guard let name, let line = FileHandle(forUpdatingAtPath: name) else {
            throw Program.Missing(description: "no pseudo terminal")
        }
        self.line = line
    }

    /// Types keys.
    func type(_ keys: String) throws {
        let bytes = Array(keys.utf8)
        guard write(screen, bytes, bytes.count) == bytes.count else {
            throw Program.Missing(description: "a terminal that takes keys")
        }
    }

    /// Returns everything that was written until the last process has closed the line. First closes this process's own handle of
    /// the line, because otherwise reading would not end.
    func readToEnd() throws -> String {
        try line.close()
        var text = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(screen, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        close(screen)
        return String(decoding: text, as: UTF8.self)
    }
}
