/// An event of libyaml's parser.
struct YAMLEvent {
    /// The properties of a node.
    struct Properties {
        /// The name that aliases refer to.
        var anchor: String?

        /// The resolved tag: `tag:yaml.org,2002:str`, `!`, or the tag as written.
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

    /// The offset of the event's first scalar in the text.
    var start: Int

    /// The offset after the event's last scalar.
    let end: Int
}

/// An error of libyaml's parser.
struct YAMLProblem: Error {
    /// The message of libyaml.
    let problem: String

    /// The position, as an offset in Unicode scalars.
    let offset: Int

    /// The element that libyaml was reading, in its words: `while parsing a flow mapping`; empty if unknown.
    let context: String

    /// The start of that element; `nil` if unknown.
    let contextOffset: Int?
}
