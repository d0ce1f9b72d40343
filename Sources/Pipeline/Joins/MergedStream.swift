/// The state that a merge keeps of one stream.
final class MergedStream<Element: EdgeElement> {
    /// A frame, an end or a credit that waits in a merge, with the watermark that follows it.
    struct Held {
        let item: EdgeItem<Element>
        /// The frame's timestamp, or the timestamp of an earlier frame on the same edge if that is later. Not used for other items.
        let time: Timestamp
        /// In a batch run, the rank of the source's item from which the item was made.
        let rank: SourceRank
        /// The number of items that the merge had taken.
        let number: Int
        /// The watermark of the stream that takes effect when the item has left. Kept here instead of as an item of its own, because
        /// any number of watermarks may follow a frame that waits.
        var bound = Timestamp.beforeAll
        /// Whether a watermark follows.
        var isFollowed = false

        /// The time of a frame; `nil` for another item.
        var frameTime: Timestamp? { if case .frame = item { time } else { nil } }
    }

    /// The items of the stream from one edge.
    struct Side {
        var queue = Deque<Held>()
        /// The watermark of the stream on this edge.
        var bound = Timestamp.beforeAll
        /// The time of the last frame that has arrived since the stream began.
        var reached = Timestamp.beforeAll
        var frames = 0
        var ends = 0
        /// Whether the edge has delivered the stream since it began.
        var hasShown = false
        /// Whether the stream has ended on this edge and not begun again, while it continues on other edges.
        var hasEnded = false
        /// How the stream has ended on this edge; ``StreamEnd/over`` if it has not ended, or begun again.
        var end = StreamEnd.over
        /// Whether the clock of the edge's sources is so far behind that the other edges do not wait for this edge.
        var isApart = false

        /// Takes a watermark, which takes effect when everything before it has left.
        mutating func note(bound time: Timestamp) {
            guard !queue.isEmpty else { return bound = max(bound, time) }
            queue[queue.count - 1].bound = max(queue[queue.count - 1].bound, time)
            queue[queue.count - 1].isFollowed = true
        }

        /// Removes and returns the first item. What follows it takes effect.
        @discardableResult
        mutating func removeFirst() -> Held {
            let first = queue.removeFirst()
            bound = max(bound, first.bound)
            return first
        }

        /// Forgets how far the stream is on this edge.
        mutating func forgetEpoch() {
            (bound, hasShown, isApart) = (.beforeAll, false, false)
        }

        /// Removes the end of the stream, which comes first. What follows it belongs to the next stream of this name.
        mutating func endEpoch() {
            forgetEpoch()
            ends -= 1
            let first = removeFirst()
            if case .mark(.end(_, let end)) = first.item { self.end = end }
            hasShown = first.isFollowed || !queue.isEmpty
        }

        var isAtEnd: Bool { if ends > 0, case .mark(.end)? = queue.first?.item { true } else { false } }
    }

    let name: StreamID
    /// The state of each edge.
    var sides: [Side]
    /// For each edge, whether it is known to deliver the stream; see ``MergeRule``.
    var related: [Bool] = []
    /// The arrival time of the first frame since the stream began, in a live run; 0 if it is unknown.
    var arrival: Int64 = 0
    /// The number of waiting frames.
    var frames = 0
    /// The number of waiting ends.
    var ends = 0
    /// The time of the last frame that has left.
    var released = Timestamp.beforeAll
    /// The watermark that was last sent downstream.
    var sentBound = Timestamp.beforeAll
    /// The number of items that the merge had taken when the stream was last used; it selects the streams to evict.
    var lastUse = 0
    /// In a batch run, whether the first frame waits for the clock of another source.
    var isParked = false
    /// In a batch run, whether the stream is in the list of streams to process next.
    var isTouched = false
    /// In a batch run, whether the stream has been announced since it began.
    var isKnown = false

    init(_ name: StreamID, lanes: Int) {
        self.name = name
        sides = Array(repeating: Side(), count: lanes)
        related = Array(repeating: false, count: lanes)
    }

    /// The edge with the earliest frame that is first in its queue, and the time of this frame. If two frames have the same time,
    /// the edge named first.
    var first: (lane: Int, time: Timestamp)? {
        guard frames > 0 else { return nil }
        var best: (lane: Int, time: Timestamp)?
        for lane in sides.indices {
            guard let time = sides[lane].queue.first?.frameTime else { continue }
            if best.map({ time < $0.time }) ?? true { best = (lane, time) }
        }
        return best
    }

    /// The arrival time of the earliest frame that is first in its queue; 0 if there is none.
    var firstArrival: Int64 {
        guard let (lane, _) = first, case .frame(let frame)? = sides[lane].queue.first?.item else { return 0 }
        return frame.arrival
    }

    /// All waiting items.
    var items: [EdgeItem<Element>] { sides.flatMap { $0.queue.map(\.item) } }

    /// Removes all waiting items.
    func removeAll() {
        for lane in sides.indices { sides[lane].queue.removeAll() }
    }
}
