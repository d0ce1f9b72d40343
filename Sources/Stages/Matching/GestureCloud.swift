import CKernels
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The features of a gesture for ``CloudMatcher``: its point cloud, the steps of its path, and its histogram of orientations.
struct GestureCloud: Sendable {
    /// The largest path distance that counts. It also caps the shape distance that takes the place of a missing path distance.
    static let largestPathDistance: Float = 0.5

    /// Returns the distance of two gestures.
    ///
    /// - Parameters:
    ///   - shape: The distance of their shapes.
    ///   - path: The distance of their paths; `nil` unless both gestures have one stroke.
    static func fused(shape: Float, path: Float?) -> Float { (shape + min(path ?? shape, largestPathDistance)) / 2 }

    /// The number of features.
    static let count = Int(PK_CLOUD_FEATURES)

    /// The features, in the layout of `pk_cloud_features`.
    let features: [Float]
    /// Whether the gesture is one stroke, so that its path is compared too.
    let isOneStroke: Bool
    /// The person who drew the gesture, if known.
    let subject: String?

    /// Computes the features of a gesture as it is drawn.
    ///
    /// - Throws: A frame error for a stroke that is empty, not finite, or inconsistent.
    init(_ stroke: Stroke) throws {
        let points = try EvenPoints(stroke)
        isOneStroke = points.isOneStroke
        subject = stroke.subject
        features = [Float](unsafeUninitializedCapacity: Self.count) { memory, count in
            guard let base = memory.baseAddress else { return }
            points.writeFeatures(turnedBy: 0, to: base)
            count = Self.count
        }
    }
}

/// A gesture as evenly spaced points, from which the features at any angle are computed.
struct EvenPoints {
    private let even: [Double]
    /// Whether the gesture is one stroke.
    let isOneStroke: Bool

    /// Resamples a gesture to evenly spaced points. O(samples).
    ///
    /// - Throws: A frame error for a stroke that is empty, not finite, or inconsistent.
    init(_ stroke: Stroke) throws {
        try stroke.check()
        isOneStroke = stroke.counts.count <= 1
        var ends = isOneStroke ? [stroke.samples.count] : stroke.counts
        for index in ends.indices.dropFirst() { ends[index] += ends[index - 1] }
        let stride = MemoryLayout<Sample>.stride / MemoryLayout<Double>.stride
        even = stroke.samples.withUnsafeBytes { samples in
            [Double](unsafeUninitializedCapacity: Int(PK_CLOUD_EVEN)) { even, count in
                guard let first = samples.assumingMemoryBound(to: Double.self).baseAddress,
                    let base = even.baseAddress
                else { return }
                pk_cloud_even(first, stride, ends, ends.count, base)
                count = Int(PK_CLOUD_EVEN)
            }
        }
    }

    /// Writes the ``GestureCloud/count`` features of the gesture, rotated by an angle.
    func writeFeatures(turnedBy radians: Double, to features: UnsafeMutablePointer<Float>) {
        let (cosine, sine) = radians == 0 ? (1, 0) : (cos(radians), sin(radians))
        pk_cloud_features(even, cosine, sine, features)
    }
}
