extension Explanation {
    /// Codes about stages inside a stage.
    static let chains = Family(
        "Stages inside a stage",
        [
            Explanation(
                "chain.empty", [.configuration],
                "A list of stages inside a stage is empty.",
                cause: "`each` runs its list of stages on every part of a frame, and needs at least one.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [] }]
                    sinks: [discard]
                    """,
                remedy: "Name a stage: `stages: [recognize_hand: { canned: {} }]`."),
            Explanation(
                "chain.from", [.configuration],
                "A stage inside a list of stages has a `from`.",
                cause: "Inside such a list every stage takes from the one before it.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, from: synthetic }] }]
                    sinks: [discard]
                    """,
                remedy: "Leave `from` out. Branches belong in the list of stages at the top."),
            Explanation(
                "chain.route", [.configuration],
                "A stage inside a list of stages has `on_error: route`.",
                cause: "Only components at the top have an output for errors.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, on_error: route }] }]
                    sinks: [discard]
                    """,
                remedy: "Give `on_error: route` to the stage that the list belongs to."),
            Explanation(
                "chain.workers", [.configuration],
                "A stage inside a list of stages has `workers`.",
                cause: """
                    Workers share the streams of a stage. The stages of an inner list are called by the stage that the \
                    list belongs to, for every part of a frame, by whichever worker has the frame.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, workers: 2 }] }]
                    sinks: [discard]
                    """,
                remedy: "Give `workers` to the stage that the list belongs to."),
            Explanation(
                "chain.output", [.configuration],
                "The last stage of an inner list makes another type than the stage around it needs.",
                cause: """
                    `each` collects what its stages make of every hand, and takes recognitions, for example, but not \
                    vectors.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [normalize_hand, vectorize] }]
                    sinks: [discard]
                    """,
                remedy: "Put a stage at the end that makes one of the types in the message."),
            Explanation(
                "chain.asynchronous", [.configuration],
                "A stage that waits for something outside stands in a list of stages.",
                cause: "The stages of a list answer at once. `zmq_request` waits for another program.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [zmq_request: { connect: "tcp://127.0.0.1:5558", kind: recognition }] }]
                    sinks: [discard]
                    """,
                remedy: "Put it before or behind the stage that the list belongs to."),
            Explanation(
                "chain.renames", [.configuration],
                "A stage that renames streams stands in a list of stages.",
                cause: "Inside a list there are parts of frames and no streams.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [map_stream: { to: hand }, recognize_hand: { canned: {} }] }]
                    sinks: [discard]
                    """,
                remedy: "Put it behind the stage that the list belongs to."),
        ])
}
