import Pipeline
import PipelineComponents

/// A stage that can explain its output.
package protocol ExplainableStage: Stage {
    /// Returns the output for a payload and the reasons for it, or `nil` if the stage does not accept the payload.
    ///
    /// - Throws: The errors that the stage throws for a payload that it cannot process.
    func answer(to payload: any Payload) throws -> MatchExplanation?
}
