import Pipeline

/// A score for gesture spotting in continuous movement: hits, false alarms, misses, and delays.
///
/// A true gesture and a found gesture can be paired if they have the same name and overlap by more than half of the shorter one. A
/// gesture without duration overlaps fully if it lies within the other one. Pairs are chosen by decreasing overlap, and each gesture
/// is in at most one pair, so a gesture that is found twice is one hit and one false alarm. A true gesture can be marked as not
/// counting, for example because it was drawn wrongly: it is not a miss if it is not found, and a found gesture that could be paired
/// with it is not a false alarm.
public struct EventScore: Sendable, Hashable {
    /// A gesture in a stream: one that happened, or one that was found.
    public struct Event: Sendable, Hashable {
        /// The name of the gesture.
        public var label: String
        /// The name of the stream.
        public var stream: String
        /// The time at which it began.
        public var start: Timestamp
        /// The time at which it ended.
        public var end: Timestamp
        /// The time at which it was reported; equal to its end for a true gesture.
        public var reported: Timestamp
        /// Whether a true gesture counts as a miss if it is not found.
        public var counts: Bool

        /// Creates an event. `reported` is `end` by default.
        public init(
            label: String, stream: String = "", start: Timestamp, end: Timestamp, reported: Timestamp? = nil,
            counts: Bool = true
        ) {
            (self.label, self.stream, self.start, self.end, self.reported) = (
                label, stream, start, end, reported ?? end
            )
            self.counts = counts
        }

        /// Returns the overlap of two events, as a share of the shorter one. It is not positive if they are disjoint. If one of
        /// them has no duration, it is 1 if its instant lies in the other, and otherwise 0.
        fileprivate func overlap(_ other: Event) -> Double {
            let both = min(end, other.end).microseconds(since: max(start, other.start))
            let shorter = min(end.microseconds(since: start), other.end.microseconds(since: other.start))
            return shorter > 0 ? Double(both) / Double(shorter) : both >= 0 ? 1 : 0
        }
    }

    /// The number of gestures that happened and were found.
    public private(set) var hits = 0
    /// The number of gestures that were found but did not happen.
    public private(set) var falseAlarms = 0
    /// The number of gestures that happened but were not found.
    public private(set) var misses = 0
    /// For each hit, the time from the end of the true gesture to the report, in microseconds, saturated; negative if the report
    /// came earlier. Ascending.
    public private(set) var delays: [Int64] = []

    /// Scores the found events against the true ones. O(e²) for e events in a stream to form the pairs.
    public init(found: [Event], happened: [Event]) {
        let streams = Set((found + happened).map(\.stream)).sorted()
        for stream in streams {
            let uncounted = happened.filter { $0.stream == stream && !$0.counts }
            let (found, happened) = (
                found.filter { $0.stream == stream }, happened.filter { $0.stream == stream && $0.counts }
            )
            var pairs: [(found: Int, happened: Int, overlap: Double)] = []
            for (i, one) in found.enumerated() {
                for (j, other) in happened.enumerated() where one.label == other.label {
                    let overlap = one.overlap(other)
                    if overlap > 0.5 { pairs.append((i, j, overlap)) }
                }
            }
            // Of pairs with the same overlap, the earlier pair comes first, so the result does not depend on the order of the
            // events.
            pairs.sort { a, b in
                guard a.overlap == b.overlap else { return a.overlap > b.overlap }
                let (one, other) = (found[a.found], found[b.found])
                let (first, second) = (happened[a.happened], happened[b.happened])
                return (one.start, first.start, one.end, first.end) < (other.start, second.start, other.end, second.end)
            }
            var (taken, known): (Set<Int>, Set<Int>) = ([], [])
            for pair in pairs where !taken.contains(pair.found) && !known.contains(pair.happened) {
                taken.insert(pair.found)
                known.insert(pair.happened)
                delays.append(found[pair.found].reported.microseconds(since: happened[pair.happened].end))
            }
            hits += taken.count
            falseAlarms += found.indices.count { index in
                !taken.contains(index)
                    && !uncounted.contains { $0.label == found[index].label && $0.overlap(found[index]) > 0.5 }
            }
            misses += happened.count - known.count
        }
        delays.sort()
    }

    /// The share of reported gestures that happened; 1 if nothing was reported.
    public var precision: Double { hits + falseAlarms == 0 ? 1 : Double(hits) / Double(hits + falseAlarms) }

    /// The share of true gestures that were found; 1 if nothing happened.
    public var recall: Double { hits + misses == 0 ? 1 : Double(hits) / Double(hits + misses) }

    /// The harmonic mean of precision and recall; 1 if nothing happened and nothing was reported.
    public var f1: Double {
        guard hits > 0 else { return falseAlarms + misses == 0 ? 1 : 0 }
        return 2 * precision * recall / (precision + recall)
    }

    /// Returns the delay that this share of the hits does not exceed, in microseconds, or `nil` if there are no hits.
    public func delay(_ share: Double) -> Int64? {
        guard !delays.isEmpty else { return nil }
        return delays[max(Int(share: share, of: delays.count, rounded: .up) - 1, 0)]
    }
}
