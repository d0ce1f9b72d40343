/// Tells a task when what it has made must be handed on though more waits to be worked on: when the work since it last did so
/// took longer than some milliseconds.
///
/// Reads the clock seldom: after every frame only where frames take long.
struct Pace {
    /// How long what was made may wait for what is made after it, in nanoseconds.
    static var patience: Int64 { 5_000_000 }

    /// After how many frames the clock is read at the latest.
    static var longestStride: Int { 16 }

    private var began: Int64 = 0
    private var stride = 1
    private var left = 1

    /// Begins to measure.
    mutating func begin(_ clock: any RunClock) { began = clock.now }

    /// Counts a frame that was worked on. Returns whether it is time to hand on; then the time begins anew.
    @inline(__always)
    mutating func isOver(_ clock: any RunClock) -> Bool {
        left -= 1
        return left <= 0 && look(clock)
    }

    @inline(never)
    private mutating func look(_ clock: any RunClock) -> Bool {
        let now = clock.now
        let took = now - began
        if took > Self.patience {
            stride = 1
        } else if took < Self.patience / 4 {
            stride = min(2 * stride, Self.longestStride)
        }
        left = stride
        guard took > Self.patience else { return false }
        began = now
        return true
    }
}
