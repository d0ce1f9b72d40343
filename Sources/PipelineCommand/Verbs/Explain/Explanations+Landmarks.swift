extension Explanation {
    /// Codes about landmarks and hands.
    static let landmarks = Family(
        "Landmarks and hands",
        [
            Explanation(
                "topology.unknown", [.configuration],
                "No topology has this name.",
                cause: """
                    A topology is a list of landmarks, such as `hand21`. The name is misspelled, or it is a custom \
                    topology without its points.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: hand20 }]
                    sinks: [discard]
                    """,
                remedy: "Use one of the names in the help, or list the points: `\"tool(tip, middle, end)\"`."),
            Explanation(
                "topology.points", [.configuration],
                "A custom topology has the wrong syntax.",
                cause: """
                    The syntax is `NAME(POINT, POINT, …)`. A point has no name or is listed twice, a bracket is \
                    missing, or a part of a known topology names a landmark that the topology does not have.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: "tool(tip, tip)" }]
                    sinks: [discard]
                    """,
                remedy: "Give every point a unique name, and put the whole text in quotes."),
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
                remedy: "Use a name from the help. The page on landmarks lists the names of every topology."),
            Explanation(
                "landmarks.group", [.configuration],
                "A group of landmarks is given where a single landmark is expected.",
                cause: "Groups such as `thumb` or `fingertips` contain several landmarks.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: { distance: [thumb, indexTip] } }]
                    sinks: [discard]
                    """,
                remedy: "Name one of the landmarks that the help lists."),
            Explanation(
                "landmarks.count", [.frame],
                "There are more or fewer landmarks than expected.",
                cause: """
                    A stage that uses landmarks by their place in the topology, such as `measure`, received more or fewer than \
                    the topology has. Or the number of confidences or world coordinates differs from the number of landmarks.
                    """,
                output: """
                    error[landmarks.count]: measure: stream hand, frame 8 at 0.3 s: 20 landmarks, and hand21 has \
                    21
                    """,
                remedy: "Set `topology` at the source to the topology of the data, or fix the sender."),
            Explanation(
                "landmarks.not_finite", [.frame],
                "A landmark or a confidence is not finite or too large.",
                cause: "A number is infinite, not a number, or beyond 1e150.",
                output: """
                    error[landmarks.not_finite]: smooth: stream hand, frame 8 at 0.3 s: a landmark or a \
                    confidence is not finite or too large
                    """,
                remedy: """
                    Let the sender omit hands that it has not found. `on_error: skip` leaves such frames out.
                    """),
            Explanation(
                "landmarks.topology", [.frame],
                "A stage received landmarks of a topology that it was not created for.",
                cause: "The source has no topology or a different one, but the messages name their topology.",
                output: "error[landmarks.topology]: recognize_hand: expected landmarks of hand21, found pose33",
                remedy: "Set `topology` at the source."),
            Explanation(
                "normalize_hand.no_extent", [.frame],
                "A hand has no extent, so it cannot be scaled.",
                cause: """
                    All landmarks are at the same position or, with `scale: palm`, those of the palm: the hand was not actually \
                    found.
                    """,
                output: """
                    error[normalize_hand.no_extent]: normalize_hand: stream hand, frame 8 at 0.3 s: the hand has \
                    no extent
                    """,
                remedy: "Put `gate` before it to remove uncertain hands, or write `on_error: skip`."),
            Explanation(
                "recognize_hand.no_extent", [.frame],
                "The palm of a hand has no extent, so the hand has no pose.",
                cause: "The landmarks of the palm are at the same position: the hand was not actually found.",
                output: """
                    error[recognize_hand.no_extent]: recognize_hand: stream hand, frame 8 at 0.3 s: the palm has \
                    no extent
                    """,
                remedy: "Put `gate` before it to remove uncertain hands, or write `on_error: skip`."),
            Explanation(
                "gate.require", [.configuration],
                "A gate requires more confident landmarks than it checks.",
                cause: "`require` is larger than the number of landmarks in `of`, so the gate would never open.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [gate: { landmarks: { of: [wrist], require: 2 } }]
                    sinks: [discard]
                    """,
                remedy: "Write `require: all`, or a number up to the one in the message."),
            Explanation(
                "select.facing", [.configuration],
                "`select` cannot determine the visible side of the hand.",
                cause: "`facing` requires the landmarks of `hand21` with y growing downwards, as in images.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: pose33 }]
                    stages: [select: { facing: palm }]
                    sinks: [discard]
                    """,
                remedy: """
                    Put the stage where `hand21` arrives, and `convert: { flip_y: true }` before it if y grows upwards. Or leave \
                    `facing` out.
                    """),
            Explanation(
                "select.one_hand", [.configuration],
                "`max_hands` is set, but the input is single sets of landmarks.",
                cause: "`max_hands` selects among the hands of a frame of kind `hands`.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [select: { max_hands: 1 }]
                    sinks: [discard]
                    """,
                remedy: "Leave `max_hands` out, or set `kind: hands` at the source."),
            Explanation(
                "select.topology", [.configuration],
                "The input of `select` lacks points of the topology that it should produce.",
                cause: """
                    For example, `topology: pose17` selects the 17 points of a body, which a hand does not have.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [select: { topology: pose17 }]
                    sinks: [discard]
                    """,
                remedy: "Leave `topology` out, or name the `landmarks` to keep."),
            Explanation(
                "convert.unknown_space", [.frame],
                "`convert` does not know the space of the coordinates.",
                cause: """
                    Neither the source nor the message states whether the coordinates are fractions of the image, pixels or \
                    meters.
                    """,
                output: "error[convert.unknown_space]: convert: the space of the coordinates is not known",
                remedy: "Write `space: normalized`, `pixels` or `world` at the source."),
            Explanation(
                "convert.no_size", [.configuration, .frame],
                "`convert` needs the size of the image.",
                cause: """
                    The size is needed to convert between fractions of the image and pixels, and to rotate or mirror pixels \
                    about the center of the image.
                    """,
                output: """
                    error[convert.no_size]: convert: the size of the image is needed to convert from \
                    normalized to pixels
                    """,
                remedy: "Add `width` and `height` in pixels."),
            Explanation(
                "convert.no_world", [.frame],
                "Landmarks without world coordinates cannot be converted to the world space.",
                cause: """
                    Some trackers send metric coordinates in addition to those in the image, but this one does not.
                    """,
                output: "error[convert.no_world]: convert: the landmarks have no world positions",
                remedy: "Let the sender send world coordinates, or convert to another space."),
            Explanation(
                "convert.impossible", [.configuration, .frame],
                "Coordinates cannot be converted into this space.",
                cause: "The position of world coordinates in the image is unknown.",
                output: "error[convert.impossible]: convert: it is unknown where in an image world coordinates are",
                remedy: "Use the image coordinates of the sender."),
            Explanation(
                "each.too_many", [.frame],
                "A frame has too many hands for `each`.",
                cause: """
                    `each` keeps stages for every hand, and the number of hands is limited. This many hands are \
                    usually an error of the sender.
                    """,
                output: "error[each.too_many]: each: 1200 hands, but 1000 are the limit",
                remedy: "Put `select: { max_hands: 2 }` before that stage."),
            Explanation(
                "each.not_connected", [.defect],
                "The stages inside `each` were not connected.",
                cause: "A configuration cannot cause this.",
                output: "error[each.not_connected]: each: the stages are not connected",
                remedy: "If you drive the stage from Swift, run it in a `Run` or a harness. Otherwise report it."),
            Explanation(
                "track.too_many", [.frame],
                "A frame has too many hands for `track`.",
                cause: "Hands are matched in pairs with those of the previous frame, so their number is limited.",
                output: "error[track.too_many]: track: 1000 hands, but 100 are the limit",
                remedy: "Put `select: { max_hands: 2 }` before that stage."),
        ])
}
