/// Decides when a task must send its output although more input is waiting: when it has worked for longer than ``patience`` since
/// it last sent output.
///
/// It reads the clock at most once per item, and less often if items are processed quickly.
struct Pace {
    /// The time, in nanoseconds, after which output is sent even if its batch is not full.
    static var patience: Int64 { 5_000_000 }

    /// The largest number of items between two readings of the clock.
    static var longestStride: Int { 16 }

    private var began: Int64 = 0
    private var stride = 1
    private var left = 1

    /// Starts the measurement.
    mutating func begin(_ clock: any RunClock) { began = clock.now }

    /// Counts a processed item. Returns whether the task must send its output now; if so, the measurement restarts.
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
