import Pipeline

/// The times of the samples of one stream, for stages that filter in time.
///
/// Samples of a frame that share a time, because they have no times or because the clock of their sender is coarse, are spread
/// evenly over the time since the sample before them, as if they had arrived one by one. If there is no sample before them, or if it
/// is too long ago, they keep their common time.
struct SampleTimes: Sendable {
    private let maxGap: Double
    private var last: Timestamp?
    private var times: [Timestamp] = []

    /// - Parameter maxGapMs: The longest time over which samples are spread, in milliseconds.
    init(maxGapMs: Double) { maxGap = maxGapMs * 1000 }

    /// Starts over: the next samples have no sample before them.
    mutating func reset() { last = nil }

    /// Returns the time of each sample of the next frame.
    mutating func of(_ points: borrowing Points, at time: Timestamp) -> [Timestamp] {
        of(points.samples, from: points.fields.contains(.time) ? points.start : nil, at: time)
    }

    /// Returns the time of each of the next samples.
    ///
    /// - Parameters:
    ///   - samples: The samples.
    ///   - start: The time from which the times of the samples are measured; `nil` if they have no times.
    ///   - time: The time of samples without times.
    mutating func of(_ samples: [Sample], from start: Timestamp?, at time: Timestamp) -> [Timestamp] {
        times.removeAll(keepingCapacity: true)
        for sample in samples {
            // Differences of times must not overflow.
            let offset = Int64(min(max(sample.t, -9e15), 9e15).rounded())
            times.append(start?.advanced(byMicroseconds: offset) ?? time)
        }
        var begin = 0
        while begin < times.count {
            let common = times[begin]
            let end = times[begin...].firstIndex { $0 != common } ?? times.count
            spread(begin..<end, to: common)
            last = common
            begin = end
        }
        return times
    }

    private mutating func spread(_ range: Range<Int>, to time: Timestamp) {
        guard range.count > 1, let last, time > last else { return }
        let passed = time.microseconds(since: last)
        guard Double(passed) <= maxGap else { return }
        for (number, index) in range.enumerated() {
            times[index] = last.advanced(byMicroseconds: passed * Int64(number + 1) / Int64(range.count))
        }
    }
}
