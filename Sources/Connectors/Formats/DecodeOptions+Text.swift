import Pipeline
import PipelineComponents
import Stages

extension DecodeOptions {
    /// The options that differ from their defaults, as a configuration would write them.
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
    /// Returns the options that the preset stands for, one per line, in YAML. A configuration can contain these lines instead of
    /// the preset.
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
