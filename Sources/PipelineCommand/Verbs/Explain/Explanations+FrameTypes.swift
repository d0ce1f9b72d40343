extension Explanation {
    /// Codes about the types of frames and edges.
    static let frameTypes = Family(
        "Types of frames and edges",
        [
            Explanation(
                "graph.type_mismatch", [.configuration],
                "A component receives a different type of frame than it accepts.",
                cause: """
                    Every stage accepts certain types, such as strokes or landmarks, and produces certain types. The \
                    component before it produces another type.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: points }]
                    stages: [resample]
                    sinks: [discard]
                    """,
                remedy: """
                    Put the stage that the help suggests between the two, such as `segment` from points to strokes, or \
                    give the source another `kind`.
                    """),
            Explanation(
                "graph.attribute_mismatch", [.configuration],
                "The type of frame fits, but its attributes do not.",
                cause: """
                    Landmarks have a topology, a coordinate space, and a direction of y (up or down). The stage \
                    requires a different value of one of these.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: pose33 }]
                    stages: [normalize_hand]
                    sinks: [discard]
                    """,
                remedy: """
                    Put the stage that the help suggests between the two, usually `convert`, or set the attributes of \
                    the data at the source: `topology`, `space`, `y`.
                    """),
            Explanation(
                "graph.merged_types", [.configuration],
                "Edges of one join carry different types.",
                cause: """
                    A component with several components in `from` receives the frames of all of them, which must have \
                    the same type.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: hands, kind: hands }]
                    sinks: [discard: { from: [synthetic, hands] }]
                    """,
                remedy: "Use one component for each type, or convert both to one type before the join."),
            Explanation(
                "graph.continues", [.configuration],
                "A stage would remove single frames from data that continues from frame to frame.",
                cause: "Points and ink are pieces of strokes. Without some of its pieces a stroke is broken.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: points }]
                    stages: [throttle: { max_hz: 10 }]
                    sinks: [discard]
                    """,
                remedy: "Put the stage after one that produces complete frames, as `segment` does from points."),
            Explanation(
                "graph.drop_continues", [.configuration],
                "An edge would drop frames that must not be dropped one by one.",
                cause: """
                    Points and ink are pieces of strokes. An edge that drops single pieces would break strokes, so \
                    `on_full: drop_oldest` and `drop_newest` are not allowed there.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: points }]
                    stages: [segment: { from: { id: stdin, on_full: drop_oldest } }]
                    sinks: [discard]
                    """,
                remedy: "Leave `on_full` out (a live edge then drops whole strokes), or write `on_full: wait`."),
            Explanation(
                "graph.live_only", [.configuration],
                "An edge has an option that exists only in live mode.",
                cause: "`in_flight`, `timeout_ms` and `idle_timeout_ms` depend on time. A batch run does not.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { from: { id: synthetic, in_flight: 1 } }]
                    sinks: [discard]
                    """,
                remedy: "Write `mode: live`, or leave the option out."),
            Explanation(
                "graph.no_capacity", [.configuration],
                "An edge has room for no frame.",
                cause: """
                    With `capacity: 0`, no frame can wait in the edge. Frames pass only if the edge also has `in_flight`, as \
                    the edges of live sources have by default.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [resample: { from: { id: synthetic, capacity: 0 } }]
                    sinks: [discard]
                    """,
                remedy: "Give the edge a capacity of at least 1."),
            Explanation(
                "graph.aligned_drops", [.warning],
                "Branches that drop frames independently are aligned by exact time.",
                cause: """
                    One branch may drop a frame that the other keeps, so many frames never find a partner with exactly \
                    the same time.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: stroke }]
                    stages:
                      - match: { id: a, from: { id: stdin, on_full: drop_oldest }, library: Samples/shapes.json }
                      - match: { id: b, from: { id: stdin, on_full: drop_oldest }, library: Samples/letters.json }
                      - combine: { from: [a, b] }
                    sinks: [stdout]
                    """,
                remedy: "Use `align: approximate` or `align: latest`, or drop once before the branches split."),
            Explanation(
                "graph.joined_commits", [.configuration],
                "A stage joins frames of several sources that commit what was processed.",
                cause: """
                    Each `kafka` source can pass streams to another process of its group, which continues without the frames of the \
                    other source. Frames that wait for each other would then be in different processes.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - kafka: { id: left, brokers: ["127.0.0.1:9092"], topics: [left], group: lab, kind: recognition }
                      - kafka: { id: right, brokers: ["127.0.0.1:9092"], topics: [right], group: lab, kind: recognition }
                    stages:
                      - combine: { from: [left, right] }
                    sinks: [discard]
                    """,
                remedy: """
                    Join the frames before they are written to a topic, so that one message contains both. Or read all but one of \
                    the inputs with another source, such as `zmq`.
                    """),
            Explanation(
                "graph.aligned_renamed", [.warning],
                "A stage renames streams before branches of one source are aligned.",
                cause: """
                    Alignment tracks the progress of a branch by its streams. The progress of a renamed stream is \
                    unknown between its frames, so the other branch waits longer than necessary.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - map_stream: { to: "left/{stream}" }
                      - match: { id: a, from: map_stream, library: Samples/shapes.json }
                      - match: { id: b, from: synthetic, library: Samples/shapes.json }
                      - combine: { from: [a, b] }
                    sinks: [discard]
                    """,
                remedy: """
                    Put `map_stream` after the stage that aligns the branches, or name the streams at the source: the source \
                    `file` has `rename_streams`.
                    """),
            Explanation(
                "graph.aligned_room", [.warning],
                "An edge into an aligning stage has too little room for the tolerance.",
                cause: """
                    With `align: approximate`, a frame of the first edge waits up to `tolerance_ms` for a nearer frame of \
                    another edge. If a branch drops frames, and more frames arrive in that time than the edge can hold, \
                    the run ends with `run.deadlock`.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: stroke }]
                    stages:
                      - match: { id: a, from: synthetic, library: Samples/shapes.json }
                      - match: { id: b, from: synthetic, library: Samples/letters.json }
                      - combine: { from: [a, b], align: approximate, tolerance_ms: 60000 }
                    sinks: [discard]
                    """,
                remedy: "Raise `capacity` of the edge as the help says, or lower `tolerance_ms`."),
            Explanation(
                "graph.no_input", [.defect],
                "A component that takes frames was created without an input.",
                cause: "The program that built the graph has a bug. A configuration cannot cause this.",
                output: "error[graph.no_input]: resample was made without an input",
                remedy: "Report this with the configuration."),
            Explanation(
                "graph.mistyped_edge", [.defect],
                "Two components with incompatible types were connected.",
                cause: "The type check before the run should have found this. A configuration cannot cause this.",
                output: """
                    error[graph.mistyped_edge]: resample: resample was connected to a node that does not accept \
                    its output
                    """,
                remedy: "Report it with the configuration. In a graph built in Swift, look for a type cast."),
        ])
}
