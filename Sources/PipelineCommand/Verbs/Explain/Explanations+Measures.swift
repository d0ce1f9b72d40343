extension Explanation {
    /// Codes about measures, triggers and recognitions.
    static let measures = Family(
        "Measures, triggers and recognitions",
        [
            Explanation(
                "measure.kind", [.configuration],
                "A measure is not exactly one of distance, angle and difference.",
                cause: "Each measure has a name and says one thing that is measured. None, or several, are given.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: {} }]
                    sinks: [discard]
                    """,
                remedy: "Write one, as in `pinch: { distance: [thumbTip, indexTip], per: palm }`."),
            Explanation(
                "measure.landmarks", [.configuration],
                "A measure has another number of landmarks than it needs.",
                cause: "A distance and a difference take two landmarks, an angle takes three.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { pinch: { distance: [thumbTip, indexTip, wrist] } }]
                    sinks: [discard]
                    """,
                remedy: "Name as many as the message says."),
            Explanation(
                "measure.name", [.configuration],
                "A measure has a name with a comma in it, or none.",
                cause: "The names of measures travel in a list with commas between them.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure: { "a,b": { distance: [thumbTip, indexTip] } }]
                    sinks: [discard]
                    """,
                remedy: "Take a name without commas."),
            Explanation(
                "measure.no_palm", [.configuration],
                "A measure is to go by the palm of something that has none.",
                cause: """
                    The palm is made of the wrist and the knuckles of four fingers. The landmarks that arrive are of \
                    another topology, or those points were left out.
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
                cause: "Its options are the measures, each under a name.",
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: landmarks }]
                    stages: [measure]
                    sinks: [discard]
                    """,
                remedy: "Add one, as in `measure: { pinch: { distance: [thumbTip, indexTip], per: palm } }`."),
            Explanation(
                "measure.no_extent", [.frame],
                "Something cannot be measured, since the landmarks it goes by are one place.",
                cause: """
                    The distance is divided by the size of the palm or the box, and that is zero: the hand was not \
                    really found.
                    """,
                output: """
                    error[measure.no_extent]: measure: stream hand, frame 8 at 0.3 s: pinch cannot be measured: \
                    the landmarks it goes by are one place
                    """,
                remedy: "Put `gate` before it to leave out hands that are not sure, or write `on_error: skip`."),
            Explanation(
                "trigger.range", [.configuration],
                "A trigger does not have exactly one of `above` and `below`.",
                cause: "A trigger fires when a measure goes above a threshold or below one.",
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
                "What counts as rest would be reached in the moment in which something fires.",
                cause: """
                    After firing, a measure must come back to `rest` before it can fire again. So `rest` lies on the \
                    other side of the threshold.
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
                    With `below` give a larger `rest`, with `above` a smaller one. For `thumb_swipe`, `rest` is at \
                    most `distance`.
                    """),
            Explanation(
                "trigger.unknown_measure", [.configuration],
                "A trigger looks at a measure that does not arrive.",
                cause: """
                    The trigger goes by the measure of its own name, or by `measure`. No measure above has that \
                    name.
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
                "A vector is too short for the number that a trigger looks at.",
                cause: "`measure` is a place in the vector, from 0, and vectors of this length have no such place.",
                output: "error[trigger.count]: trigger: a vector of 2 numbers has none at 5",
                remedy: "Correct the place, or let every vector have the same length."),
            Explanation(
                "filter.not_recognition", [.configuration],
                "`filter` is to look at a category or a score of frames that have none.",
                cause: "`category` and `min_score` look at recognitions. What arrives is something else.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [filter: { min_score: 0.8 }]
                    sinks: [discard]
                    """,
                remedy: "Put `filter` behind the stage that recognizes, or leave the option out."),
            Explanation(
                "filter.nothing_passes", [.warning],
                "A filter lets nothing through.",
                cause: "`kind` lists the kinds that pass, and the only kind that arrives is not among them.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [filter: { kind: [hands] }]
                    sinks: [discard]
                    """,
                remedy: "Correct `kind`, or leave it out."),
            Explanation(
                "combine.not_finite", [.frame],
                "A recognition that is to be combined has a score or a margin that is no number.",
                cause: "It came so from a file or a sender, or from a stage of yours.",
                output: "error[combine.not_finite]: combine: a recognition with a score or margin that is no number",
                remedy: "Mend what makes it, or write `on_error: skip`."),
            Explanation(
                "recognition.not_finite", [.frame],
                "A score of a recognition is not finite.",
                cause: "It came so from a file or a sender, or from a stage of yours.",
                output: "error[recognition.not_finite]: debounce: a score of the recognition is not finite",
                remedy: "Mend what makes it, or write `on_error: skip`."),
        ])
}
