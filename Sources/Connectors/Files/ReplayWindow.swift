import Pipeline
import Stages

/// The part of a recording that is replayed, as a time window relative to the first frame. As with a ``ReplayPacer``, each further
/// run in the recording begins one second after the latest frame before it.
struct ReplayWindow: Sendable {
    private let offset: Int64
    private let duration: Int64?
    private var sessions: SessionDetector?
    /// The time of the recording at which the replay begins, by the clock of the current run.
    private var begin: Int64?
    /// The longest time since the beginning so far, in microseconds.
    private var latest: Int64 = 0
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
    ///
    /// - Parameter clock: The clock that the times follow; `nil` for log times, which do not start over with each run.
    mutating func contains(_ time: Timestamp?, of stream: StreamID, by clock: SessionDetector.Clock?) -> Bool {
        guard let time = time?.rawValue, !takesAll else { return isInside }
        if sessions == nil { sessions = clock.map(SessionDetector.init) }
        if sessions?.begins(with: stream, at: time) == true {
            begin = time.subtractingSaturated(latest.addingSaturated(SessionDetector.pause))
        }
        let begin = begin ?? time
        self.begin = begin
        let elapsed = time.subtractingSaturated(begin)
        latest = max(latest, elapsed)
        isInside = (offset == 0 || elapsed >= offset) && duration.map { elapsed - offset <= $0 } ?? true
        return isInside
    }

    /// Starts a new pass over the recording.
    mutating func restart() { (sessions, begin, latest, isInside) = (nil, nil, 0, offset == 0) }
}
