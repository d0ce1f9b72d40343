import Pipeline
import PipelineComponents
import Stages

/// The options of a source that may bring landmarks.
public protocol LandmarkSourceOptions: ComponentOptions {
    /// What it brings.
    var kind: PayloadKind { get }

    /// What it is told of landmarks.
    var landmarks: LandmarkTraits { get set }

    /// How it reads messages.
    var decode: DecodeOptions { get set }
}

extension LandmarkSourceOptions {
    /// What is known of landmarks before anything is read: what it is told, and what a preset says.
    var knownLandmarks: LandmarkTraits { decode.landmarks(landmarks, for: kind) }

    /// Reports options about landmarks of a source that brings none.
    func checkLandmarks(_ node: ConfigNode, _ context: DecodingContext) {
        guard !kind.holdsLandmarks else { return }
        for name in ["space", "y", "topology"] where !(node[name]?.isNull ?? true) {
            context.findings.error(
                "option.conflict", "\"\(name)\" means nothing for kind \(kind.name)", at: node[name]?.span,
                path: context.path + ".\(name)", help: "leave it out, or write kind: landmarks or kind: hands")
        }
    }
}
