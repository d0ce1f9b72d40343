#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's own standard streams and environment.
enum Terminal {
    /// The console of this process.
    ///
    /// Colour only on a terminal that can show it and where `NO_COLOR` is not set to anything.
    static func console() -> Console {
        let environment = readEnvironment()
        let mayColour = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        let messagesAreLive = isatty(STDERR_FILENO) == 1
        return Console(
            writeResult: { text in try write(text, to: STDOUT_FILENO) },
            writeMessage: { text in
                // Nobody reading messages is no reason to end.
                try? write(text, to: STDERR_FILENO)
            },
            resultStyle: Style(isColoured: mayColour && isatty(STDOUT_FILENO) == 1),
            messageStyle: Style(isColoured: mayColour && messagesAreLive),
            messagesAreLive: messagesAreLive && environment["TERM"] != "dumb",
            width: columns(of: STDERR_FILENO) ?? 80, environment: environment)
    }

    /// Writes everything. Throws ``ClosedPipe`` when the reader is gone.
    private static func write(_ text: String, to file: Int32) throws {
        var text = text
        try text.withUTF8 { bytes in
            var done = 0
            while done < bytes.count {
                guard let base = bytes.baseAddress else { return }
                #if canImport(Glibc)
                    let count = Glibc.write(file, base + done, bytes.count - done)
                #else
                    let count = Darwin.write(file, base + done, bytes.count - done)
                #endif
                if count >= 0 {
                    done += count
                } else if errno == EAGAIN {
                    // A stream that somebody else made non-blocking: wait until it takes more.
                    var poll = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                    _ = withUnsafeMutablePointer(to: &poll) { waitForPoll($0) }
                } else if errno != EINTR {
                    throw ClosedPipe()
                }
            }
        }
    }

    private static func waitForPoll(_ descriptor: UnsafeMutablePointer<pollfd>) -> Int32 { poll(descriptor, 1, -1) }

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
