/// What came of a test.
public struct TestReport: Sendable {
    /// Something that is not as the test says.
    public struct Problem: Sendable {
        /// What it concerns: a component, an edge, `ledger`, `run`.
        public let place: String

        /// What was expected and what came, as timelines in which the same tick stands in the same column; `nil` where
        /// frames were not given as a timeline.
        public let timelines: (expected: String, actual: String)?

        /// What differs, in words.
        public let details: [String]
    }

    /// The test's name.
    public let name: String

    /// How many frames the sources brought.
    public let frames: Int64

    /// How long it took, in nanoseconds of the run's own clock.
    public let duration: Int64

    /// What is not as the test says; empty for a test that passed.
    public let problems: [Problem]

    /// Whether everything is as the test says.
    public var passed: Bool { problems.isEmpty }
}
