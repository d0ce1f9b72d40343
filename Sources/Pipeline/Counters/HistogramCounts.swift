/// A snapshot of a histogram.
package struct HistogramCounts: Sendable {
    private let counts: [UInt32]

    /// The sum of all durations, in nanoseconds.
    package let sum: Int64

    /// The number of durations.
    package let total: Int64

    /// - Parameter counts: The number of durations in each bucket; empty if there are none.
    init(counts: [UInt32], sum: Int64) {
        (self.counts, self.sum) = (counts, sum)
        var total: Int64 = 0
        for count in counts { total += Int64(count) }
        self.total = total
    }

    /// Adds up several snapshots.
    init(_ all: [HistogramCounts]) {
        let all = all.filter { $0.total > 0 }
        guard all.count != 1 else {
            self = all[0]
            return
        }
        var counts: [UInt32] = []
        for one in all {
            if counts.isEmpty { counts = [UInt32](repeating: 0, count: Histogram.bucketCount) }
            for index in counts.indices { counts[index] &+= one.counts[index] }
        }
        self.init(counts: counts, sum: all.reduce(0) { $0 + $1.sum })
    }

    /// Returns the number of durations below 2 to the power of `power` nanoseconds.
    package func count(below power: Int) -> Int64 {
        counts.prefix(Histogram.bucket(of: 1 << Int64(power))).reduce(0) { $0 + Int64($1) }
    }

    /// Returns the duration below which the given share of all durations lies, in nanoseconds; `nil` if nothing was recorded.
    package func quantile(_ share: Double) -> Int64? {
        guard total > 0 else { return nil }
        let limit = share * Double(total)
        var seen = 0.0
        for index in counts.indices where counts[index] > 0 {
            seen += Double(counts[index])
            if seen >= limit { return Histogram.middle(of: index) }
        }
        return nil
    }
}
