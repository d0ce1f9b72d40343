extension Explanation {
    /// Codes about simulated time.
    static let simulation = Family(
        "Simulated time",
        [
            Explanation(
                "simulate.not_live", [.configuration],
                "A pipeline to be simulated is not live.",
                cause: "Simulated time shows what a live pipeline would drop. A batch run does not depend on time.",
                output: """
                    $ pipectl run strokes.yaml --simulate session.jsonl
                    error[simulate.not_live]: strokes is not a live pipeline, so nothing depends on time
                    """,
                remedy: "Write `mode: live`, or run it without `--simulate`."),
            Explanation(
                "simulate.no_recording", [.configuration],
                "A live source has no recording to replace it.",
                cause: "In simulated time, a recording replaces every live source, and one source has none.",
                output: "error[simulate.no_recording]: there is no recording for the live source \"pad\"",
                remedy: "Name a recording for each live source: `--simulate camera=a.jsonl --simulate pad=b.jsonl`."),
            Explanation(
                "simulate.no_live_source", [.configuration],
                "A recording without a source is given, but no live source is left for it to replace.",
                cause: "All live sources have a recording, or the pipeline has no live source.",
                output: "error[simulate.no_live_source]: live has no live source that session.jsonl could stand for",
                remedy: "Name the source: `--simulate camera=session.jsonl`."),
            Explanation(
                "simulate.no_such_source", [.configuration],
                "A recording is given for a source that does not exist.",
                cause: "The name before `=` is the id of a source.",
                output: "error[simulate.no_such_source]: no source is called \"camra\"",
                remedy: "Use an id from the help."),
            Explanation(
                "simulate.no_such_component", [.configuration],
                "A service time is given for a component that does not exist.",
                cause: "`--service ID=TIME` names a stage or a sink by its id.",
                output: """
                    $ pipectl run live.yaml --simulate session.jsonl --service mach=60ms
                    error[simulate.no_such_component]: no stage or sink is called "mach"
                    """,
                remedy: "Use an id from the help."),
            Explanation(
                "simulate.source_time", [.configuration],
                "A service time is given for a source.",
                cause: "Sources take no time for a frame: the recording contains the arrival times.",
                output: "error[simulate.source_time]: \"camera\" is a source, and takes no time for a frame",
                remedy: "Give times for stages and sinks only."),
            Explanation(
                "simulate.twice", [.configuration],
                "A source has two recordings, or two recordings have no source.",
                cause: "Each source is replaced by one recording.",
                output: "error[simulate.twice]: two recordings, and neither names its source",
                remedy: "Name the source of each: `camera=a.jsonl`, `pad=b.jsonl`."),
            Explanation(
                "simulate.ambiguous", [.configuration],
                "Two sources of the same kind would share one recording.",
                cause: "The recording does not assign frames to sources, so both would produce all of them.",
                output: """
                    error[simulate.ambiguous]: "left" and "right" both emit hands, and session.jsonl does not \
                    tell their frames apart
                    """,
                remedy: """
                    Record each source separately, and name the recordings: `left=a.jsonl`, `right=b.jsonl`.
                    """),
            Explanation(
                "simulate.kind", [.configuration],
                """
                A recording contains a different kind of frame than the source produces, or the source's kind \
                cannot be recorded.
                """,
                cause: "The recording is of another source, or of the results of a stage.",
                output: "error[simulate.kind]: \"camera\" emits hands, and results.jsonl holds recognition",
                remedy: "Record the source itself: a `file` sink with `from: camera`, or `pipectl record`."),
            Explanation(
                "simulate.outside", [.configuration],
                "A stage would send requests to other programs in simulated time.",
                cause: "Their replies take real time, so every simulated run would be different.",
                output: """
                    error[simulate.outside]: "zmq_request" sends requests to other programs, whose answers \
                    take real time, so simulated runs would differ
                    """,
                remedy: """
                    Record the replies with a `file` sink and pass them with `--simulate zmq_request=FILE`; `--service \
                    zmq_request=TIME` sets the time that each reply takes.
                    """),
            Explanation(
                "whatif.nothing_drops", [.configuration],
                "No edge of the pipeline drops, so there is nothing to compare.",
                cause: """
                    `pipectl whatif` compares the drops of edges that drop while busy: those between live sources and \
                    stages, whose frames are independent of each other, unless the edge has `on_full: wait`.
                    """,
                output: "error[whatif.nothing_drops]: no edge of signature drops while busy",
                remedy: """
                    Compare a pipeline with such an edge. Points are pieces of strokes, which are never dropped one by \
                    one.
                    """),
        ])
}
