/// What a merge by time knows of one stream.
final class TimeMergeStream<Element: EdgeElement> {
    struct Held {
        let item: EdgeItem<Element>
        /// Its time, or that of a frame that came before it on its edge and is later.
        let time: Timestamp
        let rank: SourceRank
        let number: Int
    }

    /// How far one edge has brought a stream since it began.
    struct Epoch {
        var reached = Timestamp.beforeAll
        var bound = Timestamp.beforeAll
        var hasShown = false
    }

    /// What one edge has brought of one stream.
    struct Side {
        var held = Fifo<Held>()
        /// The epoch that the edge brings now: what it says of this one says nothing of those before it.
        var epoch = Epoch()
        /// The epochs whose ends wait.
        var ended = Fifo<Epoch>()

        /// The epoch that goes on first.
        var first: Epoch { ended.first ?? epoch }
        var isAtEnd: Bool { if !ended.isEmpty, case .end? = held.first?.item { true } else { false } }
    }

    let name: StreamID
    var sides: [Side]
    /// How far its frames have gone on, and what was announced.
    var released = Timestamp.beforeAll
    var announced = Timestamp.beforeAll
    var frames = 0
    var ends = 0
    var lastUse = 0
    /// Whether its first frame waits for another source's clock.
    var isParked = false
    var isTouched = false
    /// Whether it has been announced since it began.
    var isKnown = false

    init(_ name: StreamID, lanes: Int) {
        self.name = name
        sides = Array(repeating: Side(), count: lanes)
    }
}
