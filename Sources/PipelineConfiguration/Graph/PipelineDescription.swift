import Pipeline
import PipelineComponents

/// The parsed structure of a configuration, before any component is looked up or created.
struct PipelineDescription {
    /// The top-level options.
    var options: TopLevelOptions

    /// All sources, then all stages, then all sinks, each list in the order of the configuration.
    var components: [ComponentDescription]

    /// Returns the indices of the components with a role.
    func indices(of role: Plan.Role) -> [Int] {
        components.indices.filter { components[$0].role == role }
    }
}

/// The parsed structure of a component.
struct ComponentDescription {
    /// The list that contains the component.
    var role: Plan.Role

    /// The component's name, and its position.
    var name: String
    var nameSpan: SourceSpan

    /// The `id` that other components refer to, and its position. Without an explicit `id`, these are the name and its position.
    var id: String
    var idSpan: SourceSpan
    var hasExplicitID: Bool
    /// Whether the configuration gives an `id` that could not be read or is not allowed.
    var hasUnknownID = false

    /// The references to upstream components, and the position of the key `from`; `nil` if not given.
    var from: [Reference]?
    var fromSpan: SourceSpan?

    /// What happens to a frame that cannot be processed; `nil` if not given.
    var onError: ErrorPolicy?
    var onErrorSpan: SourceSpan?

    /// The number of workers that share the streams of a stage, and the position of the key; `nil` if not given.
    var workers: Int?
    var workersSpan: SourceSpan?

    /// What happens to a source's frame whose timestamp is out of order; `nil` if not given.
    var onDisorder: DisorderPolicy?
    /// The largest forward jump of a source's timestamps, in seconds. A larger jump counts as out of order.
    var maxJumpS: Double

    /// The component's own options: a mapping without the keys that every component has.
    var options: ConfigNode

    /// The value after the component's name, with all keys. Without one, an empty mapping at the position of the name.
    var value: ConfigNode

    /// The path in the structure of the configuration.
    var path: String

    /// Whether the component could not be read, so that only its position in the list is known.
    var isBroken = false

    /// A reference to the upstream end of an edge.
    struct Reference {
        /// The `id` of the upstream component.
        var id: String

        /// The output of the upstream component.
        var port: Plan.Port

        /// The position in the configuration; `nil` if the reference is implicit.
        var span: SourceSpan?

        /// The options of the edge that are configured.
        var written = EdgeOptions()
        /// Whether any option of the edge is configured.
        var isExplicit = false

        /// The name and position of each configured key.
        var keys: [(name: String, span: SourceSpan)] = []

        /// The path in the structure of the configuration.
        var path: String

        /// The index of the upstream component, if the reference is implicit; otherwise `nil`.
        var index: Int?
    }
}
