#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The 1€ filter (Casiez, Roussel, Vogel, CHI 2012) on several numbers at once.
///
/// The cutoff frequency of this low-pass filter grows with the speed: the output is steady at rest, and responsive in motion. As in
/// the authors' own code, the speed is computed from the previous *filtered* value. Complexity: O(numbers) per step.
struct OneEuroFilter: Sendable {
    /// The parameters of the filter.
    struct Tuning: Sendable {
        /// The cutoff frequency at rest, in hertz.
        var minCutoffHz = 1.0
        /// The increase of the cutoff frequency per unit of speed.
        var beta = 0.0
        /// The cutoff frequency of the speed's low-pass filter, in hertz.
        var derivativeCutoffHz = 1.0
    }

    private let tuning: Tuning
    private var values: [Double] = []
    private var speeds: [Double] = []

    init(_ tuning: Tuning) { self.tuning = tuning }

    /// Filters numbers in place.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the current frame.
    ///   - elapsed: The time since the last numbers, in seconds; `nil` resets the filter, and these numbers remain unchanged.
    ///   - scale: The factor by which speeds are multiplied before they affect the cutoff.
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

    /// Returns the weight of a new value: 1 / (1 + τ/Δt) with τ = 1/(2π·cutoff).
    private static func share(cutoffHz: Double, _ elapsed: Double) -> Double {
        let rate = 2 * .pi * cutoffHz * elapsed
        return rate.isFinite ? rate / (rate + 1) : 1
    }
}
