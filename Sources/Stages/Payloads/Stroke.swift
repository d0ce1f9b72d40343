import Pipeline

/// One finished gesture: one or more strokes, each a run of samples.
public struct Stroke: Payload, Hashable {
    public static let kind: Kind = "stroke"

    /// All samples, stroke after stroke, in the order drawn.
    public var samples: [Sample]

    /// How many samples each stroke has; empty when there is one stroke. The sum is `samples.count`.
    public var counts: [Int]

    /// The time that the samples' `t` count from.
    public var start: Timestamp

    /// What is known of every sample.
    public var fields: SampleFields

    /// What the gesture is meant to be, if that is known.
    public var label: String?

    /// Who drew it, if that is known.
    public var subject: String?

    /// Makes a gesture.
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

    /// The time of the last sample.
    public var end: Timestamp {
        guard fields.contains(.time), let last = samples.last else { return start }
        return start.advanced(byMilliseconds: last.t / 1000)
    }

    /// The range of samples of every stroke, in order. Counts that do not add up are cut to the samples there are.
    /// O(strokes).
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
