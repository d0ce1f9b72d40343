import Pipeline
import Stages

extension Console {
    /// Where components of a run speak to a person.
    var log: Log {
        Log { level, line in
            // Senders and workers have a say in what is logged, and must not move the cursor. What stands before it is written
            // over the line that says how the run is doing, which is drawn again at once.
            let line = (messagesAreLive ? "\r\u{1B}[K" : "") + line.shown
            switch level {
            case .debug: detail(line)
            case .info: say(line)
            case .warning: warning(line)
            case .error: error(line)
            }
        }
    }
}
