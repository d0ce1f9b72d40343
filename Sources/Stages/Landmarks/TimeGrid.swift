import Pipeline

/// The moments of an even rate.
struct TimeGrid: Sendable {
    private let interval: Double
    private let maxGap: Double
    private var origin = 0.0
    private var count = 0.0
    private var last: Double?

    init(_ options: ResampleTime.Options) {
        interval = 1e6 / options.hz
        maxGap = options.maxGapMs * 1000
    }

    /// By how many microseconds a moment of the grid may be earlier than the frame behind it.
    var stampsEarlierByUs: Int64 { Int64(maxGap.rounded(.up)) }

    /// Whether a moment continues the grid: it comes after the last one, and not too long after.
    func continues(_ time: Double) -> Bool {
        guard let last else { return false }
        return time > last && time - last <= maxGap
    }

    /// Whether a moment is that of the last one.
    func repeats(_ time: Double) -> Bool { last == time }

    /// Begins a grid.
    mutating func begin(_ time: Double) { (origin, count, last) = (time, 1, time) }

    /// Forgets the grid.
    mutating func end() { last = nil }

    /// The next moment of the grid up to `time`, with how far it lies on the way there from the last one, 0 to 1; `nil` when
    /// there is none left, and `time` becomes the last one.
    mutating func next(to time: Double) -> (moment: Double, share: Double)? {
        let moment = (origin + count * interval).rounded()
        guard let before = last, moment <= time else {
            last = time
            return nil
        }
        count += 1
        return (moment, (moment - before) / (time - before))
    }
}
