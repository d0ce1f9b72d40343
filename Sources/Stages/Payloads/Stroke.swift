import Pipeline

/// One finished gesture: one or more strokes, each a sequence of samples.
public struct Stroke: Payload, Hashable {
    public static let kind: Kind = "stroke"

    /// All samples, concatenated by stroke, in drawing order.
    public var samples: [Sample]

    /// The number of samples of each stroke; empty if there is one stroke. The sum is `samples.count`.
    public var counts: [Int]

    /// The time from which the samples' `t` are measured.
    public var start: Timestamp

    /// The optional fields that the samples have.
    public var fields: SampleFields

    /// The class that the gesture is meant to be, if known.
    public var label: String?

    /// The person who drew the gesture, if known.
    public var subject: String?

    /// Creates a gesture.
    public init(
        samples: [Sample], counts: [Int] = [], start: Timestamp = .zero, fields: SampleFields = [],
        label: String? = nil, subject: String? = nil
    ) {
        self.samples = samples
        self.counts = counts
        self.start = start
        self.fields = fields
        self.label = label
        self.subject = subject
    }

    /// The time of the last sample, or `start` if the samples have no times.
    public var end: Timestamp {
        guard fields.contains(.time), let last = samples.last else { return start }
        return start.advanced(byMilliseconds: last.t / 1000)
    }

    /// The range of samples of every stroke, in order. Counts that do not add up are clamped to the existing samples. O(strokes).
    public var strokeRanges: [Range<Int>] {
        guard !counts.isEmpty else { return [0..<samples.count] }
        var begin = 0
        return counts.map { count in
            let end = begin + min(max(count, 0), samples.count - begin)
            defer { begin = end }
            return begin..<end
        }
    }
}
