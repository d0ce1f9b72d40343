import Pipeline

/// The part of a recording that is replayed, as a time window relative to the first frame.
struct ReplayWindow: Sendable {
    private let offset: Int64
    private let duration: Int64?
    private var first: Timestamp?

    init(startOffsetMs: Double, durationMs: Double?) {
        offset = Int64((startOffsetMs * 1000).rounded())
        duration = durationMs.map { Int64(($0 * 1000).rounded()) }
    }

    /// Whether the window contains all times.
    var takesAll: Bool { offset == 0 && duration == nil }

    /// Whether a frame's time lies in the window. The time of the first call is the beginning of the recording.
    mutating func contains(_ time: Timestamp) -> Bool {
        if takesAll { return true }
        let begin = first ?? time
        first = begin
        let elapsed = time.microseconds(since: begin)
        guard elapsed >= offset else { return false }
        return duration.map { elapsed - offset <= $0 } ?? true
    }

    /// Starts a new pass over the recording.
    mutating func restart() { first = nil }
}
