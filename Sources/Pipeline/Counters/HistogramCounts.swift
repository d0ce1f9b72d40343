/// A snapshot of a histogram.
package struct HistogramCounts: Sendable {
    private let counts: [UInt32]

    /// The sum of all durations, in nanoseconds.
    package let sum: Int64

    init(counts: [UInt32], sum: Int64) { (self.counts, self.sum) = (counts, sum) }

    /// Adds up several snapshots.
    init(_ all: [HistogramCounts]) {
        var counts = [UInt32](repeating: 0, count: Histogram.bucketCount)
        for one in all {
            for (index, count) in one.counts.enumerated() { counts[index] &+= count }
        }
        self.init(counts: counts, sum: all.reduce(0) { $0 + $1.sum })
    }

    /// The number of durations.
    package var total: Int64 { counts.reduce(0) { $0 + Int64($1) } }

    /// Returns the number of durations below 2 to the power of `power` nanoseconds.
    package func count(below power: Int) -> Int64 {
        counts.prefix(Histogram.bucket(of: 1 << Int64(power))).reduce(0) { $0 + Int64($1) }
    }

    /// Returns the duration below which the given share of all durations lies, in nanoseconds; `nil` if nothing was recorded.
    package func quantile(_ share: Double) -> Int64? {
        let total = Double(total)
        guard total > 0 else { return nil }
        var seen = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            seen += Double(count)
            if seen >= share * total { return Histogram.middle(of: index) }
        }
        return nil
    }
}
