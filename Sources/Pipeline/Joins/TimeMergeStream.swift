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
    /// The time of the last frame that left, and the watermark that was last announced.
    var released = Timestamp.beforeAll
    var announced = Timestamp.beforeAll
    var frames = 0
    var ends = 0
    var lastUse = 0
    /// Whether its first frame waits for the clock of another source.
    var isParked = false
    var isTouched = false
    /// Whether the stream has been announced since it began.
    var isKnown = false

    init(_ name: StreamID, lanes: Int) {
        self.name = name
        sides = Array(repeating: Side(), count: lanes)
    }
}
