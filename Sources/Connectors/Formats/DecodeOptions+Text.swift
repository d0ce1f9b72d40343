import Pipeline
import PipelineComponents
import Stages

extension DecodeOptions {
    /// What is not as by default, as a configuration would say it.
    package var entries: [(name: String, yaml: String)] {
        let paths = paths
        return changedOptions.map { name, yaml in
            if let path = paths.first(where: { $0.name == name })?.paths, path.count == 1 {
                return (name, path[0].yaml ?? yaml)
            }
            return (name, yaml)
        }
    }
}

extension DecodePreset {
    /// The options that it stands for, one a line, with what they are for in a comment: what a configuration could say in its
    /// place.
    package func text(for kind: PayloadKind) -> String {
        let traits = landmarks(for: kind)
        let known = [
            traits.space.map { "space: \($0.rawValue)" }, traits.y.map { "y: \($0.rawValue)" },
            traits.topology.flatMap(\.yaml).map { "topology: \"\($0)\"" },
        ].compactMap { $0 }
        let options = options(for: kind).entries
        return "kind: \(kind.name)\n" + known.map { $0 + "\n" }.joined() + "decode:\n"
            + options.map { "  \($0.name): \($0.yaml)\n" }.joined()
    }
}
