extension Explanation {
    /// Codes about the text of a configuration.
    static let yaml = Family(
        "The text of a configuration",
        [
            Explanation(
                "yaml.syntax", [.configuration],
                "The file is not well-formed YAML.",
                cause: """
                    Most often a colon, a dash, a quote or the indentation is missing, or a tab indents a line. The \
                    caret marks where reading stopped; the error may be on the line above.
                    """,
                configuration: """
                    version: 1
                    sources
                    - synthetic
                    """,
                remedy: """
                    Write `key: value` with a space after the colon, `- ` before each list item, and indent with \
                    spaces only. Put a text in double quotes if it contains `: ` or ` #`.
                    """),
            Explanation(
                "yaml.unclosed", [.configuration],
                "A quote or a bracket is opened and never closed.",
                cause: """
                    The reader reached the end of the file while it was still looking for the closing `"`, `'`, `]` or \
                    `}`.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic
                    """,
                remedy: """
                    Close the quote or bracket at the caret. Inside double quotes write `\\"` for a quote; inside single quotes write \
                    `''`.
                    """),
            Explanation(
                "yaml.alias", [.configuration],
                "An alias `*name` refers to no value.",
                cause: """
                    An alias refers to a value marked with `&name` above it. No value above has that name, or the \
                    alias is inside the value that it refers to.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: *kind }]
                    sinks: [discard]
                    """,
                remedy: """
                    Write `&name` before the value, above the first use of the alias, or write the value out.
                    """),
            Explanation(
                "yaml.documents", [.configuration],
                "The file contains a second document.",
                cause: "A configuration is one YAML document, and a line `---` starts another.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    ---
                    version: 1
                    """,
                remedy: "Put each pipeline in its own file."),
            Explanation(
                "yaml.duplicate_key", [.configuration],
                "A mapping contains the same key twice.",
                cause: """
                    A copied line is the usual reason. YAML readers that keep the last value would hide the mistake, \
                    so it is an error here.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    sinks: [stdout]
                    """,
                remedy: "Keep one of the two. Write several sources, stages or sinks as one list under one key."),
            Explanation(
                "yaml.empty", [.configuration],
                "The configuration is empty.",
                cause: "The file has no content, or only comments.",
                configuration: "# nothing but a comment",
                remedy: """
                    A pipeline needs at least `version` and `sources`, and usually `sinks` for its results. `pipectl new \
                    --pipeline zmq smooth stdout` writes a configuration of these components.
                    """),
            Explanation(
                "yaml.encoding", [.configuration],
                "The file is not UTF-8 text.",
                cause: """
                    The file was saved in another encoding, such as UTF-16 or Latin-1, or it contains a control character \
                    that YAML does not allow. The line breaks U+0085, U+2028 and U+2029, which YAML 1.1 and 1.2 read \
                    differently, are not allowed either.
                    """,
                output: "error[yaml.encoding]: byte 0xFF is not valid UTF-8 here",
                remedy: """
                    Save the file as UTF-8. `iconv -f utf-16 -t utf-8 old.yaml > new.yaml` converts a file from \
                    UTF-16. Remove the character, or write it as an escape in double quotes: `"\\u2028"`.
                    """),
            Explanation(
                "yaml.key", [.configuration],
                "A key of a mapping is not a name.",
                cause: """
                    Keys are plain texts. A list, a mapping or an empty text cannot be one; an unfilled template \
                    placeholder `{{ … }}` is read as such a key.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    [a, b]: 1
                    """,
                remedy: """
                    Write a name before the colon. Put quotes around a value that starts with `[` or `{` but is meant \
                    as text.
                    """),
            Explanation(
                "yaml.merge_key", [.configuration],
                "The merge key `<<` is not supported.",
                cause: "Merge keys belong to YAML 1.1. Configurations are YAML 1.2, which has none.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    <<: {}
                    """,
                remedy: "Write the keys out. An alias `*name` may replace a whole value."),
            Explanation(
                "yaml.tag", [.configuration],
                "A tag is unknown, or does not fit its value.",
                cause: """
                    Only the core tags are supported: `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and \
                    `!!map`. Tags of other programs, such as `!include`, have no meaning here.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { count: !number 5 }]
                    sinks: [discard]
                    """,
                remedy: "Leave the tag out. To turn a number into a text, put it in quotes."),
            Explanation(
                "yaml.too_deep", [.configuration],
                "Lists and mappings are nested too deep.",
                cause: """
                    No pipeline needs the 64 levels that are allowed. The limit keeps a broken or hostile file from \
                    filling the memory.
                    """,
                output: "error[yaml.too_deep]: nested more than 64 levels deep",
                remedy: "Look for brackets that a script opened but did not close."),
            Explanation(
                "yaml.too_large", [.configuration],
                "The configuration file is too large.",
                cause: """
                    A configuration may have at most 1 MiB. Larger files are usually recordings or libraries given by \
                    mistake.
                    """,
                output: "error[yaml.too_large]: the configuration is larger than 1048576 bytes",
                remedy: "Check the file's name. Data belongs in files that the configuration names."),
            Explanation(
                "yaml.too_many_nodes", [.configuration],
                "The configuration contains too many values.",
                cause: """
                    Each use of an alias counts all values that it refers to. A few lines of aliases of aliases could \
                    otherwise grow without limit.
                    """,
                output: "error[yaml.too_many_nodes]: more than 100000 nodes",
                remedy: "Use fewer aliases, or split the configuration."),
        ])
}
