import Pipeline
import PipelineComponents

/// A pipeline as described by its configuration, before anything is looked up or created.
struct PipelineDescription {
    /// The name, the mode, and the limits.
    var options: TopLevelOptions

    /// The sources, stages, and sinks, in this order, each in the order of the configuration.
    var components: [ComponentDescription]

    /// Returns the indices of the components with a role.
    func indices(of role: Plan.Role) -> [Int] {
        components.indices.filter { components[$0].role == role }
    }
}

/// A component as described by its configuration.
struct ComponentDescription {
    /// The list that contains the component.
    var role: Plan.Role

    /// The component's name, and its position.
    var name: String
    var nameSpan: SourceSpan

    /// The id that other components refer to, and its position. If there is no explicit id, the position is that of the name.
    var id: String
    var idSpan: SourceSpan
    var hasExplicitID: Bool

    /// The references to upstream components, and the position of the key; `nil` if not given.
    var from: [Reference]?
    var fromSpan: SourceSpan?

    /// What happens to a frame that cannot be processed; `nil` if not given.
    var onError: ErrorPolicy?
    var onErrorSpan: SourceSpan?

    /// The number of workers that share the streams of a stage, and the position of the key; `nil` if not given.
    var workers: Int?
    var workersSpan: SourceSpan?

    /// The rules that a source's timestamps must follow.
    var onDisorder: DisorderPolicy?
    var maxJumpS: Double

    /// The component's own options: a mapping without the keys that every component has.
    var options: ConfigNode

    /// The path in the structure of the configuration.
    var path: String

    /// Whether the component could not be read, so that only its position in the list is known.
    var isBroken = false

    /// A reference to the sending end of an edge.
    struct Reference {
        /// The id of the sending component.
        var id: String

        /// The output of the sending component.
        var port: Plan.Port

        /// The position in the configuration; `nil` if the reference is implicit.
        var span: SourceSpan?

        /// The configured policy, and whether any policy is configured.
        var written = EdgeOptions()
        var isExplicit = false

        /// The position of each key.
        var keys: [(name: String, span: SourceSpan)] = []

        /// The path in the structure of the configuration.
        var path: String

        /// The index of the sending component, if the reference is implicit.
        var index: Int?
    }
}
