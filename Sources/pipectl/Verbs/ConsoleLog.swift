import Pipeline

extension Console {
    /// Where components of a run speak to a person.
    var log: Log {
        Log { level, line in
            // Over a line that says how the run is doing, which is drawn again at once.
            let line = messagesAreLive ? "\r\u{1B}[K" + line : line
            switch level {
            case .debug: detail(line)
            case .info: say(line)
            case .warning: warning(line)
            case .error: error(line)
            }
        }
    }
}
