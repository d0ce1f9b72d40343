#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's own standard streams and environment.
enum Terminal {
    /// Returns the console of this process.
    ///
    /// Its output is colored only on a terminal that supports colors, and only if `NO_COLOR` is unset or empty.
    static func console() -> Console {
        let environment = readEnvironment()
        let mayColor = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        let messagesAreLive = isatty(STDERR_FILENO) == 1
        return Console(
            writeResult: { text in
                // After any error, further results would be lost too.
                if let code = DescriptorOutput.write(text, to: STDOUT_FILENO) { throw OutputLost(code: code) }
            },
            writeMessage: { text in
                // A message that cannot be written must not end the run.
                _ = DescriptorOutput.write(text, to: STDERR_FILENO)
            },
            resultStyle: Style(isColored: mayColor && isatty(STDOUT_FILENO) == 1),
            messageStyle: Style(isColored: mayColor && messagesAreLive),
            resultsAreLive: isatty(STDOUT_FILENO) == 1,
            messagesAreLive: messagesAreLive && environment["TERM"] != "dumb",
            width: columns(of: STDERR_FILENO) ?? 80, environment: environment,
            lineStart: isJournal(STDERR_FILENO, environment) ? .priority : messagesAreLive ? .nothing : .time)
    }

    /// Whether a file descriptor is connected to the systemd journal, whose device and inode numbers `JOURNAL_STREAM` holds.
    private static func isJournal(_ file: Int32, _ environment: [String: String]) -> Bool {
        var info = stat()
        guard let name = environment["JOURNAL_STREAM"], fstat(file, &info) == 0 else { return false }
        return name == "\(info.st_dev):\(info.st_ino)"
    }

    private static func columns(of file: Int32) -> Int? {
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns all environment variables.
    static func readEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        // The list ends with a null pointer. This process never changes it, so it can be read without a lock.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
