import Pipeline

/// The format of messages.
enum LogFormat: String, CaseIterable, Sendable {
    /// Lines for people.
    case text
    /// One JSON object per line.
    case json
}

/// The start of each line of a log, which shows when it was written and how important it is.
enum LineStart: Sendable {
    /// Nothing: a person sees the line on a terminal as it is written.
    case nothing
    /// The time.
    case time
    /// The level in the form of the systemd journal, `<4>`. The journal records the time itself.
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
