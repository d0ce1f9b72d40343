import Pipeline
import PipelineComponents

/// The explanation of a matcher's result.
package struct MatchExplanation: Sendable {
    /// A gesture that was compared.
    package struct Candidate: Sendable {
        /// The name of the gesture.
        package let label: String
        /// The score, 0 to 1.
        package let score: Double
        /// The distance, in the unit of the method.
        package let distance: Double
        /// The largest distance that is a match; infinite if there is none.
        package let limit: Double
        /// The nearest sample: its index in the library's gesture, and its payload. `nil` for a bare bitmap.
        package let sample: (number: Int, payload: any Payload)?
    }

    /// The nearest gestures, nearest first.
    package let candidates: [Candidate]
    /// The lowest score that is a match.
    package let scoreThreshold: Double
    /// The smallest difference in score between the best gesture and the next at which the best one is a match.
    package let minMargin: Double
    /// The actual difference in score between the best gesture and the next.
    package let margin: Double
    /// Whether a gesture of the library was recognized.
    package let isAccepted: Bool
    /// The reason, in one sentence.
    package var sentence: String
    /// The `id` of the node whose frames have the form of the library's samples, because the stages after it also prepare the
    /// samples. `nil` if the matcher was made without a configuration; then its own input has that form.
    package let preparedFrom: String?
}
