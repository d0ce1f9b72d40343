import Pipeline
import Stages

extension Console {
    /// A log for the components of a run, whose lines are written to this console.
    var log: Log { Log { say(Notice($0)) } }
}
