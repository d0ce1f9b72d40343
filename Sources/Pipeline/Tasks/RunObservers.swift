/// The observers of a run, in addition to its log.
struct RunObservers: Sendable {
    /// Receives drop records.
    var onDrop: (@Sendable (DropRecord) -> Void)?

    /// Receives the failures of frames.
    var onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)?

    /// Records or replays the input of the tasks.
    var tape: Tape?

    /// The facts about the run that are written into its recordings.
    var provenance: [Provenance] = []

    /// Observes the run from outside.
    var watch: RunWatch?
}
