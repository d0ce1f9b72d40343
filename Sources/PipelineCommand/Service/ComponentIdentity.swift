import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// What components are made of: their options as they are after variables and overrides, and the contents of the files that stages
/// read. Two with the same identity do the same.
enum ComponentIdentity {
    /// The identities of all components, by their `id`s.
    static func all(of loaded: LoadedPipeline) -> [String: String] {
        // A source reads its file as it goes on; what it has read does not change when the file does.
        let stages = Set((loaded.plan?.nodes ?? []).filter { $0.body.role == .stage }.map(\.id))
        var identities = loaded.components
        for use in loaded.files where use.purpose == .input {
            let owner = stages.first { use.owner == $0 || use.owner.hasPrefix($0 + ".") }
            guard let owner else { continue }
            for path in use.paths().sorted() { identities[owner, default: ""] += " \(path) \(digest(path))" }
        }
        return identities
    }

    private static func digest(_ path: String) -> String {
        (try? WholeFile.read(path, limit: 1 << 30)).map { SHA256.hex($0) } ?? "unreadable"
    }
}
