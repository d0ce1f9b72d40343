import Pipeline
import Stages

extension Console {
    /// The log of a run's components, which writes to this console.
    var log: Log { Log { say(Notice($0)) } }
}
