import Pipeline
import PipelineComponents

/// A pipeline as its configuration describes it, before anything is looked up or made.
struct PipelineDescription {
    /// Name, mode and limits.
    var options: TopLevelOptions

    /// Sources, stages and sinks, in that order, each as written.
    var components: [ComponentDescription]

    /// The components of a role, by their index among all.
    func indices(of role: Plan.Role) -> [Int] {
        components.indices.filter { components[$0].role == role }
    }
}

/// A component as its configuration describes it.
struct ComponentDescription {
    /// Which list it stands in.
    var role: Plan.Role

    /// The component's name, and where it stands.
    var name: String
    var nameSpan: SourceSpan

    /// What others call it, and where that is said (at the name when it is not).
    var id: String
    var idSpan: SourceSpan
    var hasExplicitID: Bool

    /// Where its frames come from, and where that is said; `nil` when not said.
    var from: [Reference]?
    var fromSpan: SourceSpan?

    /// What becomes of a frame that cannot be processed; `nil` when not said.
    var onError: ErrorPolicy?
    var onErrorSpan: SourceSpan?

    /// How many workers share the streams of a stage, and where that is said; `nil` when not said.
    var workers: Int?
    var workersSpan: SourceSpan?

    /// What a source's timestamps must keep to.
    var onDisorder: DisorderPolicy?
    var maxJumpS: Double

    /// Its own options: a mapping without the keys that every component has.
    var options: ConfigNode

    /// Where it stands in the structure.
    var path: String

    /// Whether it could not be read, so that nothing is known of it but its place in the list.
    var isBroken = false

    /// One end of an edge.
    struct Reference {
        /// The id of the component it begins at.
        var id: String

        /// Which of its outputs.
        var port: Plan.Port

        /// Where it is said; `nil` when the engine filled it in.
        var span: SourceSpan?

        /// What was written of its behavior, and whether anything was.
        var written = EdgeOptions()
        var isExplicit = false

        /// Where each of its keys stands.
        var keys: [(name: String, span: SourceSpan)] = []

        /// Where it stands in the structure.
        var path: String

        /// The component it begins at, where the engine filled it in.
        var index: Int?
    }
}
