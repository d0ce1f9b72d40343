extension Explanation {
    /// Codes about options of components.
    static let options = Family(
        "Options of components",
        [
            Explanation(
                "option.unknown", [.configuration],
                "A component has no option of this name.",
                cause: """
                    The name is misspelled, belongs to another component, or is one level too deep or too high.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { knid: stroke }]
                    sinks: [discard]
                    """,
                remedy: "`pipectl stages NAME` lists the options of a component. The help names the nearest one."),
            Explanation(
                "option.missing", [.configuration],
                "A required option is not given.",
                cause: "The component has no default for it, or another option that is given requires it.",
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
                    A number, a text, a list or a mapping was expected, but the value is something else. `12` is a \
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
                    The label under the caret gives the allowed values. The option's name contains the unit: `_ms` is \
                    milliseconds, `_us` microseconds.
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
                "A word is not among the choices of an option.",
                cause: """
                    The option accepts one word of a fixed list, and this one is misspelled or belongs to another \
                    option.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: strokes }]
                    sinks: [discard]
                    """,
                remedy: "Use one of the words that the message lists."),
            Explanation(
                "option.conflict", [.configuration],
                "Two options contradict each other, or one has no meaning next to the other.",
                cause: """
                    The option under the caret requires another setting, contradicts one, or repeats it. This is an \
                    error because one of the two would be ignored silently.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { mode: whole, spacing: 2 }]
                    sinks: [discard]
                    """,
                remedy: "Keep one of the two. The help explains what each of them does."),
            Explanation(
                "option.empty", [.configuration],
                "A list or a name is empty.",
                cause: """
                    An empty list is not read as a list of all elements, because it is easily written by mistake. A name has at \
                    least one character.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { shapes: [] }]
                    sinks: [discard]
                    """,
                remedy: "Leave the option out to use its default, if it has one, or write an element or a name."),
            Explanation(
                "option.name", [.configuration],
                "A stage would give its recognitions the name `None`.",
                cause: "`None` means that nothing was recognized, so no recognition can have this name.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: vector }]
                    stages: [trigger: { name: None, above: 1 }]
                    sinks: [discard]
                    """,
                remedy: "Write another name."),
            Explanation(
                "option.unused", [.warning],
                "The chosen method does not use an option that is given.",
                cause: """
                    The option belongs to another method of the same stage, or another option replaces it. The \
                    pipeline runs without it.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: Samples/shapes.json, size: 200 }]
                    sinks: [discard]
                    """,
                remedy: "Leave the option out, or choose the method that uses it."),
            Explanation(
                "option.delimiter", [.configuration],
                "A text is not allowed as the delimiter of cells, or as the one between a topic and a payload.",
                cause: """
                    A delimiter of cells is one ASCII character other than a quote or a newline. The delimiter between \
                    a topic and a payload has at least one character.
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
                "input.shared", [.configuration],
                "Two sources would read standard input.",
                cause: "Each of them would get parts of the lines.",
                configuration: """
                    version: 1
                    sources:
                      - stdin: { id: a, kind: stroke }
                      - stdin: { id: b, kind: stroke }
                    sinks: [discard]
                    """,
                remedy: "Keep one of the sources. Several stages can take its frames: `from: a`."),
            Explanation(
                "output.shared", [.configuration, .warning],
                "Two sinks would write the same file.",
                cause: """
                    Each sink opens its file independently, so one would overwrite the output of the other. Two names, \
                    such as a link, may refer to the same file. It is a warning if a path with `{stream}`, `{file}` or \
                    `{date}` can become the path of another sink: `{date}` stands for a day such as `2026-11-23`, the \
                    others for any name.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks:
                      - file: { id: a, path: out.jsonl }
                      - file: { id: b, path: ./out.jsonl }
                    """,
                remedy: """
                    Give each sink its own path, or let one sink take frames from several components: `from: [a, b]`.
                    """),
            Explanation(
                "output.overwrites_input", [.configuration],
                "A sink would overwrite a file that the same pipeline reads.",
                cause: """
                    The file would be emptied before it is read. Two names, such as a link, may refer to the same \
                    file.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: Samples/session.jsonl }]
                    sinks: [file: { path: Samples/session.jsonl, if_exists: overwrite }]
                    """,
                remedy: "Give the sink another path."),
        ])
}
