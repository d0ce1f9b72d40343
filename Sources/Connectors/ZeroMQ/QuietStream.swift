/// Determines when to repeat the last sequence number of a quiet stream: first after the stream has been quiet for a while, and
/// then after pauses that double up to a limit. Performs no I/O; times are in milliseconds.
struct QuietStream: Sendable {
    /// The length of the longest pause, as a multiple of the first.
    static let longestPause: Int64 = 16

    private var pause: Int64 = 0
    private var next: Int64 = 0

    /// Creates the state for a stream whose last frame was just sent.
    init() {}

    /// Returns whether to repeat the number now, and if so, schedules the next repetition. Call this method regularly: the quiet
    /// time starts with the first call.
    mutating func isDue(at now: Int64, firstMs first: Int64) -> Bool {
        if pause == 0 {
            (pause, next) = (first, now + first)
            return false
        }
        guard now >= next else { return false }
        pause = min(2 * pause, first * Self.longestPause)
        next = now + pause
        return true
    }
}
