import Pipeline

/// The format of messages.
enum LogFormat: String, CaseIterable, Sendable {
    /// Lines of text.
    case text
    /// One JSON object per line.
    case json
}

/// The text that each line of a log starts with: its time, or its priority.
enum LineStart: Sendable {
    /// Nothing, on a terminal: the user sees when each line is written.
    case nothing
    /// The time.
    case time
    /// The priority in the form that the systemd journal reads, `<4>`. The journal adds the time itself.
    case priority
}

extension Log.Level {
    /// The level as a syslog priority, in the form of sd-daemon(3): `<3>`.
    var priority: String {
        switch self {
        case .debug: "<7>"
        case .info: "<6>"
        case .warning: "<4>"
        case .error: "<3>"
        }
    }
}
