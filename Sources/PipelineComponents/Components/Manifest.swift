import Pipeline

/// The description of a component, except its options.
public struct Manifest: Sendable {
    /// The name in YAML: a noun for a source or sink, a verb for a stage, in `snake_case`.
    public let name: String

    /// Alternative names that configurations can use.
    public let aliases: [String]

    /// What the component does, in one line without a period at the end.
    public let summary: String

    /// Further information for users, in Markdown: the algorithm and its source, limits, and reasons for the defaults.
    public let details: String

    /// The accepted payloads in words; `nil` if they follow from the types.
    public let takes: String?

    /// Whether a stage produces exactly one output per input, which depends only on the input's payload, without side effects.
    public let isPure: Bool

    /// The reasons for which the component itself drops frames, in addition to those of the engine. A test of a configuration that
    /// expects a drop for another reason gets a warning.
    public let drops: [DropReason]

    /// A complete, valid pipeline that uses the component.
    public let example: String

    /// Creates the description of a component.
    public init(
        name: String, aliases: [String] = [], summary: String, details: String = "",
        takes: String? = nil, isPure: Bool = false, drops: [DropReason] = [], example: String
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.details = details
        self.takes = takes
        self.isPure = isPure
        self.drops = drops
        self.example = example
    }
}
