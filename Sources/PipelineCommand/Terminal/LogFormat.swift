import Pipeline

/// How messages are written.
enum LogFormat: String, CaseIterable, Sendable {
    /// Lines for people.
    case text
    /// A JSON object a line.
    case json
}

/// What a line of a log begins with, so that one knows when it was written, and how important it is.
enum LineStart: Sendable {
    /// Nothing: somebody sees it on a terminal when it comes.
    case nothing
    /// The time.
    case time
    /// The level as the journal of systemd takes it, `<4>`; the journal knows the time.
    case priority
}

extension Log.Level {
    /// The level in the words of syslog, as sd-daemon(3) has it: `<3>`.
    var priority: String {
        switch self {
        case .debug: "<7>"
        case .info: "<6>"
        case .warning: "<4>"
        case .error: "<3>"
        }
    }
}
