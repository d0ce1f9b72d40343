extension Explanation {
    /// Codes about the types of frames and edges.
    static let frameTypes = Family(
        "Types of frames and edges",
        [
            Explanation(
                "graph.type_mismatch", [.configuration],
                "A component is given another type of frame than it takes.",
                cause: """
                    Every stage takes certain types, such as strokes or landmarks, and makes certain types. What \
                    stands before it makes another.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: points }]
                    stages: [resample]
                    sinks: [discard]
                    """,
                remedy: """
                    Put the stage that the help proposes between the two, such as `segment` from points to strokes, \
                    or give the source another `kind`.
                    """),
            Explanation(
                "graph.attribute_mismatch", [.configuration],
                "The type of frame fits, but not what is known about it.",
                cause: """
                    Landmarks are of a topology, in a space of coordinates, with y up or down. The stage needs one \
                    of these to be otherwise than it is.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: pose33 }]
                    stages: [normalize_hand]
                    sinks: [discard]
                    """,
                remedy: """
                    Put the stage that the help proposes between the two, as a rule `convert`, or tell the source \
                    what its data is: `topology`, `space`, `y`.
                    """),
            Explanation(
                "graph.merged_types", [.configuration],
                "Edges of one join carry different types.",
                cause: """
                    A component with several components in `from` gets frames of all of them, which must be of one \
                    type.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic, synthetic: { id: hands, kind: hands }]
                    sinks: [discard: { from: [synthetic, hands] }]
                    """,
                remedy: "Use one component for each type, or bring both to one type before they meet."),
            Explanation(
                "graph.continues", [.configuration],
                "A stage would take single frames out of something that continues from frame to frame.",
                cause: "Points and ink are pieces of strokes. Without some of its pieces a stroke is broken.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: points }]
                    stages: [throttle: { max_hz: 10 }]
                    sinks: [discard]
                    """,
                remedy: "Put the stage behind one that makes whole frames, as `segment` does of points."),
            Explanation(
                "graph.drop_continues", [.configuration],
                "An edge may drop frames of which none can be dropped.",
                cause: """
                    Points and ink are pieces of strokes. An edge that drops single pieces would break strokes, so \
                    `on_full: drop_oldest` and `drop_newest` cannot be written there.
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
                "An edge has an option that exists in live mode only.",
                cause: """
                    `in_flight`, `timeout_ms` and `idle_timeout_ms` limit by time. A batch run does not depend on \
                    time.
                    """,
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
                    `capacity: 0` lets frames through only where the receiver asks for them with `in_flight`, on the \
                    edge of a live source.
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
                "Frames of the same time are wanted from branches that drop frames each by itself.",
                cause: """
                    What one branch drops the other may keep, so many frames never find a partner of exactly their \
                    time.
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
                remedy: "Use `align: approximate` or `align: latest`, or drop once before the branches part."),
            Explanation(
                "graph.aligned_renamed", [.warning],
                "Streams are renamed before branches of one source are aligned.",
                cause: """
                    Aligning knows how far a branch has come by its streams. Of a stream that was renamed nothing is \
                    known between its frames, so the other branch waits longer than it must.
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
                remedy: "Put `map_stream` before the branches part, or behind the stage that aligns them."),
            Explanation(
                "graph.aligned_room", [.warning],
                "An edge into an aligning stage has too little room for the tolerance.",
                cause: """
                    A stage with `align: approximate` holds frames back for `tolerance_ms`. When more frames arrive \
                    in that time than the edge can hold, the branches stop.
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
                "A component that takes frames was made without an input.",
                cause: "The program that put the graph together has a mistake. A configuration cannot cause this.",
                output: "error[graph.no_input]: resample was made without an input",
                remedy: "Report it with the configuration."),
            Explanation(
                "graph.mistyped_edge", [.defect],
                "Two components were joined whose types do not fit.",
                cause: "The check of types before the run should have found it. A configuration cannot cause this.",
                output: """
                    error[graph.mistyped_edge]: resample: resample was joined to a node that does not take what \
                    it makes
                    """,
                remedy: "Report it with the configuration. In a graph made in Swift, look for a cast of types."),
        ])
}
