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
                cause: "In such a list, every stage takes its frames from the one before it.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, from: synthetic }] }]
                    sinks: [discard]
                    """,
                remedy: "Leave `from` out. Branches belong in the top-level list of stages."),
            Explanation(
                "chain.route", [.configuration],
                "A stage inside a list of stages has `on_error: route`.",
                cause: "Only top-level components have an output for errors.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, on_error: route }] }]
                    sinks: [discard]
                    """,
                remedy: "Give `on_error: route` to the stage that contains the list."),
            Explanation(
                "chain.workers", [.configuration],
                "A stage inside a list of stages has `workers`.",
                cause: """
                    Workers share the streams of a stage. The stages of an inner list are called by the stage that \
                    contains the list, for every part of a frame, on the worker that processes the frame.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [recognize_hand: { canned: {}, workers: 2 }] }]
                    sinks: [discard]
                    """,
                remedy: "Give `workers` to the stage that contains the list."),
            Explanation(
                "chain.output", [.configuration],
                "The last stage of an inner list produces a different type than the enclosing stage needs.",
                cause: """
                    `each` collects the results of its stages for every hand. It accepts recognitions, for example, \
                    but not vectors.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [normalize_hand, vectorize] }]
                    sinks: [discard]
                    """,
                remedy: "End the list with a stage that produces one of the types in the message."),
            Explanation(
                "chain.asynchronous", [.configuration],
                "A stage that waits for something outside is in a list of stages.",
                cause: "The stages of a list return immediately. `zmq_request` waits for another program.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [zmq_request: { connect: "tcp://127.0.0.1:5558", kind: recognition }] }]
                    sinks: [discard]
                    """,
                remedy: "Put `zmq_request` before or after the stage that contains the list."),
            Explanation(
                "chain.renames", [.configuration],
                "A stage that renames streams is in a list of stages.",
                cause: "A list processes parts of frames, which have no streams.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: hands }]
                    stages: [each: { stages: [map_stream: { to: hand }, recognize_hand: { canned: {} }] }]
                    sinks: [discard]
                    """,
                remedy: "Put `map_stream` after the stage that contains the list."),
        ])
}
