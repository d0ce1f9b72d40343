/// How a run ended.
public struct RunReport: Sendable {
    /// What went wrong at a node.
    public struct Failure: Sendable {
        /// The node's `id`.
        public let node: String

        /// What was wrong.
        public let error: PipelineError
    }

    /// The account.
    public internal(set) var ledger: Ledger

    /// What went wrong, the root cause first; empty for a run that ended well.
    public let failures: [Failure]

    /// The tasks that had not ended when the time to shut down was over.
    public let notEnded: [String]

    /// Equations of the ledger that do not hold: a defect of the engine.
    public let violations: [String]

    /// How long it took, in nanoseconds of the run's clock.
    public let duration: Int64

    /// Whether everything ended well.
    public var isSuccess: Bool { failures.isEmpty && notEnded.isEmpty && violations.isEmpty }
}
