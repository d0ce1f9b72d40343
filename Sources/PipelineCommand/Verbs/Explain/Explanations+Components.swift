extension Explanation {
    /// Codes about components and their connections.
    static let components = Family(
        "Components and their connections",
        [
            Explanation(
                "graph.unknown_component", [.configuration],
                "No source, stage or sink has this name.",
                cause: "The name is misspelled, or the component belongs to a program with its own components.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resmaple]
                    sinks: [discard]
                    """,
                remedy: "Use the name that the help suggests. `pipectl stages` lists all of them."),
            Explanation(
                "graph.wrong_list", [.configuration],
                "A component is in the wrong list.",
                cause: """
                    A component with this name exists, but it has another role (source, stage or sink) than the list.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample, stdout]
                    sinks: [discard]
                    """,
                remedy: "Move the component to the list that the help names."),
            Explanation(
                "graph.bad_id", [.configuration],
                "An `id` contains characters that are not allowed.",
                cause: """
                    Ids appear in `from`, in `--set` and in messages, where dots and spaces have another meaning.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { id: my pen }]
                    sinks: [discard]
                    """,
                remedy: "Use letters, digits, `_` and `-`."),
            Explanation(
                "graph.duplicate_id", [.configuration],
                "Two components have the same id.",
                cause: """
                    The id of a component is its name unless `id:` sets another, so two components with the same name \
                    need different ids.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard, discard]
                    """,
                remedy: "Give the second one its own id: `discard: { id: second }`."),
            Explanation(
                "graph.unknown_id", [.configuration],
                "A `from` names a component that does not exist.",
                cause: """
                    The id is misspelled, or the component has another id. A `from` cannot name a sink or its own component.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard: { from: sythetic }]
                    """,
                remedy: "Use the id that the help suggests."),
            Explanation(
                "graph.empty_from", [.configuration],
                "A `from` is an empty list.",
                cause: "A stage or sink without an input would never do anything.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks:
                      - discard: { from: [] }
                      - stdout: { from: synthetic }
                    """,
                remedy: "Name its input. Without `from`, a component takes frames from the one above it."),
            Explanation(
                "graph.source_from", [.configuration],
                "A source has a `from`.",
                cause: "Sources produce frames from outside and take none from other components.",
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: second, from: synthetic }]
                    sinks: [discard: { from: [synthetic, second] }]
                    """,
                remedy: "Leave `from` out, or use a stage."),
            Explanation(
                "graph.from_sink", [.configuration],
                "A `from` names a sink.",
                cause: "Frames end in a sink, so a sink has no output.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard, stdout: { from: discard }]
                    """,
                remedy: "Name the component that the sink takes its frames from: both then get every frame."),
            Explanation(
                "graph.no_errors", [.configuration],
                "A `from` names the errors of a component that does not route them.",
                cause: """
                    `from: NAME.errors` takes the frames that a component could not process. It emits such frames only \
                    with `on_error: route`.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample]
                    sinks: [stdout, discard: { from: resample.errors }]
                    """,
                remedy: "Give the component `on_error: route`."),
            Explanation(
                "graph.route_sink", [.configuration],
                "A sink has `on_error: route`.",
                cause: "Errors are routed to an output for errors, and a sink has no output.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [stdout: { on_error: route }]
                    """,
                remedy: "Use `on_error: fail` to end the run or `on_error: skip` to continue without the frame."),
            Explanation(
                "graph.workers", [.configuration],
                "A stage that waits for something outside has `workers`.",
                cause: """
                    Workers share the work of a stage on several cores. A stage that sends requests to another program \
                    only waits, and one task can wait for many replies.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [zmq_request: { connect: "tcp://127.0.0.1:5558", kind: recognition, workers: 4 }]
                    sinks: [discard]
                    """,
                remedy: """
                    Leave `workers` out. For `zmq_request`, raise `requests`, or start more of the programs that reply.
                    """),
            Explanation(
                "graph.cycle", [.configuration],
                "Components form a cycle.",
                cause: "A `from` names a component further down that itself depends on this one.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - resample: { from: normalize }
                      - normalize
                    sinks: [discard]
                    """,
                remedy: "Let `from` name only components above. The message shows the whole cycle."),
            Explanation(
                "graph.no_sources", [.configuration],
                "The configuration has no source.",
                cause: "Without a source there are no frames, so the run would have nothing to do.",
                configuration: """
                    version: 1
                    sinks: [discard]
                    """,
                remedy: "Add a list `sources:` with at least one of the sources that the help names."),
            Explanation(
                "graph.unused", [.warning],
                "No component uses the output of a component.",
                cause: """
                    No `from` names this component, and the component below it takes its frames from elsewhere. Often a sink is \
                    missing, or a `from` further down bypasses it.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: second }]
                    sinks: [discard: { from: synthetic }]
                    """,
                remedy: "Name the component in the `from` of the one that should use its output, or remove it."),
            Explanation(
                "graph.unused_errors", [.warning],
                "A component routes its errors, but no component takes them.",
                cause: """
                    `on_error: route` passes failed frames to the components that take them with `from: NAME.errors`. \
                    There is none, so the failed frames are discarded.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { on_error: route }]
                    sinks: [discard]
                    """,
                remedy: "Add a sink with `from: NAME.errors`, or write `on_error: skip`."),
            Explanation(
                "graph.duplicate_edge", [.configuration],
                "A `from` names the same component twice.",
                cause: "A component takes each frame once, no matter how often `from` names the same input.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard: { from: [synthetic, synthetic] }]
                    """,
                remedy: "Name each component once."),
            Explanation(
                "graph.one_edge", [.configuration],
                "A stage that joins frames of several edges has only one edge.",
                cause: """
                    `combine` and similar stages join the frames of several components, but only one is named.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - match: { library: Samples/shapes.json }
                      - combine
                    sinks: [discard]
                    """,
                remedy: "Name two or more components: `from: [left, right]`."),
        ])
}
