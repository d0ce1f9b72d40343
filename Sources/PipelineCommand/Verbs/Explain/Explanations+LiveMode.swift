extension Explanation {
    /// Codes about live mode.
    static let liveMode = Family(
        "Live mode",
        [
            Explanation(
                "live.recorded", [.warning],
                "A live pipeline reads a recording.",
                cause: """
                    A file source produces frames as fast as the file can be read, and live mode drops what is not \
                    processed in time. Many frames of the recording are lost.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [file: { path: Samples/session.jsonl }]
                    stages: [match: { library: Samples/shapes.json }]
                    sinks: [discard]
                    """,
                remedy: """
                    Use `mode: batch` to process every frame, or name the source in `--simulate SOURCE=FILE` to run the live \
                    pipeline in simulated time: `--simulate file=Samples/session.jsonl`.
                    """),
            Explanation(
                "live.waiting_edge", [.warning],
                "A slow stage would block a live source.",
                cause: """
                    The edge from the source says `on_full: wait`. When it is full, the source cannot continue, and \
                    frames that arrive meanwhile get old, or are lost before the source reads them.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: stroke }]
                    stages: [resample: { from: { id: stdin, on_full: wait } }]
                    sinks: [discard]
                    """,
                remedy: "Let the edge drop: `on_full: drop_oldest`."),
            Explanation(
                "live.idle_workers", [.warning],
                "A stage has more workers than frames may be in flight.",
                cause: """
                    In live mode, `in_flight` is the number of frames of an edge that may be unfinished (1 by \
                    default). Additional workers never have anything to do.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: stroke }]
                    stages: [match: { library: Samples/shapes.json, workers: 4 }]
                    sinks: [discard]
                    """,
                remedy: "Raise `in_flight`, as in `live: { in_flight: 4 }`, or leave `workers` out."),
            Explanation(
                "live.stalling_branch", [.warning],
                "A slow branch would block another one.",
                cause: """
                    Two branches take from the same component. One of them may drop, but the other makes the component \
                    wait, so the first branch gets no frames while the second is busy.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: stroke }]
                    stages:
                      - resample: { from: stdin }
                      - match: { id: a, from: { id: resample, on_full: drop_oldest }, library: Samples/shapes.json }
                      - match: { id: b, from: { id: resample, on_full: wait }, library: Samples/letters.json }
                    sinks: [discard: { from: [a, b] }]
                    """,
                remedy: "Let the other edge drop as well: `on_full: drop_oldest`."),
            Explanation(
                "live.stalling_sink", [.warning],
                "A sink that hangs would block other sinks.",
                cause: """
                    The sink's edge says `on_full: wait`. A full disk or a slow terminal then blocks the components \
                    before it, and with them the other sinks.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources: [stdin: { kind: stroke }]
                    stages: [resample]
                    sinks:
                      - file: { path: recording.jsonl, from: { id: resample, on_full: wait } }
                      - stdout: { from: resample }
                    """,
                remedy: "Leave `on_full` out: the edge of a sink in live mode then drops instead of waiting."),
            Explanation(
                "live.aligned_silence", [.warning],
                "If one source falls silent, a stage that aligns waits for it forever.",
                cause: """
                    Alignment needs frames from every branch. A camera that is switched off sends no more frames, so \
                    there are no results.
                    """,
                configuration: """
                    version: 1
                    mode: live
                    sources:
                      - zmq: { id: left, connect: "tcp://127.0.0.1:5556", kind: recognition }
                      - zmq: { id: right, connect: "tcp://127.0.0.1:5557", kind: recognition }
                    stages: [combine: { from: [left, right], align: latest }]
                    sinks: [stdout]
                    """,
                remedy: """
                    Set how long to wait for each of them: `from: [{ id: left, idle_timeout_ms: 500 }, \
                    { id: right, idle_timeout_ms: 500 }]`.
                    """),
        ])
}
