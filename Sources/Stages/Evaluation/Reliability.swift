/// The calibration of confidences: a reliability diagram, and its expected calibration error (Naeini, Cooper, Hauskrecht,
/// "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015).
public struct Reliability: Sendable {
    /// The answers whose confidences lie in one interval.
    public struct Bin: Sendable, Hashable {
        /// The number of answers.
        public var count = 0
        /// The mean confidence of the answers.
        public var confidence = 0.0
        /// The share of answers that are right.
        public var accuracy = 0.0
    }

    /// The bins, of equal width from 0 to 1; ten by default.
    public let bins: [Bin]
    /// The expected calibration error: the absolute difference between confidence and accuracy, averaged over all answers.
    public let error: Double

    /// Sorts answers into bins by confidence. O(answers).
    init(_ answers: [(confidence: Double, isRight: Bool)], bins count: Int = 10) {
        var bins = [Bin](repeating: Bin(), count: max(count, 1))
        for answer in answers {
            let place = min(max(Int(answer.confidence * Double(bins.count)), 0), bins.count - 1)
            bins[place].count += 1
            bins[place].confidence += answer.confidence
            bins[place].accuracy += answer.isRight ? 1 : 0
        }
        var error = 0.0
        for place in bins.indices where bins[place].count > 0 {
            bins[place].confidence /= Double(bins[place].count)
            bins[place].accuracy /= Double(bins[place].count)
            error += abs(bins[place].confidence - bins[place].accuracy) * Double(bins[place].count)
        }
        self.bins = bins
        self.error = answers.isEmpty ? 0 : error / Double(answers.count)
    }
}
