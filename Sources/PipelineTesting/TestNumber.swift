import Pipeline

/// A payload for tests: one whole number.
public struct TestNumber: Payload, Hashable, ExpressibleByIntegerLiteral {
    public static let kind: Kind = "number"

    /// The number.
    public var value: Int

    /// Creates a payload from a number.
    public init(_ value: Int) { self.value = value }

    public init(integerLiteral value: Int) { self.value = value }
}
