import Pipeline

/// Evenly spaced timestamps, in microseconds.
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

    /// The largest time, in microseconds, by which an emitted timestamp can precede the input frame that causes it.
    var stampsEarlierByUs: Int64 { Int64(maxGap.rounded(.up)) }

    /// Returns whether a time continues the grid: whether it is later than the last input, by no more than the largest gap.
    func continues(_ time: Double) -> Bool {
        guard let last else { return false }
        return time > last && time - last <= maxGap
    }

    /// Returns whether a time equals that of the last input.
    func repeats(_ time: Double) -> Bool { last == time }

    /// Starts a new grid.
    mutating func begin(_ time: Double) { (origin, count, last) = (time, 1, time) }

    /// Ends the grid.
    mutating func end() { last = nil }

    /// Returns the next timestamp of the grid that is not after `time`, and its position between the last input and `time`, 0 to 1.
    ///
    /// If no such timestamp is left, `time` becomes the last input, and the method returns `nil`.
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
