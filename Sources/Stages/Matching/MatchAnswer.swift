import Pipeline
import PipelineComponents

/// How a matcher came to what it said, for a person who asks.
package struct MatchAnswer: Sendable {
    /// A gesture that was compared.
    package struct Candidate: Sendable {
        /// Its name.
        package let label: String
        /// How near it is: 0 to 1.
        package let score: Double
        /// How far it is, in the unit of the method.
        package let distance: Double
        /// The largest distance that is a match; infinite where there is none.
        package let limit: Double
        /// Its nearest sample: which it is of those in the library, from 0, and what it looks like. `nil` for a bare pattern.
        package let sample: (number: Int, payload: any Payload)?
    }

    /// The nearest gestures, the nearest first.
    package let candidates: [Candidate]
    /// The lowest score that is a match.
    package let scoreThreshold: Double
    /// By how much the best must be better than the next, in score.
    package let minMargin: Double
    /// By how much it is.
    package let margin: Double
    /// Whether something was recognized.
    package let isAccepted: Bool
    /// Why, in one sentence.
    package let sentence: String
}
