/// A promise that a component breaks.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The short name of the promise, such as `output_independent_of_batches`.
    public let rule: String

    /// The observed behavior.
    public let detail: String

    /// Creates a violation.
    public init(_ rule: String, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    public var description: String { "\(rule): \(detail)" }
}
