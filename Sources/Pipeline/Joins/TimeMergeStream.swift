/// The state of one stream in a ``TimeMerge``.
final class TimeMergeStream<Element: EdgeElement> {
    struct Held {
        let item: EdgeItem<Element>
        /// The item's timestamp, or the timestamp of an earlier frame on the same edge if that is later.
        let time: Timestamp
        let rank: SourceRank
        let number: Int
    }

    /// The progress of a stream on one edge since the stream began.
    struct Epoch {
        var reached = Timestamp.beforeAll
        var bound = Timestamp.beforeAll
        var hasShown = false
    }

    /// The items of the stream from one edge.
    struct Side {
        var held = Fifo<Held>()
        /// The epoch that the edge is delivering. Its times do not apply to earlier epochs.
        var epoch = Epoch()
        /// Earlier epochs whose end has arrived and still waits to leave.
        var ended = Fifo<Epoch>()

        /// The epoch whose items leave first.
        var first: Epoch { ended.first ?? epoch }
        var isAtEnd: Bool { if !ended.isEmpty, case .end? = held.first?.item { true } else { false } }
    }

    let name: StreamID
    var sides: [Side]
    /// The time of the last frame that left.
    var released = Timestamp.beforeAll
    /// The watermark that was last announced.
    var announced = Timestamp.beforeAll
    /// The number of waiting frames.
    var frames = 0
    /// The number of waiting ends.
    var ends = 0
    /// The number of items that had been added when the stream was last used; it selects the streams to evict.
    var lastUse = 0
    /// Whether the first frame waits for the clock of another source.
    var isParked = false
    /// Whether the stream is in ``TimeMerge/touched``.
    var isTouched = false
    /// Whether the stream has been announced since it began.
    var isKnown = false

    init(_ name: StreamID, lanes: Int) {
        self.name = name
        sides = Array(repeating: Side(), count: lanes)
    }
}
