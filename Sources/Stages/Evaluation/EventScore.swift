import Pipeline

/// How well gestures are found in a continuous movement: which of those that happened were found, what was found that did not happen,
/// and how late.
///
/// A gesture that happened and one that was found are a pair when they have one name and overlap by more than half of the
/// shorter. Of several pairs the one that overlaps most counts; each is in one pair at most, so that a gesture that is found twice is one
/// hit and one false alarm. What happened and does not count, as a gesture that was drawn wrongly, is neither missed, nor is what was
/// found of it a false alarm.
public struct EventScore: Sendable, Hashable {
    /// A gesture in a stream, that happened or was found.
    public struct Event: Sendable, Hashable {
        /// Its name.
        public var label: String
        /// The stream it is in.
        public var stream: String
        /// When it began and ended.
        public var start: Timestamp
        public var end: Timestamp
        /// When it was told; its end for what happened.
        public var told: Timestamp
        /// Whether it must be found, if it happened.
        public var counts: Bool

        /// Makes an event.
        public init(
            label: String, stream: String = "", start: Timestamp, end: Timestamp, told: Timestamp? = nil,
            counts: Bool = true
        ) {
            (self.label, self.stream, self.start, self.end, self.told) = (label, stream, start, end, told ?? end)
            self.counts = counts
        }

        /// What share of the shorter both cover.
        fileprivate func overlap(_ other: Event) -> Double {
            let both = min(end, other.end).rawValue - max(start, other.start).rawValue
            let shorter = min(end.rawValue - start.rawValue, other.end.rawValue - other.start.rawValue)
            return shorter > 0 ? Double(both) / Double(shorter) : 0
        }
    }

    /// How many were found, were told and did not happen, and happened and were not found.
    public private(set) var hits = 0
    public private(set) var falseAlarms = 0
    public private(set) var misses = 0
    /// How long after its end each was told, in microseconds, ascending; below 0 when it was told before.
    public private(set) var delays: [Int64] = []

    /// Compares what was found with what happened. O(events of a stream²).
    public init(found: [Event], happened: [Event]) {
        let streams = Set((found + happened).map(\.stream)).sorted()
        for stream in streams {
            let spoilt = happened.filter { $0.stream == stream && !$0.counts }
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
            // Of pairs that overlap as much the earlier counts, in whatever order they are given.
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
                delays.append(found[pair.found].told.rawValue - happened[pair.happened].end.rawValue)
            }
            hits += taken.count
            falseAlarms += found.indices.count { index in
                !taken.contains(index)
                    && !spoilt.contains { $0.label == found[index].label && $0.overlap(found[index]) > 0.5 }
            }
            misses += happened.count - known.count
        }
        delays.sort()
    }

    /// The share of what was told that happened; 1 when nothing was told.
    public var precision: Double { hits + falseAlarms == 0 ? 1 : Double(hits) / Double(hits + falseAlarms) }

    /// The share of what happened that was found; 1 when nothing happened.
    public var recall: Double { hits + misses == 0 ? 1 : Double(hits) / Double(hits + misses) }

    /// The harmonic mean of both.
    public var f1: Double { hits == 0 ? 0 : 2 * precision * recall / (precision + recall) }

    /// The delay that this share of hits does not exceed, in microseconds; `nil` without hits.
    public func delay(_ share: Double) -> Int64? {
        guard !delays.isEmpty else { return nil }
        return delays[min(max(Int((share * Double(delays.count)).rounded(.up)) - 1, 0), delays.count - 1)]
    }
}
