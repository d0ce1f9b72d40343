import Pipeline

extension Points {
    /// Refuses samples that no stage can work on.
    ///
    /// - Throws: A frame error, `points.not_finite`.
    package func check() throws {
        let isUsable = samples.allSatisfy {
            $0.isFinite && abs($0.x) <= Stroke.largestMagnitude && abs($0.y) <= Stroke.largestMagnitude
        }
        guard isUsable else { throw PipelineError.frame("points.not_finite", "a sample of the stroke is not finite") }
    }
}
