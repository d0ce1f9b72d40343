/// The result of a test.
public struct TestReport: Sendable {
    /// A difference between the expected and the actual behavior.
    public struct Problem: Sendable {
        /// The place of the difference: an output, the drops at a component or edge, `ledger` or `run`.
        public let place: String

        /// The expected and the actual frames as timelines with aligned columns; `nil` if the test does not write them as a
        /// timeline, or if they cannot be drawn.
        public let timelines: (expected: String, actual: String)?

        /// Descriptions of the differences.
        public let details: [String]
    }

    /// The test's name.
    public let name: String

    /// The number of frames that the sources emitted.
    public let frames: Int64

    /// The duration of the run in virtual time, in nanoseconds.
    public let duration: Int64

    /// All differences; empty if the test passed.
    public let problems: [Problem]

    /// Whether the test passed.
    public var passed: Bool { problems.isEmpty }
}
