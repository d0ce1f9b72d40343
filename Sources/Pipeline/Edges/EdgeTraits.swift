/// The properties of an edge that follow from its position in the graph.
struct EdgeTraits {
    /// Whether the consumer needs watermarks of quiet streams. (A watermark states that no frame at or before a time follows;
    /// MediaPipe calls it a timestamp bound.)
    var wantsWatermarks: Bool

    /// Whether the edge leads to a merge or join in a batch run, so that it carries the ranks of the sources' items.
    var wantsProgress = false

    /// Whether marks wait for room like frames, and are never removed; see ``EdgeState``.
    var marksWait = false

    /// Whether the producer is a source of a live run, which announces watermarks of quiet streams (``LiveTime``).
    var isOfLiveSource = false

    /// The maximum number of streams whose gaps are kept.
    var maxStreams = 10_000

    /// Whether the consumer is outside the run, for example a reader of results.
    var isConsumedOutside = false

    /// The numbering of frames while a run is recorded or replayed: the index of this edge among the edges of its consumer, and
    /// the number of these edges. See ``TapeItem/frame(_:gap:)``.
    var numbering: (first: UInt32, step: UInt32)?
}
