extension Run {
    /// How a run is carried out.
    public struct Options: Sendable {
        /// The clock all waiting goes through.
        public var clock: any RunClock = SystemClock()

        /// Where to tell a person what happened.
        public var log: Log = .silent

        /// Called for every dropped frame, from the task that dropped it.
        public var onDrop: (@Sendable (DropRecord) -> Void)?

        /// How long components take for a frame, in nanoseconds of the run's clock, by `id`: what a simulation has to be
        /// told. A task waits as long as all of its components take before it works on a frame.
        public var serviceTimes: [String: Int64] = [:]

        /// Stop every source after this many frames.
        public var limit: Int64?

        /// On how many threads a source may read what can be read in pieces (a file of messages): as many as the machine has cores,
        /// where nothing is said. Results do not depend on it.
        public var workers = machineCores

        /// Stop all sources after this long, in milliseconds.
        public var durationMs: Int64?

        /// Whether every task has a thread of its own. Those of Swift's pool are as many as the machine has cores, and whoever
        /// gives frames may keep them all busy.
        var usesOwnThreads = false

        /// Whether each frame is followed by its bound, so that what comes of it comes before the next is there.
        var bindsEveryFrame = false

        /// Called for every frame that could not be processed, from the task that works on it.
        var onFailure: (@Sendable (StreamID, Timestamp, PipelineError) -> Void)?

        /// What is said of the run in the recordings that it makes.
        package var provenance: [Provenance] = []

        /// Keeps what tasks take, or lets them take the same again.
        package var tape: Tape?

        /// Lets somebody look into the run.
        package var watch: RunWatch?

        /// Called once everything is open, before anything runs. Not called when something could not be opened.
        public var onOpen: (@Sendable () -> Void)?

        /// All defaults.
        public init() {}
    }
}
