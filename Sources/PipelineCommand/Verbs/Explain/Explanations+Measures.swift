extension Explanation {
    /// Codes about measures, triggers and recognitions.
    static let measures = Family(
        "Measures, triggers and recognitions",
        [
            Explanation(
                "measure.kind", [.configuration],
                "A measure must have exactly one of distance, angle and difference.",
                cause: "Each measure has a name and one quantity. This measure has none or several.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: {} }]
                    sinks: [discard]
                    """,
                remedy: "Write one of them, as in `pinch: { distance: [thumbTip, indexTip], per: palm }`."),
            Explanation(
                "measure.landmarks", [.configuration],
                "A measure has the wrong number of landmarks, or one of them twice.",
                cause: "A distance and a difference take two different landmarks, an angle takes three.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: { distance: [thumbTip, indexTip, wrist] } }]
                    sinks: [discard]
                    """,
                remedy: "Use the number in the message, and landmarks that differ."),
            Explanation(
                "measure.name", [.configuration],
                "The name of a measure contains a comma or is empty.",
                cause: "The names of measures are sent as a list separated by commas.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { "a,b": { distance: [thumbTip, indexTip] } }]
                    sinks: [discard]
                    """,
                remedy: "Use a name without commas."),
            Explanation(
                "measure.no_palm", [.configuration],
                "A measure uses the palm of landmarks that have none.",
                cause: """
                    The palm consists of the wrist and the knuckles of four fingers. The input has another topology, \
                    or those points were removed.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, topology: pose33 }]
                    stages: [measure: { arm: { distance: [leftWrist, rightWrist], per: palm } }]
                    sinks: [discard]
                    """,
                remedy: "Write `per: box` or `per: none`."),
            Explanation(
                "measure.nothing", [.configuration],
                "`measure` has no measure.",
                cause: "The options of `measure` are the measures, each with a name.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure]
                    sinks: [discard]
                    """,
                remedy: "Add a measure, as in `measure: { pinch: { distance: [thumbTip, indexTip], per: palm } }`."),
            Explanation(
                "measure.no_extent", [.frame],
                "A measure cannot be computed because the landmarks it uses are at the same position.",
                cause: """
                    The distance is divided by the size of the palm or the box, and that size is zero: the hand was \
                    not actually found.
                    """,
                output: """
                    error[measure.no_extent]: measure: stream hand, frame 8 at 0.3 s: pinch cannot be measured: \
                    the landmarks of its reference length coincide
                    """,
                remedy: "Put `gate` before it to remove uncertain hands, or write `on_error: skip`."),
            Explanation(
                "trigger.range", [.configuration],
                "A trigger must have exactly one of `above` and `below`.",
                cause: "A trigger fires when a measure rises above or falls below a threshold.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages:
                      - measure: { pinch: { distance: [thumbTip, indexTip], per: palm } }
                      - trigger: { name: pinch }
                    sinks: [discard]
                    """,
                remedy: "Write one of them, as in `below: 0.3, rest: 0.5`."),
            Explanation(
                "trigger.rest", [.configuration],
                "The rest position would be reached at the moment of firing.",
                cause: """
                    After firing, a measure must return to `rest` before the trigger can fire again. So `rest` must be \
                    on the other side of the threshold.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages:
                      - measure: { pinch: { distance: [thumbTip, indexTip], per: palm } }
                      - trigger: { name: pinch, below: 0.3, rest: 0.2 }
                    sinks: [discard]
                    """,
                remedy: """
                    With `below`, use a larger `rest`; with `above`, a smaller one. For `thumb_swipe`, `rest` is at \
                    most `distance`.
                    """),
            Explanation(
                "trigger.unknown_measure", [.configuration],
                "A trigger uses a measure that its input does not have.",
                cause: """
                    A trigger uses the measure that `measure` names, or else the measure with the name of the trigger. No \
                    stage above computes that measure.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages:
                      - measure:
                          pinch: { distance: [thumbTip, indexTip], per: palm }
                          spread: { distance: [indexTip, littleTip], per: palm }
                      - trigger: { name: click, below: 0.3 }
                    sinks: [discard]
                    """,
                remedy: "Write `measure: NAME` with one of the names in the help."),
            Explanation(
                "trigger.count", [.frame],
                "A vector is too short for the number that a trigger uses.",
                cause: """
                    `measure` is an index into the vector, from 0, and it is out of range for vectors of this length.
                    """,
                output: "error[trigger.count]: trigger: a vector of 2 numbers has no index 5",
                remedy: "Correct the index, or give every vector the same length."),
            Explanation(
                "map_stream.placeholder", [.configuration],
                "The new name of a stream contains an unknown placeholder.",
                cause: "The only placeholder is `{stream}`. Any other name in braces is probably misspelled.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [map_stream: { to: "left/{strem}" }]
                    sinks: [discard]
                    """,
                remedy: "Write `{stream}`, which stands for the old name."),
            Explanation(
                "filter.not_recognition", [.configuration],
                "`filter` uses a category or a score, but its input has none.",
                cause: "`category` and `min_score` apply to recognitions. The input is something else.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [filter: { min_score: 0.8 }]
                    sinks: [discard]
                    """,
                remedy: "Put `filter` after the stage that recognizes, or leave the option out."),
            Explanation(
                "filter.nothing_passes", [.warning],
                "A filter passes nothing.",
                cause: "`kind` lists the kinds that pass, and the kind of the input is not among them.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [filter: { kind: [hands] }]
                    sinks: [discard]
                    """,
                remedy: "Correct `kind`, or leave it out."),
            Explanation(
                "combine.not_finite", [.frame],
                "A recognition to be combined has a score or a margin that is not a number.",
                cause: "The recognition came from a file, a sender or one of your own stages in this form.",
                output: "error[combine.not_finite]: combine: a recognition with a score or margin that is not finite",
                remedy: "Fix the origin of the recognition, or write `on_error: skip`."),
            Explanation(
                "recognition.not_finite", [.frame],
                "A score of a recognition is not finite.",
                cause: "The recognition came from a file, a sender or one of your own stages in this form.",
                output: "error[recognition.not_finite]: debounce: a score of the recognition is not finite",
                remedy: "Fix the origin of the recognition, or write `on_error: skip`."),
        ])
}
