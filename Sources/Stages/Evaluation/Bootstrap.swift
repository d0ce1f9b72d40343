/// The bootstrap (Efron, "Bootstrap methods", 1979): estimates how much figures measured on a few people vary by chance, by
/// resampling the people with replacement.
///
/// The clusters are people and not samples, because the samples of one person are alike. If there is only one person, each sample
/// is a cluster. Intervals are percentile intervals, which are somewhat too narrow for fewer than ten people.
struct Bootstrap {
    /// The number of resamples.
    private static let draws = 2000
    /// The share of resamples that lies outside the interval on each side.
    private static let tail = 0.025

    /// A unit that is resampled as a whole: the sum of its values, and the number of its tests.
    struct Cluster: Sendable, Hashable {
        var hits = 0.0
        var tests = 0.0
    }

    /// Returns the 95 % interval of the share, or `nil` for fewer than two clusters with tests. O(draws · clusters), plus the sort.
    static func interval(_ clusters: [Cluster], seed: UInt64) -> ClosedRange<Double>? {
        let clusters = clusters.filter { $0.tests > 0 }
        guard clusters.count > 1 else { return nil }
        let shares = shares(clusters, seed: seed)
        let low = shares[Int(tail * Double(shares.count))]
        let high = shares[min(Int((1 - tail) * Double(shares.count)), shares.count - 1)]
        return low...max(low, high)
    }

    /// Returns the two-sided p-value of a difference: twice the share of resamples whose difference is at most 0, or of those whose
    /// difference is at least 0, whichever is smaller. Returns `nil` for fewer than two clusters with tests.
    static func significance(of differences: [Cluster], seed: UInt64) -> Double? {
        let clusters = differences.filter { $0.tests > 0 }
        guard clusters.count > 1 else { return nil }
        let shares = shares(clusters, seed: seed)
        let (below, above) = (shares.count { $0 <= 0 }, shares.count { $0 >= 0 })
        return min(1, 2 * Double(min(below, above) + 1) / Double(shares.count + 1))
    }

    /// Returns the share of every resample, in ascending order.
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
