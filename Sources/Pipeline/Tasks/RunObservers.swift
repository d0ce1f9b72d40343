/// Who is told what happens in a run, besides its log.
struct RunObservers: Sendable {
    /// Receives drop records.
    var onDrop: (@Sendable (DropRecord) -> Void)?

    /// Receives reports of frames that could not be processed.
    var onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)?

    /// Records or replays the input of the tasks.
    var tape: Tape?

    /// The facts about the run that are written into its recordings.
    var provenance: [Provenance] = []

    /// Observes the run from outside.
    var watch: RunWatch?
}
