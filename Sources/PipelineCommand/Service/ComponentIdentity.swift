import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// The identities of components, by which a reload recognizes which components have changed. Components with the same identity
/// behave alike.
///
/// The identity of a component consists of its options, after variables and overrides are applied, and for a stage also of the
/// contents of the files that it reads. If a component depends on the pure stages upstream of it, as a matcher does, its identity
/// also contains the identities of these stages.
enum ComponentIdentity {
    /// The identities of all components, by their `id`s.
    static func all(of loaded: LoadedPipeline) -> [String: String] {
        // The contents of a source's file do not count: a new version of the file cannot undo what the source has already read.
        let stages = Set((loaded.plan?.nodes ?? []).filter { $0.body.role == .stage }.map(\.id))
        var own = loaded.componentTexts
        for use in loaded.files where use.purpose == .input && stages.contains(use.node) {
            for path in use.paths().sorted() { own[use.node, default: ""] += " \(path) \(digest(path))" }
        }
        var identities = own
        for (id, stages) in loaded.preparations {
            for stage in stages { identities[id, default: ""] += " \(own[stage] ?? "")" }
        }
        return identities
    }

    private static func digest(_ path: String) -> String { (try? WholeFile.digest(of: path)) ?? "unreadable" }
}
