import Pipeline

/// A payload type with test values for the conformance suites. In your tests, conform the payloads of your own stages to it.
public protocol ConformancePayload: Payload {
    /// Returns a typical payload, different for each index.
    static func typical(_ index: Int) -> Self

    /// Payloads that could make a careless stage trap, hang or emit NaN: empty, one point, all points equal, coordinates of 1e30,
    /// NaN.
    static var hostile: [Self] { get }
}

extension Aligned: ConformancePayload where Element: ConformancePayload {
    /// Returns a set of frames from two edges. For some indices, the frame of one edge is missing.
    public static func typical(_ index: Int) -> Aligned {
        let pair = [Element.typical(index), Element.typical(index + 1)]
        return Aligned(
            pair.enumerated().map { lane, payload in
                index % 3 == lane ? nil : Frame(payload, at: .milliseconds(Int64(index) * 50))
            })
    }

    /// A set without edges, a set without frames, and sets with hostile payloads in one edge or both.
    public static var hostile: [Aligned] {
        [Aligned([]), Aligned([nil, nil])]
            + Element.hostile.flatMap { payload -> [Aligned] in
                let frame = Frame(payload, at: .zero)
                return [Aligned([frame, nil]), Aligned([nil, frame]), Aligned([frame, frame])]
            }
    }
}

extension TestNumber: ConformancePayload {
    public static func typical(_ index: Int) -> TestNumber { TestNumber(index * 7 % 31) }
    public static var hostile: [TestNumber] { [TestNumber(.min), TestNumber(.max), TestNumber(0)] }
}
