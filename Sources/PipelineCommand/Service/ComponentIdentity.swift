import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// The identities of components, by which a reload recognizes which components have changed. The identity of a component consists
/// of its options, after variables and overrides are applied, and for a stage also of the contents of the files that it reads.
/// Components with the same identity behave alike.
enum ComponentIdentity {
    /// The identities of all components, by their `id`s.
    static func all(of loaded: LoadedPipeline) -> [String: String] {
        // The contents of a source's file do not count: a new version of the file cannot undo what the source has already read.
        let stages = Set((loaded.plan?.nodes ?? []).filter { $0.body.role == .stage }.map(\.id))
        var identities = loaded.components
        for use in loaded.files where use.purpose == .input {
            let owner = stages.first { use.owner == $0 || use.owner.hasPrefix($0 + ".") }
            guard let owner else { continue }
            for path in use.paths().sorted() { identities[owner, default: ""] += " \(path) \(digest(path))" }
        }
        return identities
    }

    private static func digest(_ path: String) -> String { (try? WholeFile.digest(of: path)) ?? "unreadable" }
}
