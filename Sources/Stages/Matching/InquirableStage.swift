import Pipeline
import PipelineComponents

/// A stage that can say how it comes to its output.
package protocol InquirableStage: Stage {
    /// What it would say to a payload, and why; `nil` when it does not take such.
    ///
    /// - Throws: What it throws for a payload that it cannot process.
    func answer(to payload: any Payload) throws -> MatchAnswer?
}
