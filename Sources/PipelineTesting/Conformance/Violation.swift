/// A promise that a component does not keep.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The promise, by its short name: `same_output_whatever_the_batching`.
    public let rule: String

    /// What was seen.
    public let detail: String

    /// Describes a violation.
    public init(_ rule: String, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    public var description: String { "\(rule): \(detail)" }
}
