#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's own standard streams and environment.
enum Terminal {
    /// The console of this process.
    ///
    /// Color only on a terminal that can show it and where `NO_COLOR` is not set to anything.
    static func console() -> Console {
        let environment = readEnvironment()
        let mayColor = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        let messagesAreLive = isatty(STDERR_FILENO) == 1
        return Console(
            writeResult: { text in
                // Whatever the reason, nobody will read what follows.
                if let code = DescriptorOutput.write(text, to: STDOUT_FILENO) { throw OutputLost(code: code) }
            },
            writeMessage: { text in
                // Nobody reading messages is no reason to end.
                _ = DescriptorOutput.write(text, to: STDERR_FILENO)
            },
            resultStyle: Style(isColored: mayColor && isatty(STDOUT_FILENO) == 1),
            messageStyle: Style(isColored: mayColor && messagesAreLive),
            resultsAreLive: isatty(STDOUT_FILENO) == 1,
            messagesAreLive: messagesAreLive && environment["TERM"] != "dumb",
            width: columns(of: STDERR_FILENO) ?? 80, environment: environment,
            lineStart: isJournal(STDERR_FILENO, environment) ? .priority : messagesAreLive ? .nothing : .time)
    }

    /// Whether a file is the journal of systemd, which says so in the environment: the device and the number of the file.
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

    /// Every variable of the environment.
    static func readEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        // The list ends with a null pointer and is not changed while this process runs.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
