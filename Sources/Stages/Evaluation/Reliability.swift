/// Whether answers are right as often as they say: a reliability diagram, and its expected calibration error (Naeini, Cooper, Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015).
public struct Reliability: Sendable {
    /// Answers that are about equally sure.
    public struct Bin: Sendable, Hashable {
        /// How many.
        public var count = 0
        /// How sure they are, on average.
        public var confidence = 0.0
        /// The share that is right.
        public var accuracy = 0.0
    }

    /// Ten bins from 0 to 1.
    public let bins: [Bin]
    /// How far the share that is right is from what was said, on average over all answers.
    public let error: Double

    /// Sorts answers by how sure they are. O(answers).
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
