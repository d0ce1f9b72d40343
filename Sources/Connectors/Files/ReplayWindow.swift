import Pipeline

/// The part of a recording that is replayed, as a time window relative to the first frame.
struct ReplayWindow: Sendable {
    private let offset: Int64
    private let duration: Int64?
    private var first: Timestamp?
    /// Whether the last time was in the window. Before the first time, whether the window begins with the recording.
    private var isInside: Bool

    init(startOffsetMs: Double, durationMs: Double?) {
        offset = Int64((startOffsetMs * 1000).rounded())
        duration = durationMs.map { Int64(($0 * 1000).rounded()) }
        isInside = offset == 0
    }

    /// Whether the window contains all times.
    var takesAll: Bool { offset == 0 && duration == nil }

    /// Whether an item's time lies in the window. The first time is the beginning of the recording. Without an offset, earlier
    /// times belong to the window as well. An item of unknown time belongs to the window if the item before it does.
    mutating func contains(_ time: Timestamp?) -> Bool {
        guard let time, !takesAll else { return isInside }
        let begin = first ?? time
        first = begin
        let elapsed = time.microseconds(since: begin)
        isInside = (offset == 0 || elapsed >= offset) && duration.map { elapsed - offset <= $0 } ?? true
        return isInside
    }

    /// Starts a new pass over the recording.
    mutating func restart() { (first, isInside) = (nil, offset == 0) }
}
