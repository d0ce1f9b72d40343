extension Explanation {
    /// Codes about configurations, variables and `--set`.
    static let configuration = Family(
        "Configurations, variables and --set",
        [
            Explanation(
                "interpolation.syntax", [.configuration],
                "A variable in a text is not written as variables are.",
                cause: """
                    `${` begins a variable. Its closing bracket is missing, or what stands between the brackets is \
                    no name of letters, digits and `_`.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: "${DATA/session.jsonl" }]
                    sinks: [discard]
                    """,
                remedy: "Write `${NAME}` or `${NAME:-default}`. For a plain dollar sign before a bracket write `$$`."),
            Explanation(
                "interpolation.undefined", [.configuration],
                "An environment variable that the configuration names is not set.",
                cause: """
                    `${NAME}` has no default, so the variable must be there. A service or a cron job often has other \
                    variables than your shell.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: "${RECORDING_THAT_IS_NOT_SET}/session.jsonl" }]
                    sinks: [discard]
                    """,
                remedy: "Set the variable, as in `NAME=value pipectl run …`, or give a default: `${NAME:-value}`."),
            Explanation(
                "set.syntax", [.configuration],
                "A `--set` is not written as ID.OPTION=VALUE.",
                cause: """
                    The equals sign is missing, nothing stands before it, or one of the names between the dots is \
                    empty.
                    """,
                output: """
                    $ pipectl run strokes.yaml --set match.library
                    error[set.syntax]: expected ID.OPTION=VALUE
                    """,
                remedy: "Write the component's id, a dot, the option and the value: `--set resample.points=32`."),
            Explanation(
                "set.unknown_id", [.configuration],
                "A `--set` names a component that the configuration does not have.",
                cause: """
                    The name before the dot is the `id` of a component, which is the component's own name unless the \
                    configuration says `id:`.
                    """,
                output: """
                    $ pipectl run strokes.yaml --set mach.library=a.json
                    error[set.unknown_id]: nothing is called "mach"
                    """,
                remedy: "Take one of the ids that the help lists. `pipectl graph CONFIG` shows them all."),
            Explanation(
                "set.ambiguous", [.configuration],
                "A `--set` names a component that stands in several places.",
                cause: """
                    Stages inside other stages, such as those of `each`, are found by their id alone. Here several \
                    of them have this id.
                    """,
                output: "error[set.ambiguous]: several components are called \"smooth\"",
                remedy: """
                    Put the names of the stages around it before it, as the help shows: `--set \
                    each.smooth.beta=0.5`.
                    """),
            Explanation(
                "set.value", [.configuration],
                "The value of a `--set` is no YAML.",
                cause: """
                    The value is read as it would be in the file. A bracket or a quote in it is not closed, often \
                    because the shell took the quotes away.
                    """,
                output: """
                    $ pipectl run strokes.yaml --set match.category_allowlist=[star
                    error[set.value]: this is not a YAML value: this [ is never closed
                    """,
                remedy: """
                    Close what is open, and put the whole argument in single quotes: `--set \
                    'match.category_allowlist=[star]'`.
                    """),
            Explanation(
                "config.top_level", [.configuration],
                "A configuration must be a mapping with the keys `sources`, `stages` and `sinks`.",
                cause: """
                    The file holds a list or a single value. A recording or a list of stages was given in place of a \
                    pipeline, or the keys at its top are missing.
                    """,
                configuration: """
                    - synthetic
                    - discard
                    """,
                remedy: "Put the lists under their keys: `sources:`, `stages:` and `sinks:`."),
            Explanation(
                "config.version", [.configuration, .warning],
                "The version of the format is missing or not known.",
                cause: """
                    Every configuration begins with `version: 1`. Without it version 1 is assumed, with a warning; \
                    another number is an error, since a newer program wrote the file.
                    """,
                configuration: """
                    version: 2
                    sources: [synthetic]
                    sinks: [discard]
                    """,
                remedy: "Write `version: 1` on the first line."),
            Explanation(
                "config.list", [.configuration],
                "`sources`, `stages`, `sinks` and `tests` are lists, and something else stands there.",
                cause: "A single component was written without the dash, or as a mapping of names.",
                configuration: """
                    version: 1
                    sources: synthetic
                    sinks: [discard]
                    """,
                remedy: "Write each component on a line of its own with `- ` before it."),
            Explanation(
                "config.component", [.configuration],
                "An item of a list is not a component: a name, or one name with its options.",
                cause: """
                    The options stand as far left as the name, so they read as further names; or a value stands \
                    where the mapping of options belongs.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - synthetic:
                        kind: stroke
                    sinks: [discard]
                    """,
                remedy: "Indent the options further than the name, and begin each component with `- `."),
            Explanation(
                "config.no_effect", [.warning],
                "An option is given that has no effect here.",
                cause: """
                    It belongs to another mode or to another setting: `lateness_ms`, `on_late` and `live` to `mode: \
                    live`, `tolerance_ms` to `align: approximate`, `idle_timeout_ms` to edges that are aligned.
                    """,
                configuration: """
                    version: 1
                    lateness_ms: 50
                    sources: [synthetic]
                    sinks: [discard]
                    """,
                remedy: "Leave it out, or switch on what it belongs to."),
            Explanation(
                "config.too_many_components", [.configuration],
                "The configuration has more components than are allowed.",
                cause: """
                    A script that writes configurations has usually repeated a list. The limit keeps checking fast.
                    """,
                output: "error[config.too_many_components]: 1200 components, and 1000 are the limit",
                remedy: "Split the pipeline into several configurations that talk over ZeroMQ or files."),
            Explanation(
                "component.error", [.configuration, .frame],
                "A component threw an error of a type of its own.",
                cause: """
                    Components of this program throw errors with codes. One that was added in Swift threw something \
                    else, which is shown as it describes itself.
                    """,
                output: "error[component.error]: mirror: OutOfPaper()",
                remedy: """
                    Read the message. If the component is yours, throw a `PipelineError` with a code, a place and a \
                    remedy.
                    """),
            Explanation(
                "component.input", [.defect],
                "A component was made for one type of frame and takes another.",
                cause: """
                    What the component says of itself and what it is do not agree. A configuration cannot cause \
                    this.
                    """,
                output: "error[component.input]: it was made for stroke and takes points: a defect of the stage",
                remedy: """
                    If the component is yours, let `make` return a stage that takes the type it was asked for. \
                    Otherwise report it.
                    """),
        ])
}
