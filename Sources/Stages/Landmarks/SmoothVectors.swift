import Pipeline

/// Smooths the numbers of vectors.
public struct SmoothVectors: Stage {
    private var smoother: NumberSmoother
    private var output = FeatureVector(values: [])

    /// Creates a stage from its options. `scaleBy` is ignored.
    public init(_ options: Smooth.Options = Smooth.Options()) { smoother = NumberSmoother(options) }

    /// - Throws: A frame error for numbers that are not finite (`vector.not_finite`).
    public mutating func process(
        _ vector: FeatureVector, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        guard vector.values.allSatisfy({ abs($0) <= Stroke.largestMagnitude }) else {
            throw PipelineError.frame("vector.not_finite", "a number of the vector is not finite or too large")
        }
        if vector.values.count != output.values.count { smoother.reset() }
        output.values.removeAll(keepingCapacity: true)
        output.values.append(contentsOf: vector.values)
        output.start = vector.start
        output.end = vector.end
        output.label = vector.label
        output.subject = vector.subject
        output.values.withUnsafeMutableBufferPointer { smoother.apply($0, at: header.timestamp) }
        emitter.emit(output)
        // A reference held any longer would keep the upstream stage from reusing the subject's memory.
        output.subject = nil
    }
}
