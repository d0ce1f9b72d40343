/// The state that a ``StreamMerge`` keeps of one stream.
extension StreamMerge {
    /// The items of one stream that one edge has delivered.
    struct Side {
        var queue = Fifo<Item>()
        var bound = Timestamp.beforeAll
        var receipt = Timestamp.beforeAll
        /// Whether the edge has delivered the stream.
        var hasShown = false
        /// Whether the clock of the edge's sources is so far behind that the other edges do not wait for this edge.
        var isApart = false

        var first: Item? { queue.first }
    }

    struct Stream {
        /// The state of each edge.
        var sides: [Side]
        /// The number of items that the merge had taken when the stream was last used; it selects the streams to evict.
        var lastUse = 0
        /// For each edge, whether it may deliver frames of the stream.
        var related: [Bool] = []
        /// The time of the last frame that has left.
        var released = Timestamp.beforeAll
        /// The watermark that was last sent downstream.
        var sentBound = Timestamp.beforeAll
        /// The receipt that was last sent downstream.
        var sentReceipt = Timestamp.beforeAll
    }
}
