/// The phase of a run.
package enum RunPhase: String, Sendable {
    /// Sources and sinks are being opened.
    case opening
    /// All components are open, and frames can flow.
    case running
    /// Sources have ended or were requested to stop. Frames in flight are still processed.
    case draining
    /// The run is over.
    case ended
}
