extension Explanation {
    /// Codes about running a pipeline.
    static let running = Family(
        "Running a pipeline",
        [
            Explanation(
                "edge.overflow", [.frame],
                "An edge was full, and its policy is to fail.",
                cause: """
                    The component behind it was slower than the one before it for longer than the edge has room for. \
                    `on_full: fail` turns that into an error.
                    """,
                output: """
                    error[edge.overflow]: pen -> match: the edge pen -> match is full (64 frames) and its policy \
                    is to fail
                    """,
                remedy: """
                    Raise `capacity` of the edge, let it wait or drop with `on_full`, or make the stage behind it \
                    faster.
                    """),
            Explanation(
                "join.out_of_step", [.frame],
                "A frame came to a stage with several inputs after that stage had passed its time.",
                cause: """
                    Two edges bring a stream of the same name with clocks of their own, or one branch holds frames \
                    back longer than the other's edge has room for.
                    """,
                output: """
                    error[join.out_of_step]: combine: left brings "camera" at 0.033 s, when that stream had come \
                    to 1.5 s from elsewhere
                    """,
                remedy: """
                    Give one of the streams another name with `map_stream` before the edges meet, or raise \
                    `capacity`.
                    """),
            Explanation(
                "run.deadlock", [.configuration],
                "Nothing in the run can go on.",
                cause: """
                    One branch holds back more frames than the edges of another branch have room for, so each waits \
                    for the other.
                    """,
                output: """
                    error[run.deadlock]: engine: nothing can go on: resample waits for room on its edge to \
                    combine
                    """,
                remedy: "Raise `capacity` of the edge that the message names."),
            Explanation(
                "run.forced", [.verdict],
                "Something was still running when the time to shut down was over, and had to be ended by force.",
                cause: """
                    A component was waiting for something outside, such as a disk or a peer, and did not come back \
                    within `shutdown_timeout_ms`. The exit code is 4.
                    """,
                output: "error[run.forced]: had to be ended by force: zmq",
                remedy: """
                    Raise `shutdown_timeout_ms`, or find out what the component waits for. What it had not yet \
                    written may be missing.
                    """),
            Explanation(
                "run.hangs", [.warning],
                "A component of a run does not get on.",
                cause: """
                    It has been at work on the same frame for at least a quarter of the time after which the service manager ends the \
                    process (`WatchdogSec`): it computes for too long, or waits for a disk or for a reader of what it writes. Or all \
                    components wait for each other. The watchdog is not fed until it goes on.
                    """,
                output: "warning: does not get on: out [run.hangs]",
                remedy: """
                    Find out what the component waits for. If a frame may take so long, raise `WatchdogSec` in the unit.
                    """),
            Explanation(
                "run.loss", [.verdict],
                "Frames were lost, which `--fail-on-loss` forbids.",
                cause: """
                    An edge, a queue or a sender gave frames up since something behind it was too slow or gone. The \
                    table of the run says where and why. The exit code is 1.
                    """,
                output: "error[run.loss]: 12 frames were lost, which --fail-on-loss forbids",
                remedy: """
                    Look at the column `dropped`: give that edge more capacity, let it wait, or make what is behind \
                    it faster.
                    """),
            Explanation(
                "run.unknown_loss", [.verdict],
                "Frames may have been lost outside, which `--fail-on-loss` forbids.",
                cause: """
                    A `zmq` sink had messages left when the time to send them (`linger_ms`) was over, or its peer \
                    went before the end. Nobody can say how many arrived. The exit code is 1.
                    """,
                output: """
                    error[run.unknown_loss]: what zmq wrote may not all have arrived, which --fail-on-loss \
                    forbids
                    """,
                remedy: "Raise `linger_ms` at the sink, and let the receiver run until the end."),
            Explanation(
                "run.ledger", [.defect],
                "The count of frames does not add up.",
                cause: """
                    Every frame is passed on, absorbed, dropped or failed, and these counts must add up to what came \
                    in. They do not, so the program has a mistake.
                    """,
                output: "error[run.ledger]: the account of frames does not close: resample: 100 in, but 99 ended",
                remedy: "Report it with the configuration and, if possible, the data."),
            Explanation(
                "source.disorder", [.frame],
                "The timestamps of a stream do not increase, or one of them cannot be right.",
                cause: """
                    Each frame of a stream must have a later time than the one before, and not one that is later by \
                    more than `max_jump_s`. The recording is not sorted, the sender's clock was set back, two \
                    senders use one name, or the unit of the times is wrong.
                    """,
                output: """
                    error[source.disorder]: stdin: stream pen, frame 1 at 0.000002 s: the timestamp 0.000002 s \
                    does not come after the one before, 0.000005 s
                    """,
                remedy: """
                    Set `on_disorder` at the source: `drop` leaves such frames out, `clamp` keeps them, `new_epoch` \
                    starts the stream over. Give senders names of their own. Raise `max_jump_s` where a stream may \
                    rest for so long.
                    """),
            Explanation(
                "source.late", [.frame],
                "A frame came after its time had passed.",
                cause: """
                    In live mode sources wait `lateness_ms` for frames that are late. This one was later, and \
                    `on_late` is `fail`.
                    """,
                output: """
                    error[source.late]: camera: stream left, frame 812 at 27.066 s: a frame came after the time \
                    of its stream had passed it
                    """,
                remedy: "Raise `lateness_ms`, or leave such frames out with `on_late: drop`."),
            Explanation(
                "stage.no_output", [.frame],
                "A stage made nothing of a frame that had to give something.",
                cause: """
                    A library's samples go through the stages above the matcher one by one, and each must come out. \
                    A stage that filters or waits for more frames gives nothing for a single one.
                    """,
                output: "error[stage.no_output]: nothing came out (too_short)",
                remedy: """
                    Take stages that drop or collect frames out from between the samples and the matcher, or repair \
                    the sample that the message names.
                    """),
            Explanation(
                "stage.timestamp", [.defect],
                "A stage stamped its output with a time that is not allowed.",
                cause: """
                    Output is not later than the input it was made from, and earlier only by as much as the stage \
                    has declared. A configuration cannot cause this.
                    """,
                output: "error[stage.timestamp]: mine: it stamped its output 2.5 s, which is not from 1.9 s to 2 s",
                remedy: """
                    If the stage is yours, declare with `stampsEarlierByUs` how much earlier its output may be. \
                    Otherwise report it.
                    """),
            Explanation(
                "memory.exhausted", [.environment],
                "There is no memory left.",
                cause: """
                    The system gave the program no memory for a parser. Other programs use it up, or a limit is set \
                    (`ulimit -v`, a container).
                    """,
                output: "error[memory.exhausted]: no memory for a JSON parser",
                remedy: "Raise the limit, or let less run on the machine."),
            Explanation(
                "system.pipe", [.environment],
                "The system gives the program no pipe.",
                cause: "The process, or the whole system, has as many files open as it may.",
                output: "error[system.pipe]: stdin: no pipe could be made: Too many open files",
                remedy: "Raise the limit with `ulimit -n`, or use fewer sources and sinks."),
        ])
}
