extension Explanation {
    /// Codes about options of components.
    static let options = Family(
        "Options of components",
        [
            Explanation(
                "option.unknown", [.configuration],
                "A component has no option of this name.",
                cause:
                    "The name is misspelled, belongs to another component, or stands one level too deep or too high.",
                configuration: """
                    version: 1
                    sources: [synthetic: { knid: stroke }]
                    sinks: [discard]
                    """,
                remedy: "`pipectl stages NAME` lists the options of a component. The help names the nearest one."),
            Explanation(
                "option.missing", [.configuration],
                "A required option is not given.",
                cause: "The component cannot guess it, or another option that is given needs it beside itself.",
                configuration: """
                    version: 1
                    sources: [file]
                    sinks: [discard]
                    """,
                remedy: "Add the option that the message names. `pipectl stages NAME` shows an example."),
            Explanation(
                "option.type", [.configuration],
                "An option has a value of the wrong type.",
                cause: """
                    A number, a text, a list or a mapping was expected, and something else stands there. `12` is a \
                    number and `"12"` a text; only `true` and `false` are booleans.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { points: many }]
                    sinks: [discard]
                    """,
                remedy: "Write a value of the type that the message asks for."),
            Explanation(
                "option.range", [.configuration],
                "A number is outside the range that an option allows.",
                cause: """
                    The label under the caret says which values are allowed. Units stand in the option's name: `_ms` \
                    is milliseconds, `_us` microseconds.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { points: 1 }]
                    sinks: [discard]
                    """,
                remedy: "Choose a number in the range."),
            Explanation(
                "option.choice", [.configuration],
                "A word is none of those that an option knows.",
                cause: """
                    The option takes one word of a fixed list, and this one is misspelled or belongs to another \
                    option.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: strokes }]
                    sinks: [discard]
                    """,
                remedy: "Take one of the words that the message lists."),
            Explanation(
                "option.conflict", [.configuration],
                "Two options do not go together, or one means nothing beside another.",
                cause: """
                    The option under the caret is only of use with another setting, contradicts one, or repeats it. \
                    It is an error since one of the two would silently be ignored.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { mode: whole, spacing: 2 }]
                    sinks: [discard]
                    """,
                remedy: "Keep one of the two. The help says which of them does what."),
            Explanation(
                "option.empty", [.configuration],
                "A list names nothing, where at least one thing is needed.",
                cause: "An empty list does not stand for all, since that is easily written by mistake.",
                configuration: """
                    version: 1
                    sources: [synthetic: { shapes: [] }]
                    sinks: [discard]
                    """,
                remedy: "Leave the option out to take the default, or name at least one."),
            Explanation(
                "option.unused", [.warning],
                "An option is given that the chosen method does not use.",
                cause: """
                    The option belongs to another method of the same stage, or another option takes its place. The \
                    pipeline runs without it.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: Samples/shapes.json, size: 200 }]
                    sinks: [discard]
                    """,
                remedy: "Leave it out, or choose the method that uses it."),
            Explanation(
                "option.delimiter", [.configuration],
                "A text cannot stand between cells, or between a topic and a payload.",
                cause: """
                    A delimiter of cells is one ASCII character, and neither a quote nor a line end. What stands \
                    between a topic and a payload is at least one character.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - file:
                          path: points.csv
                          kind: points
                          decode: { delimiter: ";;", columns: { x: 1, y: 2, t: 3 }, t_unit: s }
                    sinks: [discard]
                    """,
                remedy: "Write one character, as in `delimiter: \";\"`, or `delimiter: tab`."),
            Explanation(
                "output.shared", [.configuration],
                "Two sinks would write the same file.",
                cause: """
                    Each sink opens its file by itself, so one would write over what the other wrote. The same file \
                    may be meant by two names, such as a link.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks:
                      - file: { id: a, path: out.jsonl }
                      - file: { id: b, path: ./out.jsonl }
                    """,
                remedy: """
                    Give each sink a path of its own, or let one sink take from several components: `from: [a, b]`.
                    """),
            Explanation(
                "output.overwrites_input", [.configuration],
                "A sink would write over a file that the same pipeline reads.",
                cause: """
                    The file would be emptied before it is read. The same file may be meant by two names, such as a \
                    link.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: Samples/session.jsonl }]
                    sinks: [file: { path: Samples/session.jsonl, if_exists: overwrite }]
                    """,
                remedy: "Give the sink another path."),
        ])
}
