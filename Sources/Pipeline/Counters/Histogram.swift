import Synchronization

/// A histogram of durations. A bucket is at most 12.5 % wide. One task at a time writes the histogram, and any task can read it.
///
/// The buckets are log-linear as in HdrHistogram: eight per power of two.
final class Histogram: Sendable {
    private static let bucketsPerPower = 8
    static let bucketCount = 62 * bucketsPerPower
    private let counts = Lock<(counts: [UInt32], sum: Int64)>(([], 0))

    /// Adds a duration in nanoseconds.
    func record(_ nanoseconds: Int64) {
        let index = Self.bucket(of: nanoseconds)
        counts.withLock { state in
            if state.counts.isEmpty { state.counts = [UInt32](repeating: 0, count: Self.bucketCount) }
            state.counts[index] &+= 1
            state.sum &+= nanoseconds
        }
    }

    /// A snapshot of the histogram.
    var now: HistogramCounts {
        let (counts, sum) = counts.withLock { $0 }
        return HistogramCounts(counts: counts, sum: sum)
    }

    static func bucket(of value: Int64) -> Int {
        guard value >= 8 else { return Int(Swift.max(0, value)) }
        let power = 63 - value.leadingZeroBitCount
        let mantissa = Int((value >> Int64(power - 3)) & 7)
        return Swift.min((power - 2) * bucketsPerPower + mantissa, bucketCount - 1)
    }

    static func middle(of index: Int) -> Int64 {
        guard index >= 8 else { return Int64(index) }
        let power = index / bucketsPerPower + 2
        let width = Int64(1) << Int64(power - 3)
        return Int64(8 + index % bucketsPerPower) * width + width / 2
    }
}
