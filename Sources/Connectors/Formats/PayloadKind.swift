import Pipeline
import PipelineComponents
import Stages

/// What a source is told that its messages carry.
public enum PayloadKind: String, OptionChoice {
    /// Pieces of strokes as they are drawn.
    case points
    /// Finished gestures.
    case stroke
    /// Sets of landmarks.
    case landmarks
    /// The hands of camera frames.
    case hands
    /// The hands of camera frames with what they show.
    case results
    /// Numbers that a matcher compares.
    case vector
    /// Pictures of eight by eight cells.
    case bitmap
    /// What a matcher found.
    case recognition
    /// Smoothed strokes with their widths.
    case ink

    /// The ports of all kinds.
    static let ports = allCases.map { PortType($0.type) }

    /// Whether it holds landmarks, of which a source can be told what they are.
    var holdsLandmarks: Bool { self == .landmarks || self == .hands || self == .results }

    /// The payload type, to be opened by a generic function.
    package var type: any WirePayload.Type {
        switch self {
        case .points: Points.self
        case .stroke: Stroke.self
        case .landmarks: Landmarks.self
        case .hands: Hands.self
        case .results: HandResults.self
        case .vector: FeatureVector.self
        case .bitmap: Bitmap.self
        case .recognition: Recognition.self
        case .ink: Ink.self
        }
    }
}
