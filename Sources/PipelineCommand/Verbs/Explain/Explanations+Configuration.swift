extension Explanation {
    /// Codes about configurations, variables and `--set`.
    static let configuration = Family(
        "Configurations, variables and --set",
        [
            Explanation(
                "interpolation.syntax", [.configuration],
                "A variable in a text has the wrong syntax.",
                cause: """
                    `${` starts a variable. The closing `}` is missing, the text before it is not a name of letters, \
                    digits and `_`, or the default contains another variable.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: "${DATA/session.jsonl" }]
                    sinks: [discard]
                    """,
                remedy: "Write `${NAME}` or `${NAME:-default}`. For a plain dollar sign before a bracket write `$$`."),
            Explanation(
                "interpolation.undefined", [.configuration],
                "An environment variable that the configuration uses is not set.",
                cause: """
                    `${NAME}` has no default, so the variable must be set. A service or a cron job often has different \
                    variables than your shell.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: "${RECORDING_THAT_IS_NOT_SET}/session.jsonl" }]
                    sinks: [discard]
                    """,
                remedy: """
                    Set the variable, as in `NAME=value pipectl run …`, give a default: `${NAME:-value}`, or replace the \
                    whole value with `--set`.
                    """),
            Explanation(
                "set.syntax", [.configuration],
                "A `--set` does not have the form ID.OPTION=VALUE.",
                cause: """
                    The equals sign is missing, there is nothing before it, a name between the dots is empty, or an option \
                    before a dot is a list. A list can only be replaced as a whole.
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
                    configuration sets `id:`.
                    """,
                output: """
                    $ pipectl run strokes.yaml --set mach.library=a.json
                    error[set.unknown_id]: nothing is called "mach"
                    """,
                remedy: "Take one of the ids that the help lists. `pipectl graph CONFIG` shows them all."),
            Explanation(
                "set.ambiguous", [.configuration],
                "A `--set` names an id that several components have.",
                cause: """
                    Stages inside other stages, such as those of `each`, are found by their id alone. Here several \
                    of them have this id.
                    """,
                output: "error[set.ambiguous]: several components are called \"smooth\"",
                remedy: """
                    Put the names of the enclosing stages before it, as the help shows: `--set each.smooth.beta=0.5`.
                    """),
            Explanation(
                "set.value", [.configuration],
                "The value of a `--set` is not YAML.",
                cause: """
                    A value that begins with a bracket, a brace or a quote is read as YAML; any other value is taken as it is, \
                    with blanks and `#`. A bracket or a quote in it is not closed, often because the shell removed the quotes.
                    """,
                output: """
                    $ pipectl run strokes.yaml --set match.category_allowlist=[star
                    error[set.value]: this is not a YAML value: this [ is never closed
                    """,
                remedy: """
                    Close the bracket or the quote, and put the whole argument in single quotes: `--set \
                    'match.category_allowlist=[star]'`.
                    """),
            Explanation(
                "config.top_level", [.configuration],
                "A configuration must be a mapping with the keys `sources`, `stages` and `sinks`.",
                cause: """
                    The file contains a list or a single value. A recording or a list of stages was given instead of a \
                    pipeline, or the top-level keys are missing.
                    """,
                configuration: """
                    - synthetic
                    - discard
                    """,
                remedy: "Put the lists under their keys: `sources:`, `stages:` and `sinks:`."),
            Explanation(
                "config.version", [.configuration, .warning],
                "The version of the format is missing or unknown.",
                cause: """
                    Every configuration starts with `version: 1`. Without it version 1 is assumed, with a warning; \
                    another number is an error, because a newer program wrote the file.
                    """,
                configuration: """
                    version: 2
                    sources: [synthetic]
                    sinks: [discard]
                    """,
                remedy: "Write `version: 1` on the first line, or `\"version\": 1` in JSON."),
            Explanation(
                "config.list", [.configuration],
                "`sources`, `stages`, `sinks` and `tests` must be lists, but the value is something else.",
                cause: "A single component was written without the dash, or as a mapping of names.",
                configuration: """
                    version: 1
                    sources: synthetic
                    sinks: [discard]
                    """,
                remedy: "Write each component on its own line with `- ` before it."),
            Explanation(
                "config.component", [.configuration],
                "An item of a list is not a component: a name, or one name with its options.",
                cause: """
                    The options are indented only as far as the name, so they are read as more names; or the name has a \
                    single value instead of a mapping of options.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - synthetic:
                        kind: stroke
                    sinks: [discard]
                    """,
                remedy: "Indent the options further than the name, and start each component with `- `."),
            Explanation(
                "config.no_effect", [.warning],
                "An option has no effect here.",
                cause: """
                    The option belongs to another mode or setting: `lateness_ms`, `on_late` and `live` to `mode: \
                    live`, `tolerance_ms` to `align: approximate`, `idle_timeout_ms` to edges that are aligned.
                    """,
                configuration: """
                    version: 1
                    lateness_ms: 50
                    sources: [synthetic]
                    sinks: [discard]
                    """,
                remedy: "Leave the option out, or switch on the mode or setting that it belongs to."),
            Explanation(
                "config.too_many_components", [.configuration],
                "The configuration has more components than are allowed.",
                cause: """
                    A script that writes configurations has usually repeated a list. The limit keeps checks fast.
                    """,
                output: "error[config.too_many_components]: 1200 components, and 1000 are the limit",
                remedy: """
                    Split the pipeline into several configurations that communicate through ZeroMQ or files.
                    """),
            Explanation(
                "component.error", [.configuration, .frame],
                "A component threw an error of a custom type.",
                cause: """
                    Components of this program throw errors with codes. A component that was added in Swift threw \
                    an error of another type, which is shown with its own description.
                    """,
                output: "error[component.error]: mirror: OutOfPaper()",
                remedy: """
                    Read the message. If the component is yours, throw a `PipelineError` with a code, a location and a \
                    remedy.
                    """),
            Explanation(
                "component.input", [.defect],
                "A component was created for one type of frame but accepts another.",
                cause: """
                    The component's declaration and its implementation disagree. A configuration cannot cause this.
                    """,
                output: "error[component.input]: it was made for stroke and takes points: a defect of the stage",
                remedy: """
                    If the component is yours, let `make` return a stage that takes the type it was asked for. \
                    Otherwise report it.
                    """),
        ])
}
