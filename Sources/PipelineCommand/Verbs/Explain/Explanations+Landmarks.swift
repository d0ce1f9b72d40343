extension Explanation {
    /// Codes about landmarks and hands.
    static let landmarks = Family(
        "Landmarks and hands",
        [
            Explanation(
                "topology.unknown", [.configuration],
                "No topology has this name.",
                cause: """
                    A topology is a list of landmarks, such as `hand21`. The name is misspelled, or it is one of your \
                    own without its points.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: hand20 }]
                    sinks: [discard]
                    """,
                remedy: "Take one of the names in the help, or say the points: `\"tool(tip, middle, end)\"`."),
            Explanation(
                "topology.points", [.configuration],
                "A topology of your own is not written as it should be.",
                cause: """
                    It is written `NAME(POINT, POINT, …)`. A point has no name or stands twice, a bracket is \
                    missing, or a part of a known topology names a landmark that it does not have.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: "tool(tip, tip)" }]
                    sinks: [discard]
                    """,
                remedy: "Give every point a name of its own, and put the whole in quotes."),
            Explanation(
                "landmarks.unknown", [.configuration],
                "A topology has no landmark or group of this name.",
                cause: "The name is misspelled, or belongs to another topology than the one that arrives.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [select: { landmarks: [thumbTop] }]
                    sinks: [discard]
                    """,
                remedy: "Take a name from the help. The page on landmarks lists the names of every topology."),
            Explanation(
                "landmarks.group", [.configuration],
                "A group of landmarks is named where one landmark is wanted.",
                cause: "Groups such as `thumb` or `fingertips` stand for several landmarks.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: { distance: [thumb, indexTip] } }]
                    sinks: [discard]
                    """,
                remedy: "Name one of the landmarks that the help lists."),
            Explanation(
                "landmarks.count", [.frame],
                "There are more or fewer landmarks than there should be.",
                cause: """
                    The topology has another number, or there are not as many confidences or places in the world as \
                    landmarks.
                    """,
                output: """
                    error[landmarks.count]: smooth: stream hand, frame 8 at 0.3 s: 20 landmarks, and hand21 has \
                    21
                    """,
                remedy: "Say `topology` at the source as the data is, or mend the sender."),
            Explanation(
                "landmarks.not_finite", [.frame],
                "A landmark or a confidence is not finite or too large.",
                cause: "A number is infinite, not a number, or beyond 1e150.",
                output: """
                    error[landmarks.not_finite]: smooth: stream hand, frame 8 at 0.3 s: a landmark or a \
                    confidence is not finite or too large
                    """,
                remedy: """
                    Let the sender leave out hands that it has not found. `on_error: skip` leaves such frames out.
                    """),
            Explanation(
                "landmarks.topology", [.frame],
                "A stage got landmarks of another topology than it was made for.",
                cause: """
                    The source was told nothing or something else, and the messages themselves name their topology.
                    """,
                output: "error[landmarks.topology]: recognize_hand: expected landmarks of hand21, found pose33",
                remedy: "Say `topology` at the source."),
            Explanation(
                "gate.require", [.configuration],
                "A gate requires more sure landmarks than it looks at.",
                cause: """
                    `require` is a number, and `of` names fewer landmarks than that, so the gate would never open.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [gate: { landmarks: { of: [wrist], require: 2 } }]
                    sinks: [discard]
                    """,
                remedy: "Write `require: all`, or a number up to that in the message."),
            Explanation(
                "select.facing", [.configuration],
                "`select` is to go by which side of the hand one sees, and cannot tell.",
                cause: "That needs the landmarks of `hand21` with y growing downwards, as in images.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: pose33 }]
                    stages: [select: { facing: palm }]
                    sinks: [discard]
                    """,
                remedy: "Put `convert: { flip_y: true }` before where y grows upwards, or leave `facing` out."),
            Explanation(
                "select.one_hand", [.configuration],
                "`max_hands` is given where single sets of landmarks arrive.",
                cause: "It chooses among the hands of a frame of kind `hands`.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [select: { max_hands: 1 }]
                    sinks: [discard]
                    """,
                remedy: "Leave `max_hands` out, or let the source bring `kind: hands`."),
            Explanation(
                "select.topology", [.configuration],
                "The landmarks that arrive do not have the points of the topology that `select` is to make of them.",
                cause: "`topology: pose17` takes the 17 points of a body, which a hand does not have.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [select: { topology: pose17 }]
                    sinks: [discard]
                    """,
                remedy: "Leave `topology` out, or name the `landmarks` to keep."),
            Explanation(
                "convert.unknown_space", [.frame],
                "`convert` does not know in which space coordinates are.",
                cause: """
                    Neither the source nor the message says whether they are parts of the image, pixels or meters.
                    """,
                output: "error[convert.unknown_space]: convert: the space of the coordinates is not known",
                remedy: "Write `space: normalized`, `pixels` or `world` at the source."),
            Explanation(
                "convert.no_size", [.frame],
                "`convert` needs the size of the image.",
                cause: """
                    Between parts of an image and pixels the factor is its size, and pixels are turned or mirrored \
                    about its middle.
                    """,
                output: """
                    error[convert.no_size]: convert: the size of the image is needed between normalized and \
                    pixels
                    """,
                remedy: "Add `width` and `height` in pixels."),
            Explanation(
                "convert.no_world", [.frame],
                "Landmarks are to be converted to places in the world, and have none.",
                cause: "Some trackers tell metric places beside those in the image, and this one has not.",
                output: "error[convert.no_world]: convert: the landmarks came without places in the world",
                remedy: "Let the sender send them, or convert to another space."),
            Explanation(
                "convert.impossible", [.frame],
                "Coordinates cannot be converted into this space.",
                cause: "From places in the world their position in the image is unknown.",
                output: "error[convert.impossible]: convert: it is unknown where in an image world coordinates are",
                remedy: "Take the places in the image from the sender."),
            Explanation(
                "each.too_many", [.frame],
                "A frame has too many hands for `each`.",
                cause: """
                    `each` keeps stages for every hand, and their number has a limit. So many hands are most often a \
                    mistake of the sender.
                    """,
                output: "error[each.too_many]: each: 1200 hands, and 1000 are the limit",
                remedy: "Put `select: { max_hands: 2 }` before it."),
            Explanation(
                "each.not_connected", [.defect],
                "The stages inside `each` were not connected.",
                cause: "A configuration cannot cause this.",
                output: "error[each.not_connected]: each: nothing was connected that runs the stages",
                remedy: "If you drive the stage from Swift, run it in a `Run` or a harness. Otherwise report it."),
            Explanation(
                "track.too_many", [.frame],
                "A frame has too many hands for `track`.",
                cause: "Hands are matched with those of the frame before, pair by pair, so their number has a limit.",
                output: "error[track.too_many]: track: 1000 hands, and 100 are the limit",
                remedy: "Put `select: { max_hands: 2 }` before it."),
        ])
}
