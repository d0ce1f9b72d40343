import Pipeline

/// A payload that the conformance suite can make up. Conform the payloads of your own stages to it in your tests.
public protocol ConformancePayload: Payload {
    /// Payloads as they occur, different for each index.
    static func typical(_ index: Int) -> Self

    /// Payloads that a careless stage would trap, hang or yield NaN on: empty, one point, all points equal, coordinates
    /// of 1e30, NaN.
    static var hostile: [Self] { get }
}

extension Aligned: ConformancePayload where Element: ConformancePayload {
    /// Two edges, now and then one of them without a frame.
    public static func typical(_ index: Int) -> Aligned {
        let pair = [Element.typical(index), Element.typical(index + 1)]
        return Aligned(
            pair.enumerated().map { lane, payload in
                index % 3 == lane ? nil : Frame(payload, at: .milliseconds(Int64(index) * 50))
            })
    }

    /// No edge, none with a frame, and all that is hostile of the elements.
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
