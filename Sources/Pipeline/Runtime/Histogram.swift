import Synchronization

/// Counts durations in buckets at most 12 % wide, written by one task at a time and readable from any.
///
/// Log-linear buckets as in HdrHistogram: eight per power of two.
final class Histogram: Sendable {
    private static let bucketsPerPower = 8
    private static let bucketCount = 62 * bucketsPerPower
    private let counts = Lock<[UInt32]>([])

    /// Adds a duration in nanoseconds.
    func record(_ nanoseconds: Int64) {
        let index = Self.bucket(of: nanoseconds)
        counts.withLock { counts in
            if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.bucketCount) }
            counts[index] &+= 1
        }
    }

    /// The duration below which a share of all lies, in nanoseconds; `nil` when nothing was recorded.
    func quantile(_ share: Double) -> Int64? { Self.quantile(share, of: [self]) }

    /// The same of what several have counted.
    static func quantile(_ share: Double, of all: [Histogram]) -> Int64? {
        var counts = [UInt32](repeating: 0, count: bucketCount)
        for histogram in all {
            for (index, count) in histogram.counts.withLock({ $0 }).enumerated() { counts[index] &+= count }
        }
        let total = counts.reduce(0.0) { $0 + Double($1) }
        guard total > 0 else { return nil }
        var seen = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            seen += Double(count)
            if seen >= share * total { return middle(of: index) }
        }
        return nil
    }

    private static func bucket(of value: Int64) -> Int {
        guard value >= 8 else { return Int(Swift.max(0, value)) }
        let power = 63 - value.leadingZeroBitCount
        let mantissa = Int((value >> Int64(power - 3)) & 7)
        return Swift.min((power - 2) * bucketsPerPower + mantissa, bucketCount - 1)
    }

    private static func middle(of index: Int) -> Int64 {
        guard index >= 8 else { return Int64(index) }
        let power = index / bucketsPerPower + 2
        let width = Int64(1) << Int64(power - 3)
        return Int64(8 + index % bucketsPerPower) * width + width / 2
    }
}
