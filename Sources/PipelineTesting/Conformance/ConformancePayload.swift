import Pipeline

/// A payload that the conformance suite can make up. Conform the payloads of your own stages to it in your tests.
public protocol ConformancePayload: Payload {
    /// Payloads as they occur, different for each index.
    static func typical(_ index: Int) -> Self

    /// Payloads that a careless stage would trap, hang or yield NaN on: empty, one point, all points equal, coordinates
    /// of 1e30, NaN.
    static var hostile: [Self] { get }
}

extension TestNumber: ConformancePayload {
    public static func typical(_ index: Int) -> TestNumber { TestNumber(index * 7 % 31) }
    public static var hostile: [TestNumber] { [TestNumber(.min), TestNumber(.max), TestNumber(0)] }
}
