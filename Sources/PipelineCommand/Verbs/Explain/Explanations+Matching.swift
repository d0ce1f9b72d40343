extension Explanation {
    /// Codes about matching.
    static let matching = Family(
        "Matching",
        [
            Explanation(
                "match.dimension", [.frame],
                "The input cannot be compared with the templates because it has a different number of points.",
                cause: """
                    The stages above the matcher create templates from the library's samples. The input took another \
                    path, or is not resampled to a fixed number of points.
                    """,
                output: """
                    error[match.dimension]: match: a vector of 64 numbers cannot be compared with templates of \
                    32
                    """,
                remedy: """
                    Put `resample: { mode: whole }` above, so that all strokes have the same number of points; for \
                    hands, use one topology, and either always or never z.
                    """),
            Explanation(
                "match.not_finite", [.frame],
                "A vector to be compared is zero, not finite or too large.",
                cause: """
                    A vector of zeros has no direction. Usually all points of the stroke are at the same position.
                    """,
                output: "error[match.not_finite]: match: the vector is zero, so it has no direction",
                remedy: """
                    Remove strokes without extent earlier (`segment` has `min_points`, for example), or write \
                    `on_error: skip`.
                    """),
            Explanation(
                "match.empty_library", [.configuration],
                "A library has no sample to compare with.",
                cause: """
                    The library has no gestures yet, its gestures have no samples, or, for `spot`, no sample is drawn in one \
                    stroke.
                    """,
                output: "error[match.empty_library]: the library has no sample to compare with",
                remedy: """
                    Add samples: `pipectl gestures add LIBRARY GESTURE DATA`, or `pipectl gestures import LIBRARY \
                    DATA`.
                    """),
            Explanation(
                "match.nothing_allowed", [.configuration],
                "The lists of categories exclude all gestures of the library.",
                cause: """
                    `category_allowlist` names no gesture of the library, or `category_denylist` names all of them.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - match:
                          library: Samples/shapes.json
                          category_denylist: [line, circle, triangle, rectangle, check, caret, zigzag, star, spiral, pigtail]
                    sinks: [discard]
                    """,
                remedy: "Correct the lists. The help shows the names of the library."),
            Explanation(
                "match.unknown_label", [.warning],
                "A list of categories names a gesture that the library does not have.",
                cause: "The name is misspelled, or the library was changed. The name has no effect.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: Samples/shapes.json, category_denylist: [strar] }]
                    sinks: [discard]
                    """,
                remedy: "Correct the name. The help shows the existing names."),
            Explanation(
                "match.no_samples", [.warning],
                "A gesture of the library has no samples and is never found.",
                cause: "The samples of the gesture were removed, or it was created without any.",
                output: "warning[match.no_samples]: the gesture \"star\" has no samples and is never found",
                remedy: "Add samples with `pipectl gestures add`, or remove the gesture."),
            Explanation(
                "match.stale_limits", [.warning],
                "A library was changed after its limits were computed, so they are not used.",
                cause: """
                    `pipectl gestures calibrate` stores the largest allowed distance from each gesture. A new or \
                    removed sample changes these distances.
                    """,
                output: """
                    warning[match.stale_limits]: the library was changed after its limits were computed: they \
                    are not used
                    """,
                remedy: "Run `pipectl gestures calibrate LIBRARY` again."),
            Explanation(
                "match.library_kind", [.configuration],
                "A library contains a kind of sample that cannot be prepared here.",
                cause: """
                    Samples pass through the pure stages directly above the matcher. The first of these stages takes \
                    another type: for example, the library has strokes but the source produces hands, or a stage in \
                    between is not pure.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [normalize_hand, vectorize, match: { library: Samples/shapes.json }]
                    sinks: [discard]
                    """,
                remedy: """
                    Use a library of the right kind, and put only the stages that the help names between the strokes \
                    or hands and the matcher.
                    """),
            Explanation(
                "match.sample_refused", [.configuration],
                "A sample of the library cannot be compared.",
                cause: """
                    The stages above the matcher, or the matcher itself, refuse it: it has no extent or too few \
                    points, for example, or it is a bare bitmap.
                    """,
                output: """
                    error[match.sample_refused]: sample 2 of "dot" is refused: the stroke has no extent, so its \
                    vector has no direction
                    """,
                remedy: """
                    Remove the sample with `pipectl gestures remove`, or leave the gesture out with \
                    `category_denylist`.
                    """),
            Explanation(
                "match.library", [.configuration],
                "A matcher cannot be created from a library.",
                cause: "The prepared samples are incompatible, for example vectors of different lengths.",
                output: "error[match.library]: a vector of 64 numbers cannot be compared with templates of 32",
                remedy: "Put `resample` above the matcher, so that all samples have the same number of points."),
            Explanation(
                "spot.no_samples", [.warning],
                "A gesture has no usable sample of one stroke, so `spot` never finds it.",
                cause: "`spot` looks for gestures in a movement without pen-up. A tap has no shape to look for.",
                output:
                    "warning[spot.no_samples]: the gesture \"x\" has no usable sample of one stroke and is never found",
                remedy: "Add samples that are drawn in one stroke, or leave the gesture out."),
            Explanation(
                "spot.several_strokes", [.warning],
                "A sample is drawn in several strokes, which cannot occur in one movement.",
                cause: "`spot` looks for gestures in a movement without pen-up, and skips this sample.",
                output: """
                    warning[spot.several_strokes]: a sample of "x" is drawn in 2 strokes, so it cannot occur in \
                    a movement without pen-up
                    """,
                remedy: "Leave the gesture out with `category_denylist`, or add samples of one stroke."),
        ])
}
