/// MediaPipe's velocity filter (`mediapipe/util/filtering/relative_velocity_filter.cc`) on several numbers at once.
///
/// In this low-pass filter, the weight of a new value grows with the recent speed, which is computed over a window of the last
/// steps. The oldest steps do not count if the window would otherwise last longer than it does at 30 steps per second. Differences
/// are scaled by the current size (MediaPipe's mode `kForceCurrentScale`), so that a mere change of size does not look like motion.
/// Complexity: O(numbers · window) per step.
struct RelativeVelocityFilter: Sendable {
    private let window: Int
    private let velocityScale: Double
    private var last: [Double] = []
    private var filtered: [Double] = []
    /// The durations and the scaled differences of the last steps, newest first.
    private var steps: [(elapsed: Double, distances: [Double])] = []

    /// The assumed maximum duration of a step, in seconds.
    private static let assumedStep = 1.0 / 30

    init(window: Int, velocityScale: Double) {
        self.window = window
        self.velocityScale = velocityScale
    }

    /// Filters numbers in place. For the parameters, see ``OneEuroFilter/apply(_:elapsed:scale:)``.
    mutating func apply(_ numbers: UnsafeMutableBufferPointer<Double>, elapsed: Double?, scale: Double) {
        guard let elapsed, last.count == numbers.count else {
            last.removeAll(keepingCapacity: true)
            last.append(contentsOf: numbers)
            filtered.removeAll(keepingCapacity: true)
            filtered.append(contentsOf: numbers)
            steps.removeAll(keepingCapacity: true)
            return
        }
        let (used, duration) = stepsInWindow(elapsed)
        // Reuse the memory of the oldest step for the new one.
        var distances = steps.count == window ? steps.removeLast().distances : []
        distances.resize(to: numbers.count, filler: 0)
        let countsOldest = steps.count < used
        for index in numbers.indices {
            let distance = scale * (numbers[index] - last[index])
            var sum = distance
            for step in 0..<(countsOldest ? steps.count : used) { sum += steps[step].distances[index] }
            if countsOldest { sum += distances[index] }
            distances[index] = distance
            let share = 1 - 1 / (1 + velocityScale * abs(sum / duration))
            last[index] = numbers[index]
            filtered[index] += (share.isFinite ? share : 1) * (numbers[index] - filtered[index])
            numbers[index] = filtered[index]
        }
        steps.insert((elapsed, distances), at: 0)
    }

    /// Returns how many of the last steps count in addition to the new step, and the duration of all these steps, new one included.
    private func stepsInWindow(_ elapsed: Double) -> (count: Int, duration: Double) {
        let longest = Double(1 + steps.count) * Self.assumedStep
        var duration = elapsed
        for (count, step) in steps.enumerated() {
            if duration + step.elapsed > longest { return (count, duration) }
            duration += step.elapsed
        }
        return (steps.count, duration)
    }
}
