#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The 1€ filter (Casiez, Roussel, Vogel, CHI 2012) on several numbers at once.
///
/// A low-pass filter whose cutoff grows with the speed: steady when things rest, quick when they move. As in the authors'
/// own code the speed is taken from the previous *filtered* value. O(numbers) a step.
struct OneEuroFilter: Sendable {
    /// What it is tuned by.
    struct Tuning: Sendable {
        /// The cutoff at rest, in hertz.
        var minCutoffHz = 1.0
        /// How much the cutoff grows with the speed.
        var beta = 0.0
        /// The cutoff for the speed, in hertz.
        var derivativeCutoffHz = 1.0
    }

    private let tuning: Tuning
    private var values: [Double] = []
    private var speeds: [Double] = []

    init(_ tuning: Tuning) { self.tuning = tuning }

    /// Filters numbers in place.
    ///
    /// - Parameters:
    ///   - elapsed: Seconds since the last ones; `nil` starts over, and the first numbers are taken as they are.
    ///   - scale: What speeds are multiplied by before they move the cutoff.
    mutating func apply(_ numbers: UnsafeMutableBufferPointer<Double>, elapsed: Double?, scale: Double) {
        guard let elapsed, values.count == numbers.count else {
            values.removeAll(keepingCapacity: true)
            values.append(contentsOf: numbers)
            speeds.resize(to: numbers.count, filler: 0)
            for index in speeds.indices { speeds[index] = 0 }
            return
        }
        let share = Self.share(cutoffHz: tuning.derivativeCutoffHz, elapsed)
        let (minCutoff, beta) = (tuning.minCutoffHz, tuning.beta)
        values.withUnsafeMutableBufferPointer { values in
            speeds.withUnsafeMutableBufferPointer { speeds in
                for index in numbers.indices {
                    let speed = (numbers[index] - values[index]) * scale / elapsed
                    speeds[index] += share * (speed - speeds[index])
                    let cutoff = minCutoff + beta * abs(speeds[index])
                    values[index] += Self.share(cutoffHz: cutoff, elapsed) * (numbers[index] - values[index])
                    numbers[index] = values[index]
                }
            }
        }
    }

    /// How much of a new value counts: 1 / (1 + τ/Δt) with τ = 1/(2π·cutoff).
    private static func share(cutoffHz: Double, _ elapsed: Double) -> Double {
        let rate = 2 * .pi * cutoffHz * elapsed
        return rate.isFinite ? rate / (rate + 1) : 1
    }
}
