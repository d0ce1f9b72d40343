import Pipeline
import PipelineComponents
import Stages

/// The options of a source that can produce landmarks.
public protocol LandmarkSourceOptions: ComponentOptions {
    /// The kind of payload that the source produces.
    var kind: PayloadKind { get }

    /// What the configuration declares about the landmarks.
    var landmarks: LandmarkTraits { get set }

    /// How the source decodes messages.
    var decode: DecodeOptions { get set }
}

extension LandmarkSourceOptions {
    /// What is known about the landmarks before any input is read: what the configuration declares, completed by the preset.
    var knownLandmarks: LandmarkTraits { decode.landmarks(landmarks, for: kind) }

    /// Reports options about landmarks on a source that produces no landmarks.
    func checkLandmarks(_ node: ConfigNode, _ context: DecodingContext) {
        guard !kind.holdsLandmarks else { return }
        for name in ["space", "y", "topology"] where !(node[name]?.isNull ?? true) {
            context.findings.error(
                "option.conflict", "\"\(name)\" has no effect for kind \(kind.name)", at: node[name]?.span,
                path: context.path + ".\(name)", help: "leave it out, or write kind: landmarks or kind: hands")
        }
    }
}
