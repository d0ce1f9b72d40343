import Pipeline
import Stages

extension Console {
    /// Where components of a run speak to a person.
    var log: Log {
        Log { level, line in
            switch level {
            case .debug: detail(line)
            case .info: say(line)
            case .warning: warning(line)
            case .error: error(line)
            }
        }
    }
}
