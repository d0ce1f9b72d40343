import Pipeline

extension Points {
    /// Checks that stages can process the samples.
    ///
    /// - Throws: A frame error (`points.not_finite`) for numbers that are not finite or too large.
    package func check() throws {
        guard samples.areUsable else {
            throw PipelineError.frame("points.not_finite", "a sample of the stroke is not finite or too large")
        }
    }
}
