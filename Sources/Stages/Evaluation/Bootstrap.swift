/// What chance alone does to figures that were found on a few people: they are drawn again, with replacement, again and again
/// (Efron, "Bootstrap methods", 1979).
///
/// A person's samples are alike, so that people are drawn, and not samples; of one person alone, samples are. Intervals lie between
/// percentiles, which for fewer than ten people are somewhat too narrow.
struct Bootstrap {
    /// How often is drawn.
    private static let draws = 2000
    /// How much lies outside on each side of an interval.
    private static let tail = 0.025

    /// A part of the whole that is drawn as one: how much was found in how many tests.
    struct Cluster: Sendable, Hashable {
        var hits = 0.0
        var tests = 0.0
    }

    /// Where shares lie in 95 % of cases. O(draws · clusters).
    static func interval(_ clusters: [Cluster], seed: UInt64) -> ClosedRange<Double>? {
        let clusters = clusters.filter { $0.tests > 0 }
        guard clusters.count > 1 else { return nil }
        let shares = shares(clusters, seed: seed)
        let low = shares[Int(tail * Double(shares.count))]
        let high = shares[min(Int((1 - tail) * Double(shares.count)), shares.count - 1)]
        return low...max(low, high)
    }

    /// How likely a difference as large as this is where there is none: twice the share of draws on the other side of zero.
    static func significance(of differences: [Cluster], seed: UInt64) -> Double? {
        let clusters = differences.filter { $0.tests > 0 }
        guard clusters.count > 1 else { return nil }
        let shares = shares(clusters, seed: seed)
        let (below, above) = (shares.count { $0 <= 0 }, shares.count { $0 >= 0 })
        return min(1, 2 * Double(min(below, above) + 1) / Double(shares.count + 1))
    }

    /// The shares of all draws, in ascending order.
    private static func shares(_ clusters: [Cluster], seed: UInt64) -> [Double] {
        var random = SplitMix64(seed: seed)
        return (0..<draws).map { _ in
            var sum = Cluster()
            for _ in clusters.indices {
                let cluster = clusters[random.below(clusters.count)]
                sum.hits += cluster.hits
                sum.tests += cluster.tests
            }
            return sum.hits / sum.tests
        }.sorted()
    }
}
