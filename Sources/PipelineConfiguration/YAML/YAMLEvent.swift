/// One step of a YAML text, as libyaml's event parser tells it.
struct YAMLEvent {
    /// What a node's properties say about it.
    struct Properties {
        /// The name other places can refer to it by.
        var anchor: String?

        /// The resolved tag: `tag:yaml.org,2002:str`, `!`, or the one written.
        var tag: String?
    }

    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(String, isPlain: Bool, Properties)
        case sequenceStart(isFlow: Bool, Properties)
        case sequenceEnd
        case mappingStart(isFlow: Bool, Properties)
        case mappingEnd
    }

    let kind: Kind

    /// Offset of the first scalar of the event in the text.
    let start: Int

    /// Offset behind the last.
    let end: Int
}

/// Why libyaml could not read on, in its own words.
struct YAMLProblem: Error {
    /// What is wrong.
    let problem: String

    /// Where, as an offset in Unicode scalars.
    let offset: Int

    /// What was being read; empty when nothing is said.
    let context: String

    /// Where that began; `nil` when nothing is said.
    let contextOffset: Int?
}
