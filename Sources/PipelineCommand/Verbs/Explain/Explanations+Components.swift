extension Explanation {
    /// Codes about components and their connections.
    static let components = Family(
        "Components and how they are joined",
        [
            Explanation(
                "graph.unknown_component", [.configuration],
                "No source, stage or sink has this name.",
                cause: "The name is misspelled, or the component belongs to a program with components of its own.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resmaple]
                    sinks: [discard]
                    """,
                remedy: "Take the name that the help proposes. `pipectl stages` lists all of them."),
            Explanation(
                "graph.wrong_list", [.configuration],
                "A component stands in the wrong list.",
                cause: """
                    It is there under this name, but as a source, stage or sink, and it stands in the list of \
                    another.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample, stdout]
                    sinks: [discard]
                    """,
                remedy: "Move it to the list that the help names."),
            Explanation(
                "graph.bad_id", [.configuration],
                "An `id` is made of characters that an id cannot have.",
                cause: "Ids stand in `from`, in `--set` and in messages, where dots and blanks mean something else.",
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
                    The id of a component is its name unless `id:` says another, so two components of one kind need \
                    ids of their own.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard, discard]
                    """,
                remedy: "Give the second one an id of its own: `discard: { id: second }`."),
            Explanation(
                "graph.unknown_id", [.configuration],
                "A `from` names a component that is not there.",
                cause: """
                    The id is misspelled, or the component has another id. Sinks, and the component itself, cannot be \
                    named.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard: { from: sythetic }]
                    """,
                remedy: "Take the id that the help proposes."),
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
                remedy: "Name what it takes from. Without `from` a component takes from the one above it."),
            Explanation(
                "graph.source_from", [.configuration],
                "A source has a `from`.",
                cause: "Sources bring frames from outside and take none from other components.",
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: second, from: synthetic }]
                    sinks: [discard: { from: [synthetic, second] }]
                    """,
                remedy: "Leave `from` out, or use a stage."),
            Explanation(
                "graph.from_sink", [.configuration],
                "A `from` names a sink.",
                cause: "A sink is where frames end, so nothing comes out of it.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard, stdout: { from: discard }]
                    """,
                remedy: "Take from the component that the sink takes from: both then get every frame."),
            Explanation(
                "graph.no_errors", [.configuration],
                "A `from` names the errors of a component that hands none on.",
                cause: """
                    `from: NAME.errors` takes the frames that a component could not process. There are such frames \
                    only where the component says `on_error: route`.
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
                remedy: "Use `on_error: fail` to end the run or `on_error: skip` to go on without the frame."),
            Explanation(
                "graph.workers", [.configuration],
                "A stage that waits for something outside has `workers`.",
                cause: """
                    Workers share the work of a stage on several cores. A stage that asks another program only waits, \
                    and one task can wait for many answers.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [zmq_request: { connect: "tcp://127.0.0.1:5558", kind: recognition, workers: 4 }]
                    sinks: [discard]
                    """,
                remedy: """
                    Leave `workers` out. For `zmq_request`, raise `requests`, or start more programs that answer.
                    """),
            Explanation(
                "graph.cycle", [.configuration],
                "Components take from one another in a circle.",
                cause: "A `from` names a component further down that itself depends on this one.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - resample: { from: normalize }
                      - normalize
                    sinks: [discard]
                    """,
                remedy: "Let `from` name only what comes before. The message shows the whole circle."),
            Explanation(
                "graph.no_sources", [.configuration],
                "The configuration has no source.",
                cause: "Without a source no frame ever comes, so the run would have nothing to do.",
                configuration: """
                    version: 1
                    sinks: [discard]
                    """,
                remedy: "Add a list `sources:` with at least one of the sources that the help names."),
            Explanation(
                "graph.unused", [.warning],
                "Nothing takes what a component makes.",
                cause: """
                    No `from` names it, and no component below takes from it by standing next. Often a sink is \
                    missing, or a `from` further down goes round it.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: second }]
                    sinks: [discard: { from: synthetic }]
                    """,
                remedy: "Name it in the `from` of what should take it, or remove it."),
            Explanation(
                "graph.unused_errors", [.warning],
                "A component routes its errors, and nothing takes them.",
                cause: """
                    `on_error: route` keeps failed frames for a sink. Without a sink that names them they are thrown \
                    away.
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
                cause: "A component takes each frame once, however often it is named.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard: { from: [synthetic, synthetic] }]
                    """,
                remedy: "Name each component once."),
            Explanation(
                "graph.one_edge", [.configuration],
                "A stage that puts frames of several edges together has one edge.",
                cause: "`combine` and stages like it join what comes from several components, and only one is named.",
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
