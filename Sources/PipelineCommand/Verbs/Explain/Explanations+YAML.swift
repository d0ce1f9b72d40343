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
                    caret stands where reading stopped; the mistake may be on the line above.
                    """,
                configuration: """
                    version: 1
                    sources
                    - synthetic
                    """,
                remedy: """
                    Write `key: value` with a blank behind the colon, `- ` before each list item, and indent with \
                    spaces only. Put a text in double quotes when it holds `: ` or ` #`.
                    """),
            Explanation(
                "yaml.unclosed", [.configuration],
                "A quote or a bracket is opened and never closed.",
                cause: """
                    The reader came to the end of the file while it still looked for the closing `"`, `'`, `]` or \
                    `}`.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic
                    """,
                remedy: """
                    Close it where the caret stands. Inside double quotes write `\\"` for a quote; inside single \
                    quotes write `''`.
                    """),
            Explanation(
                "yaml.alias", [.configuration],
                "An alias `*name` has no value that it could stand for.",
                cause: """
                    An alias stands for a value that was marked with `&name` further up. No value above has that \
                    name, or the alias stands inside the very value that it names.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: *kind }]
                    sinks: [discard]
                    """,
                remedy: """
                    Write `&name` before the value that the alias should stand for, above its first use, or write \
                    the value out.
                    """),
            Explanation(
                "yaml.documents", [.configuration],
                "A second document begins in the file.",
                cause: "A configuration is one YAML document, and a line `---` begins another.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    ---
                    version: 1
                    """,
                remedy: "Put each pipeline into a file of its own."),
            Explanation(
                "yaml.duplicate_key", [.configuration],
                "A key stands twice in the same mapping.",
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
                remedy: "Keep one of the two. Several sources, stages or sinks stand in one list under one key."),
            Explanation(
                "yaml.empty", [.configuration],
                "The configuration is empty.",
                cause: "The file has no content, or only comments.",
                configuration: "# nothing but a comment",
                remedy: """
                    A pipeline needs at least `version`, `sources` and `sinks`. `pipectl new --pipeline zmq smooth \
                    stdout` writes one of these components.
                    """),
            Explanation(
                "yaml.encoding", [.configuration],
                "The file is not UTF-8 text.",
                cause: """
                    It was saved in another encoding, such as UTF-16 or Latin-1, or it holds a control character \
                    that YAML does not allow.
                    """,
                output: "error[yaml.encoding]: byte 0xFF is not valid UTF-8 here",
                remedy: """
                    Save the file as UTF-8. `iconv -f utf-16 -t utf-8 old.yaml > new.yaml` converts a file from \
                    UTF-16.
                    """),
            Explanation(
                "yaml.key", [.configuration],
                "A key of a mapping is no name.",
                cause: """
                    Keys are plain texts. A list, a mapping or an empty text cannot be one; `{{ … }}` of a template \
                    that was not filled in reads as such a key.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    [a, b]: 1
                    """,
                remedy: """
                    Write a name before the colon. Put quotes round a value that begins with `[` or `{` and is meant \
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
                remedy: "Write the keys out. An alias `*name` may stand for a whole value."),
            Explanation(
                "yaml.tag", [.configuration],
                "A tag is not known, or does not fit the value behind it.",
                cause: """
                    Only the core tags are known: `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and \
                    `!!map`. Tags of other programs, such as `!include`, mean nothing here.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { count: !number 5 }]
                    sinks: [discard]
                    """,
                remedy: "Leave the tag out. To make a text of a number, put it in quotes."),
            Explanation(
                "yaml.too_deep", [.configuration],
                "Lists and mappings are nested too deep.",
                cause: """
                    No pipeline needs the 64 levels that are allowed. The limit keeps a broken or hostile file from \
                    filling the memory.
                    """,
                output: "error[yaml.too_deep]: nested more than 64 levels deep",
                remedy: "Look for brackets that a script opened and never closed."),
            Explanation(
                "yaml.too_large", [.configuration],
                "The configuration file is too large.",
                cause: """
                    A configuration may have 1 MiB. Larger files are usually recordings or libraries that were given \
                    in its place.
                    """,
                output: "error[yaml.too_large]: the configuration is larger than 1048576 bytes",
                remedy: "Check the file's name. Data belongs in files that the configuration names."),
            Explanation(
                "yaml.too_many_nodes", [.configuration],
                "The configuration holds too many values.",
                cause: """
                    Values are counted, and what an alias stands for counts each time. A few lines of aliases of \
                    aliases could otherwise grow without limit.
                    """,
                output: "error[yaml.too_many_nodes]: more than 100000 nodes",
                remedy: "Use fewer aliases, or split the configuration."),
        ])
}
