/// The outcome of a run.
public struct RunReport: Sendable {
    /// A failure of a node.
    public struct Failure: Sendable {
        /// The node's `id`.
        public let node: String

        /// The error that caused the failure.
        public let error: PipelineError
    }

    /// The ledger of the run.
    public internal(set) var ledger: Ledger

    /// All failures, the root cause first; empty if nothing failed.
    public let failures: [Failure]

    /// The tasks that had not ended when the time for shutting down was over.
    public let notEnded: [String]

    /// The equations of the ledger that do not hold. Each one is a defect of the engine.
    public let violations: [String]

    /// The duration of the run, in nanoseconds of the run's clock.
    public let duration: Int64

    /// Whether the run ended without failures, unfinished tasks or violations.
    public var isSuccess: Bool { failures.isEmpty && notEnded.isEmpty && violations.isEmpty }
}
