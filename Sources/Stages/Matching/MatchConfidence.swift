#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The probability that the nearest gesture is the right one: a logistic function of its distance, in units of the learned limit
/// (Platt, "Probabilistic outputs for support vector machines", 1999).
///
/// The model assumes that one gesture in four is unknown. If all gestures are in the library, results are right somewhat more often
/// than the model says.
public struct MatchConfidence: Hashable, Sendable {
    /// The log-odds at the limit.
    public var bias: Double
    /// The decrease of the log-odds per unit of distance, in units of the limit.
    public var slope: Double

    /// Creates a function. The slope must not be negative.
    public init(bias: Double, slope: Double) { (self.bias, self.slope) = (bias, slope) }

    /// The default for strokes, fitted to recordings of people (the $1 and MMG sets, open sets of twelve of sixteen gestures, one
    /// to nine samples). On held-out people the expected calibration error is 0.8 and 0.6 %.
    static let cloud = MatchConfidence(bias: 0.83, slope: 11.1)

    /// The default for hands, fitted to kinivi's hand-gesture-recognition-mediapipe (three of its four gestures known, samples
    /// drawn from one to seven eighths of the recording, the rest tested). The expected calibration error is 1.3 to 2.4 % with
    /// three or more samples, and 10 % with one sample.
    static let hands = MatchConfidence(bias: 1.55, slope: 4.8)

    /// One match: its distance in units of the limit, whether it was right, and its weight.
    struct Case {
        var ratio: Double
        var isRight: Bool
        var weight: Double
    }

    /// Returns the maximum a posteriori function for some matches.
    ///
    /// The prior is normal around `usual`, with a standard deviation of 1 for the bias and 4 for the slope. Fitted by Newton's
    /// method. Complexity: O(cases).
    static func fitted(to cases: [Case], from usual: MatchConfidence = .cloud) -> MatchConfidence {
        let (biasPrecision, slopePrecision) = (1.0, 1.0 / 16)
        var function = usual
        for _ in 0..<30 {
            // The gradient and the curvature of the log-posterior.
            var (bias, slope) = (
                -(function.bias - usual.bias) * biasPrecision, -(function.slope - usual.slope) * slopePrecision
            )
            var (biasBias, biasSlope, slopeSlope) = (biasPrecision, 0.0, slopePrecision)
            for match in cases {
                let distance = 1 - min(match.ratio, 100)
                let probability = 1 / (1 + exp(-function.bias - function.slope * distance))
                let error = match.weight * ((match.isRight ? 1 : 0) - probability)
                let curvature = match.weight * probability * (1 - probability)
                bias += error
                slope += error * distance
                biasBias += curvature
                biasSlope += curvature * distance
                slopeSlope += curvature * distance * distance
            }
            let determinant = biasBias * slopeSlope - biasSlope * biasSlope
            guard determinant > 1e-12 else { break }
            // Limit the step: the log-posterior is not a parabola.
            let step = (
                bias: (slopeSlope * bias - biasSlope * slope) / determinant,
                slope: (biasBias * slope - biasSlope * bias) / determinant
            )
            function.bias += min(max(step.bias, -1), 1)
            function.slope = max(function.slope + min(max(step.slope, -2), 2), 0)
            if abs(step.bias) + abs(step.slope) < 1e-9 { break }
        }
        return function
    }

    /// Returns the probability at a distance in units of the limit, from 0 to 1, rounded to four decimals.
    func probability(at ratio: Double) -> Double {
        (10_000 / (1 + exp(slope * (min(ratio, 100) - 1) - bias))).rounded() / 10_000
    }
}
