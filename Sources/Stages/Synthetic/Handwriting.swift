import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Generates signatures as a hand writes them, by the sigma-lognormal model (Plamondon, "A kinematic theory of rapid human
/// movements", Biological Cybernetics 72, 1995; O'Reilly, Plamondon, "Development of a Sigma-Lognormal representation for on-line
/// signatures", Pattern Recognition 42, 2009).
///
/// A stroke of the pen is a sum of simple movements that overlap in time. Each movement follows an arc with a lognormal speed
/// profile: slow at first, fastest in the middle, slow at the end. The pen is therefore slow in turns and fast between them.
struct Handwriting {
    /// A position; y grows downward. The unit is the x-height: the height of a small letter x.
    private typealias Target = (x: Double, y: Double)

    /// A movement along an arc.
    private struct Movement {
        /// The time at which the movement is commanded, in seconds.
        let begin: Double
        /// The time from the command until half of the movement is done, in seconds.
        let delay: Double
        /// Its arc length, in x-heights.
        let length: Double
        /// Its direction at the beginning and at the end, in radians.
        let from, to: Double

        /// The standard deviation of the logarithm of time.
        static let sigma = 0.28

        /// Returns the offset of the pen at a time, in x-heights. The share of the arc that is done by then is given by the
        /// lognormal distribution.
        func offset(at time: Double) -> Target {
            guard time > begin else { return (0, 0) }
            let share = 0.5 * erfc(-log((time - begin) / delay) / (Self.sigma * 2.0.squareRoot()))
            let turn = to - from
            guard abs(turn) > 1e-6 else { return (length * share * cos(from), length * share * sin(from)) }
            let angle = from + turn * share
            return (length / turn * (sin(angle) - sin(from)), -length / turn * (cos(angle) - cos(from)))
        }

        /// The time at which the movement is practically complete, in seconds.
        var end: Double { begin + delay * exp(3 * Self.sigma) }
    }

    private var random: SplitMix64

    /// Creates a generator with a seed.
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Generates a signature: the name in one stroke, a line under it, and a dot. Samples are in x-heights.
    ///
    /// - Parameter hz: The number of samples per second.
    mutating func signature(hz: Double) -> (samples: [Sample], counts: [Int]) {
        var samples: [Sample] = []
        var counts: [Int] = []
        var time = 0.0
        let name = name()
        let width = name.map(\.x).max() ?? 1
        let line: [Target] = [
            (width * (0.85 + 0.1 * random.uniform()), 1.35), (width * 0.12, 1.75 + 0.3 * random.uniform()),
            (width * (0.95 + 0.15 * random.uniform()), 1.25),
        ]
        for (targets, curls) in [(name, 1.9), (line, 0.35)] {
            let written = write(targets, curling: curls, from: time, hz: hz)
            samples += written
            counts.append(written.count)
            // The pen is up for less than 300 ms, after which `segment` would end the gesture by default.
            time = (written.last?.t ?? 0) / 1e6 + 0.13 + 0.1 * random.uniform()
        }
        let dot = (x: width * (0.4 + 0.3 * random.uniform()), y: -2.1 - 0.4 * random.uniform())
        samples.append(Sample(x: dot.x, y: dot.y, t: (time * 1e6).rounded()))
        return (samples, counts + [1])
    }

    /// Generates the targets of the movements of a name: a tall first letter, loops of several heights, and a final swing.
    private mutating func name() -> [Target] {
        func vary(_ value: Double, _ generator: inout SplitMix64) -> Double {
            value * (0.9 + 0.2 * generator.uniform())
        }
        var targets: [Target] = [(0, -0.4), (0.9, vary(-2.7, &random)), (0.35, vary(0.2, &random) - 0.1)]
        var x = 0.6
        for letter in 0..<(6 + Int(random.uniform() * 3)) {
            let kind = random.uniform()
            let isTall = kind > 0.72 && letter > 0
            let isDeep = kind < 0.16 && letter > 1
            x += vary(isTall ? 0.75 : 0.62, &random)
            targets.append((x + 0.25, vary(isTall ? -2.1 : -0.95, &random)))
            targets.append((x, isDeep ? vary(1.1, &random) : 0.12 * (random.uniform() - 0.5)))
            x += 0.12
        }
        targets.append((x + vary(1.6, &random), vary(-0.5, &random)))
        return targets
    }

    /// Generates the samples of one stroke through targets.
    private mutating func write(_ targets: [Target], curling: Double, from start: Double, hz: Double) -> [Sample] {
        guard let first = targets.first else { return [] }
        var movements: [Movement] = []
        var begin = start
        for (a, b) in zip(targets, targets.dropFirst()) {
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let chord = hypot(dx, dy)
            // Upward and downward strokes turn the same way, which forms loops. A turn to the left is negative, because y grows
            // downward.
            let turn = -curling * (0.75 + 0.5 * random.uniform())
            let delay = 0.11 * (0.9 + 0.2 * random.uniform()) * pow(max(chord, 0.3), 0.25)
            movements.append(
                Movement(
                    begin: begin, delay: delay, length: chord * (turn / 2) / sin(turn / 2),
                    from: atan2(dy, dx) - turn / 2, to: atan2(dy, dx) + turn / 2))
            begin += delay * (1.0 + 0.12 * random.uniform())
        }
        guard let end = movements.map(\.end).max() else { return [] }
        return (0...Int((end - start) * hz)).map { i in
            let time = start + Double(i) / hz
            var (x, y) = first
            for movement in movements {
                let offset = movement.offset(at: time)
                x += offset.x
                y += offset.y
            }
            return Sample(x: x, y: y, t: (time * 1e6).rounded())
        }
    }
}
