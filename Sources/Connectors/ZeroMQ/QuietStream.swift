/// When to say again which number a stream has reached: when it has been quiet for a while, then after twice as long each time,
/// up to a limit. Pure state; times are in milliseconds.
struct QuietStream: Sendable {
    /// How many times as long as the first the longest pause is.
    static let longestPause: Int64 = 16

    private var pause: Int64 = 0
    private var next: Int64 = 0

    /// A frame has just been sent.
    init() {}

    /// Whether to say it now; takes note of it. To be asked now and then: the time of quiet begins with the first question.
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
