extension Explanation {
    /// Codes about recognizers in Swift.
    static let recognizers = Family(
        "Recognizers in Swift",
        [
            Explanation(
                "recognizer.asynchronous", [.configuration],
                "A recognizer that answers at once has a stage that waits for something outside.",
                cause: """
                    The running modes of single images and of video return a result at once. `zmq_request` and \
                    stages like it answer later.
                    """,
                output: """
                    the running mode image needs stages that answer at once, and zmq_request is asynchronous \
                    [recognizer.asynchronous]
                    """,
                remedy: "Use the running mode `live`, or run the pipeline with `Run`."),
            Explanation(
                "recognizer.closed", [.configuration],
                "A frame was given to a recognizer that was closed.",
                cause: "A closed recognizer has given back what it held and takes nothing more.",
                output: """
                    the recognizer must be open to take a frame, and has been closed [recognizer.closed] (make \
                    another one)
                    """,
                remedy: "Make another recognizer."),
            Explanation(
                "recognizer.delegate_outside_live", [.configuration],
                "A delegate or a sequence of results was set for a mode that returns results.",
                cause: "Only the running mode `live` gives results later. In the others `recognize` returns them.",
                output: """
                    a delegate requires the running mode live, and it is video \
                    [recognizer.delegate_outside_live]
                    """,
                remedy: "Set `runningMode` to `live`, or leave the delegate out."),
            Explanation(
                "recognizer.edge", [.configuration],
                "An edge of the pipeline has a policy that a recognizer cannot use.",
                cause: """
                    What a recognizer has accepted is not lost, so its edges wait. In the running mode `live` the \
                    edge from the input drops, so that no caller waits.
                    """,
                output: """
                    the edge input → match must wait, so that an accepted frame is not lost, and its on_full is \
                    drop_oldest [recognizer.edge]
                    """,
                remedy: "Leave `on_full` out of the configuration, or set it as the message says."),
            Explanation(
                "recognizer.ended", [.frame],
                "A recognizer was ended before a frame had been processed.",
                cause: "It was canceled or went away while frames were under way.",
                output: "the recognizer was ended before the frame at 0.033 s had been processed [recognizer.ended]",
                remedy: "Close the recognizer and wait for its end, so that what is under way is finished."),
            Explanation(
                "recognizer.input", [.configuration],
                "The input of a recognizer is not clear.",
                cause: "The pipeline has several sources and none is named, or none has the name that was given.",
                output: "the pipeline has 2 sources [recognizer.input] (name the input: left, right)",
                remedy: "Name the source in the options of the recognizer."),
            Explanation(
                "recognizer.output", [.configuration],
                "The output of a recognizer is not clear.",
                cause: "The pipeline has no stage, several last stages, or none of the name that was given.",
                output: "the pipeline has several last stages [recognizer.output] (name the output: a, b)",
                remedy: "Name the stage in the options of the recognizer."),
            Explanation(
                "recognizer.sources", [.configuration],
                "The output of a recognizer depends on other sources than its input.",
                cause: "A recognizer has one input. What it makes must come from that alone.",
                output: "what combine makes must come from left alone, and comes from right too [recognizer.sources]",
                remedy: "Run the pipeline with `Run` to feed several sources."),
            Explanation(
                "recognizer.wrong_payload", [.configuration],
                "The types of a recognizer do not fit its pipeline.",
                cause: """
                    The input or the output of the pipeline is of another type than the type parameters of the \
                    recognizer say.
                    """,
                output: "match makes recognition, not results [recognizer.wrong_payload]",
                remedy: "Name another component, or make a recognizer of the type in the message."),
            Explanation(
                "recognizer.renames_streams", [.configuration],
                "A stage of a recognizer's pipeline renames streams.",
                cause: "A result belongs to the stream that was asked for, so streams must keep their names.",
                output: """
                    map_stream gives frames to other streams, and results belong to the stream that was asked \
                    for [recognizer.renames_streams]
                    """,
                remedy: "Leave that stage out, and name the streams when you give frames."),
            Explanation(
                "recognizer.plan_mode", [.configuration],
                "The running mode of a recognizer does not fit the mode of its pipeline.",
                cause: """
                    The running mode `live` needs a pipeline with `mode: live`, the others one with `mode: batch`.
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
                    Single images, video and live input have calls of their own, since they treat time differently.
                    """,
                output: """
                    results() requires the running mode live, and this recognizer's is video \
                    [recognizer.wrong_mode]
                    """,
                remedy: "Use the call that the help names, or make a recognizer of that mode."),
            Explanation(
                "recognizer.no_sequence", [.configuration],
                "A sequence of results was asked for, and the results go to a delegate.",
                cause: "Results go one way. The options of this recognizer name a delegate.",
                output: """
                    results() requires resultsAreSequence, and the results go to a delegate \
                    [recognizer.no_sequence]
                    """,
                remedy: "Set `resultsAreSequence` to true and leave the delegate out."),
            Explanation(
                "recognizer.no_delegate", [.configuration],
                "A live recognizer has no receiver of its results.",
                cause: "In the running mode `live` results come later, to a delegate or into a sequence.",
                output: "the running mode live requires a delegate, and there is none [recognizer.no_delegate]",
                remedy: "Set `delegate` to an object that you keep, or `resultsAreSequence` to true."),
            Explanation(
                "recognizer.two_ways", [.configuration],
                "A live recognizer is to give its results to a delegate and into a sequence.",
                cause: "Each result is given once.",
                output: """
                    results go to a delegate or into a sequence, and the options ask for both \
                    [recognizer.two_ways]
                    """,
                remedy: "Leave the delegate out, or set `resultsAreSequence` to false."),
            Explanation(
                "recognizer.timestamp_order", [.frame],
                "A frame was given with a time that is not later than that of the one before.",
                cause: "Within a stream timestamps must increase.",
                output: """
                    timestamps must increase: the last of the stream is 0.066 s, and this one is 0.033 s \
                    [recognizer.timestamp_order]
                    """,
                remedy: "Give each frame a later time, or another stream."),
            Explanation(
                "recognizer.timestamp_range", [.frame],
                "A frame was given with a time outside the range of timestamps.",
                cause: "Timestamps are microseconds from 0 to 2^53 − 1.",
                output: "a timestamp lies in 0 … 2^53 − 1 µs, and this one is -5 µs [recognizer.timestamp_range]",
                remedy: "Count from the beginning of the stream, in microseconds."),
        ])
}
