/// The result of a test.
public struct TestReport: Sendable {
    /// A difference between the expected and the actual behavior.
    public struct Problem: Sendable {
        /// The location: a component, an edge, `ledger`, `run`.
        public let place: String

        /// The expected and the actual frames as timelines with aligned columns; `nil` if the frames were not given as a timeline.
        public let timelines: (expected: String, actual: String)?

        /// Descriptions of the differences.
        public let details: [String]
    }

    /// The test's name.
    public let name: String

    /// The number of frames that the sources emitted.
    public let frames: Int64

    /// The duration of the run, in nanoseconds of the run's own clock.
    public let duration: Int64

    /// All differences; empty if the test passed.
    public let problems: [Problem]

    /// Whether the test passed.
    public var passed: Bool { problems.isEmpty }
}
