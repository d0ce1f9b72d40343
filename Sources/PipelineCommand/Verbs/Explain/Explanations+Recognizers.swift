extension Explanation {
    /// Codes about recognizers in Swift.
    static let recognizers = Family(
        "Recognizers in Swift",
        [
            Explanation(
                "recognizer.asynchronous", [.configuration],
                "A recognizer that returns results immediately has a stage that waits for something outside.",
                cause: """
                    The running modes `single` and `batch` return a result immediately. `zmq_request` and \
                    similar stages answer later.
                    """,
                output: """
                    the running mode single needs stages that answer at once, and zmq_request is asynchronous \
                    [recognizer.asynchronous]
                    """,
                remedy: "Use the running mode `live`, or run the pipeline with `Run`."),
            Explanation(
                "recognizer.closed", [.configuration],
                "A frame was given to a recognizer that was closed.",
                cause: "A closed recognizer has released its resources and accepts no more frames.",
                output: """
                    the recognizer has been closed and accepts no more frames [recognizer.closed] (create another one)
                    """,
                remedy: "Create another recognizer."),
            Explanation(
                "recognizer.delegate_outside_live", [.configuration],
                "A delegate or a sequence of results was set for a mode that returns results.",
                cause: """
                    Only the running mode `live` delivers results later. In the other modes, `recognize` returns them.
                    """,
                output: """
                    a delegate requires the running mode live, and it is batch \
                    [recognizer.delegate_outside_live]
                    """,
                remedy: "Set `runningMode` to `live`, or leave the delegate out."),
            Explanation(
                "recognizer.edge", [.configuration],
                "An edge of the pipeline has a policy that a recognizer cannot use.",
                cause: """
                    A recognizer does not lose accepted frames, so its edges wait. In the running mode `live`, the \
                    edge from the input drops, so that no caller waits.
                    """,
                output: """
                    the edge input → match must wait, so that an accepted frame is not lost, and its on_full is \
                    drop_oldest [recognizer.edge]
                    """,
                remedy: "Leave `on_full` out of the configuration, or set it to the value in the message."),
            Explanation(
                "recognizer.ended", [.frame],
                "A recognizer was ended before a frame had been processed.",
                cause: "The recognizer was canceled or deallocated while frames were in flight.",
                output: "the recognizer was ended before the frame at 0.033 s had been processed [recognizer.ended]",
                remedy: "Close the recognizer and wait for its end, so that frames in flight are processed."),
            Explanation(
                "recognizer.input", [.configuration],
                "The input of a recognizer is ambiguous or unknown.",
                cause: "The pipeline has several sources and none is named, or no source has the given name.",
                output: "the pipeline has 2 sources [recognizer.input] (name the input: left, right)",
                remedy: "Name the source in the options of the recognizer."),
            Explanation(
                "recognizer.output", [.configuration],
                "The output of a recognizer is ambiguous or unknown.",
                cause: "The pipeline has no stage, several last stages, or no stage with the given name.",
                output: "the pipeline has several last stages [recognizer.output] (name the output: a, b)",
                remedy: "Name the stage in the options of the recognizer."),
            Explanation(
                "recognizer.sources", [.configuration],
                "The output of a recognizer depends on other sources than its input.",
                cause: "A recognizer has one input. Its output must depend only on that input.",
                output:
                    "the output of combine must come from left alone, and comes from right too [recognizer.sources]",
                remedy: "Run the pipeline with `Run` to feed several sources."),
            Explanation(
                "recognizer.wrong_payload", [.configuration],
                "The types of a recognizer do not fit its pipeline.",
                cause: """
                    The type of the pipeline's input or output differs from the type parameters of the recognizer.
                    """,
                output: "match makes recognition, not results [recognizer.wrong_payload]",
                remedy: "Name another component, or create a recognizer with the type in the message."),
            Explanation(
                "recognizer.renames_streams", [.configuration],
                "A stage of a recognizer's pipeline renames streams.",
                cause: "A result belongs to the stream of its input, so streams must keep their names.",
                output: """
                    map_stream moves frames to other streams, but results belong to the stream of the call \
                    [recognizer.renames_streams]
                    """,
                remedy: "Remove that stage, and name the streams when you pass frames."),
            Explanation(
                "recognizer.plan_mode", [.configuration],
                "The running mode of a recognizer does not fit the mode of its pipeline.",
                cause: """
                    The running mode `live` needs a pipeline with `mode: live`; the other modes need `mode: batch`.
                    """,
                output: """
                    the running mode live needs a pipeline of mode live, and this one's is batch \
                    [recognizer.plan_mode]
                    """,
                remedy: "Set `mode` in the configuration, or load it with the setting `mode=live` or `mode=batch`."),
            Explanation(
                "recognizer.wrong_mode", [.configuration],
                "A call belongs to another running mode of the recognizer.",
                cause: """
                    Each running mode (`single`, `batch`, `live`) has calls of its own, because they treat time differently.
                    """,
                output: """
                    results() requires the running mode live, and this recognizer's is batch \
                    [recognizer.wrong_mode]
                    """,
                remedy: "Use the call that the help names, or create a recognizer of that mode."),
            Explanation(
                "recognizer.no_sequence", [.configuration],
                "A sequence of results was requested, but the results go to a delegate.",
                cause: "Results are delivered in one way only. The options of this recognizer name a delegate.",
                output: """
                    results() requires resultsAreSequence, and the results go to a delegate \
                    [recognizer.no_sequence]
                    """,
                remedy: "Set `resultsAreSequence` to true and leave the delegate out."),
            Explanation(
                "recognizer.no_delegate", [.configuration],
                "A live recognizer has no receiver for its results.",
                cause: """
                    In the running mode `live`, results are delivered later, to a delegate or into a sequence.
                    """,
                output: "the running mode live requires a delegate, and there is none [recognizer.no_delegate]",
                remedy: "Set `delegate` to an object that you keep, or `resultsAreSequence` to true."),
            Explanation(
                "recognizer.two_ways", [.configuration],
                "A live recognizer is configured to deliver its results both to a delegate and into a sequence.",
                cause: "Each result is delivered once.",
                output: """
                    results go to a delegate or into a sequence, and the options ask for both \
                    [recognizer.two_ways]
                    """,
                remedy: "Leave the delegate out, or set `resultsAreSequence` to false."),
            Explanation(
                "recognizer.timestamp_order", [.frame],
                "The time of a frame is not later than that of the previous frame.",
                cause: "Within a stream, timestamps must increase.",
                output: """
                    timestamps must increase: the last of the stream is 0.066 s, and this one is 0.033 s \
                    [recognizer.timestamp_order]
                    """,
                remedy: "Give each frame a later time, or another stream."),
            Explanation(
                "recognizer.timestamp_range", [.frame],
                "The time of a frame is outside the range of timestamps.",
                cause: "Timestamps are microseconds from 0 to 2^53 − 1.",
                output: "a timestamp lies in 0 … 2^53 − 1 µs, and this one is -5 µs [recognizer.timestamp_range]",
                remedy: "Count from the start of the stream, in microseconds."),
        ])
}
