import Pipeline
import PipelineComponents

/// A stage that can explain its output.
package protocol ExplainableStage: Stage {
    /// Whether the stage compares payloads with templates. If not, it explains nothing.
    var hasTemplates: Bool { get }

    /// Returns the output for a payload and the reasons for it, or `nil` if the stage does not accept the payload.
    ///
    /// - Throws: The errors that the stage throws for a payload that it cannot process.
    func answer(to payload: any Payload) throws -> MatchExplanation?
}

extension ExplainableStage {
    package var hasTemplates: Bool { true }
}
