/// How far a run has come.
package enum RunPhase: String, Sendable {
    /// Sources and sinks are being opened.
    case opening
    /// All are open, and frames may come.
    case running
    /// Sources have ended or were told to stop; what is under way goes on.
    case draining
    /// It is over.
    case ended
}
