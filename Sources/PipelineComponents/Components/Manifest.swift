import Pipeline

/// What a component says about itself, beside its options.
public struct Manifest: Sendable {
    /// The name in YAML: nouns for sources and sinks, verbs for stages, `snake_case`.
    public let name: String

    /// Other names under which configurations may name it.
    public let aliases: [String]

    /// What it does, in one line without a full stop.
    public let summary: String

    /// What else a user should know, in Markdown: the algorithm and the source it follows, limits, defaults explained.
    public let details: String

    /// What it takes, in words; `nil` where its types say it.
    public let takes: String?

    /// Whether a stage makes exactly one output per input, decided by that payload alone, without side effects.
    public let isPure: Bool

    /// A whole pipeline that uses it and is valid as it stands.
    public let example: String

    /// Describes a component.
    public init(
        name: String, aliases: [String] = [], summary: String, details: String = "",
        takes: String? = nil, isPure: Bool = false, example: String
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.details = details
        self.takes = takes
        self.isPure = isPure
        self.example = example
    }
}
