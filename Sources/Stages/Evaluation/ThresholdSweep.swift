/// The trade-off of an acceptance threshold: how many known gestures are recognized and accepted if a given share of unknown
/// gestures is accepted.
public struct ThresholdSweep: Sendable {
    /// One threshold, with its rates.
    public struct Point: Sendable, Hashable {
        /// The share of unknown gestures that may be accepted. The actual share can be smaller.
        public var falseAccept: Double
        /// The share of known gestures that is recognized and accepted.
        public var accepted: Double
        /// The threshold. A gesture nearer than this is accepted.
        public var threshold: Double
    }

    /// The distances of the correctly recognized tests, ascending.
    private let correct: [Double]
    private let tests: Int
    /// The distances of unknown gestures to the class that they would be mistaken for, ascending.
    private let unknown: [Double]

    init(correct: [Double], tests: Int, unknown: [Double]) {
        (self.correct, self.tests, self.unknown) = (correct.sorted(), tests, unknown.sorted())
    }

    /// Whether there are no data from which to choose a threshold.
    public var isEmpty: Bool { tests == 0 || unknown.isEmpty }

    /// Returns the largest threshold at which at most this share of unknown gestures is accepted; `nil` without data. O(log tests).
    public func point(falseAccept: Double) -> Point? {
        guard !isEmpty else { return nil }
        let allowed = Int(share: falseAccept, of: unknown.count)
        let threshold = allowed < unknown.count ? unknown[allowed] : .infinity
        return Point(
            falseAccept: falseAccept, accepted: Double(Self.count(in: correct, below: threshold)) / Double(tests),
            threshold: threshold)
    }

    /// The points of a curve, for false accept rates from 0.1 % to 50 %.
    public var curve: [Point] {
        let shares = [0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5]
        return shares.filter { $0 * Double(unknown.count) >= 1 }.compactMap { point(falseAccept: $0) }
    }

    private static func count(in sorted: [Double], below threshold: Double) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < threshold { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
