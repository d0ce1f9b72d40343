extension Explanation {
    /// Codes about matching.
    static let matching = Family(
        "Matching",
        [
            Explanation(
                "match.dimension", [.frame],
                "Something cannot be compared with the templates, since it has another number of points.",
                cause: """
                    Templates are made of the library's samples by the stages above the matcher. What arrives came \
                    another way, or is not resampled to one number of points.
                    """,
                output: """
                    error[match.dimension]: match: a vector of 64 numbers cannot be compared with templates of \
                    32
                    """,
                remedy: """
                    Put `resample: { mode: whole }` above, so that all strokes have one number of points; for hands \
                    let all have one topology, with z or without.
                    """),
            Explanation(
                "match.not_finite", [.frame],
                "A vector that is to be compared is zero, not finite or too large.",
                cause: "A vector of zeros has no direction. Most often all points of the stroke are one place.",
                output: "error[match.not_finite]: match: the vector is zero, so it has no direction",
                remedy: "Leave taps out before, or write `on_error: skip`."),
            Explanation(
                "match.empty_library", [.configuration],
                "A library has no sample to compare with.",
                cause: """
                    It has no gestures yet, its gestures have no samples, or, for `spot`, none that is drawn in one \
                    stroke.
                    """,
                output: "error[match.empty_library]: the library has no sample to compare with",
                remedy: """
                    Add some: `pipectl gestures add LIBRARY GESTURE DATA`, or `pipectl gestures import LIBRARY \
                    DATA`.
                    """),
            Explanation(
                "match.nothing_allowed", [.configuration],
                "The lists of categories leave none of the library's gestures.",
                cause: "`category_allowlist` names none that the library has, or `category_denylist` names all.",
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
                remedy: "Correct it. The help shows the names that there are."),
            Explanation(
                "match.no_samples", [.warning],
                "A gesture of the library has no samples and is never found.",
                cause: "Its samples were removed, or it was made without any.",
                output: "warning[match.no_samples]: the gesture \"star\" has no samples and is never found",
                remedy: "Add samples with `pipectl gestures add`, or remove the gesture."),
            Explanation(
                "match.stale_limits", [.warning],
                "A library was changed after its limits were computed, so they are not used.",
                cause: """
                    `pipectl gestures calibrate` stores how far something may be from each gesture. Another sample \
                    changes these distances.
                    """,
                output: """
                    warning[match.stale_limits]: the library was changed after its limits were computed: they \
                    are not used
                    """,
                remedy: "Run `pipectl gestures calibrate LIBRARY` again."),
            Explanation(
                "match.library_kind", [.configuration],
                "A library holds another kind of sample than can be prepared here.",
                cause: """
                    Samples go through the pure stages above the matcher. These begin with another type: a library \
                    of strokes below a source of hands, or another stage stands between.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [normalize_hand, vectorize, match: { library: Samples/shapes.json }]
                    sinks: [discard]
                    """,
                remedy: """
                    Use a library of the right kind, and let only the stages that the help names stand between the \
                    strokes or hands and the matcher.
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
                "A matcher cannot be made of a library.",
                cause: "The prepared samples do not go together, such as vectors of different lengths.",
                output: "error[match.library]: a vector of 64 numbers cannot be compared with templates of 32",
                remedy: "Put `resample` above the matcher, so that all samples have one number of points."),
            Explanation(
                "spot.no_samples", [.warning],
                "A gesture has no sample of one stroke, so `spot` never finds it.",
                cause: "`spot` looks for gestures in a movement without pen-up.",
                output: "warning[spot.no_samples]: the gesture \"x\" has no sample of one stroke and is never found",
                remedy: "Add samples that are drawn in one stroke, or leave the gesture out."),
            Explanation(
                "spot.several_strokes", [.warning],
                "A sample is drawn in several strokes, which cannot occur in one movement.",
                cause: "`spot` looks for gestures in a movement without pen-up, and passes over this sample.",
                output: """
                    warning[spot.several_strokes]: a sample of "x" is drawn in 2 strokes: in a movement without \
                    pen-up it cannot occur
                    """,
                remedy: "Leave the gesture out with `category_denylist`, or add samples of one stroke."),
        ])
}
