import Pipeline

/// The feature extraction for custom gestures: normalizes a hand and converts it to a vector.
struct HandComparison: Sendable {
    /// Stages that compute the same vector as ``vector(of:into:)``.
    let stages: [any Stage]
    private let normalizer: HandNormalizer
    private let vectorizer: LandmarkVectorizer
    private var hand = Landmarks.empty

    init(_ options: CustomGestureOptions) throws {
        var normalize = NormalizeHand.Options()
        normalize.rotateLimitDeg = options.rotateLimitDeg
        normalize.mirrorTo = .right
        var vectorize = Vectorize.Options()
        vectorize.layout = options.layout == .distances ? .distances : .xy
        normalizer = HandNormalizer(normalize)
        vectorizer = try LandmarkVectorizer(vectorize, .hand21)
        stages = [NormalizeHandStage(normalize), VectorizeLandmarks(vectorizer)]
    }

    /// Computes the feature vector of a hand.
    ///
    /// - Throws: A frame error for landmarks that are not a hand, or have no extent.
    mutating func vector(of landmarks: Landmarks, into values: inout [Double]) throws {
        try normalizer.normalize(landmarks, into: &hand)
        try vectorizer.vector(of: hand, into: &values)
    }
}
