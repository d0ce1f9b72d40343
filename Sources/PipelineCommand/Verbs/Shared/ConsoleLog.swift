import Pipeline
import Stages

extension Console {
    /// Where components of a run speak to a person.
    var log: Log { Log { say(Notice($0)) } }
}
