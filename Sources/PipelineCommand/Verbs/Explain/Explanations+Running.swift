extension Explanation {
    /// Codes about running a pipeline.
    static let running = Family(
        "Running a pipeline",
        [
            Explanation(
                "edge.overflow", [.frame],
                "An edge was full, and its policy is to fail.",
                cause: """
                    The component after it was slower than the one before it for longer than the edge's capacity \
                    allows. `on_full: fail` turns that into an error.
                    """,
                output: """
                    error[edge.overflow]: pen → match: the edge pen → match is full (256 frames) and its policy \
                    is to fail
                    """,
                remedy: """
                    Raise `capacity` of the edge, let it wait or drop with `on_full`, or make the stage after it \
                    faster.
                    """),
            Explanation(
                "join.out_of_step", [.frame],
                "A frame reached a stage with several inputs after that stage had passed the frame's time.",
                cause: """
                    Two edges carry a stream of the same name with different clocks, or one branch holds more frames than \
                    the edge of the other branch has room for.
                    """,
                output: """
                    error[join.out_of_step]: match: left → match delivers "camera" at 0.033 s, after that stream had \
                    reached 1.5 s on another edge
                    """,
                remedy: """
                    Give one of the streams another name with `map_stream` before the edges meet, or raise \
                    `capacity`. With `convert`, convert each input to an MCAP file first, and then these files to one.
                    """),
            Explanation(
                "run.interrupted", [.environment],
                "An interrupt ended `convert`, `recover`, `diff`, `test --golden` or `replay --exact` before all input was read.",
                cause: """
                    The results would have been incomplete. Nothing was compared or stored; the output of `convert` or `recover` \
                    contains only the first frames.
                    """,
                output: """
                    error[run.interrupted]: interrupted: strokes.yaml has not read all of session.jsonl
                    """,
                remedy: "Run the command again, to its end."),
            Explanation(
                "reload.busy", [.environment],
                "A running pipeline did not come to rest, so its configuration did not change.",
                cause: """
                    The configuration can change only between two frames. For longer than five seconds, a component \
                    processed one frame, an asynchronous stage waited for an answer, or a sink could not write. The \
                    message names the component.
                    """,
                output: """
                    error[reload.busy]: the run did not come to rest within 5 s, still waiting for out; it continues unchanged
                    """,
                remedy: """
                    Try again, or find out what the component waits for. If it never goes on, for example because a `push` \
                    sink has no peer, start the run again.
                    """),
            Explanation(
                "reload.called", [.configuration],
                "A run that a Swift program feeds or reads cannot be reloaded.",
                cause: """
                    A program passes frames to the run, as a recognizer does, or reads the results of the run. The program relies \
                    on the configuration with which the run began.
                    """,
                output: """
                    error[reload.called]: a run keeps its configuration if a program passes frames to it or reads its results
                    """,
                remedy: "Start another run."),
            Explanation(
                "reload.ended", [.configuration],
                "The new configuration sends frames to a sink or a worker that has already ended.",
                cause: """
                    A sink or an asynchronous stage ends when everything that it reads has ended. A sink has then finished \
                    its file or closed its connections. The new configuration gives it new input under the same `id`.
                    """,
                output: """
                    error[reload.ended]: "results" has ended, because everything that it read had ended, and cannot get \
                    frames again
                    """,
                remedy: """
                    Give the component another `id`, and a sink another path, so that it counts as new; or start the run \
                    again.
                    """),
            Explanation(
                "reload.file_in_use", [.configuration],
                "A sink of the new configuration would write to a file that the run still has open.",
                cause: """
                    New sinks are opened before the configuration changes, so that nothing has changed if one cannot be \
                    opened. The old sink is closed afterwards.
                    """,
                output: """
                    error[reload.file_in_use]: "results" would write to out.jsonl, which "results" has open
                    """,
                remedy: "Give the changed sink another path, or start the run again."),
            Explanation(
                "reload.needs_restart", [.configuration],
                "The new configuration changes a setting that is fixed for the whole run.",
                cause: """
                    A run keeps `mode`, `shutdown_timeout_ms`, `max_streams`, `stream_idle_ms`, `lateness_ms`, `on_late` and \
                    `serve` from its beginning. A component must keep its role (source, stage or sink). Whether any \
                    edge has `in_flight`, and whether a stage takes sets of frames, must stay the same, too.
                    """,
                output: "error[reload.needs_restart]: a running pipeline cannot change its mode, lateness_ms",
                remedy: "Start the run again, or undo that change."),
            Explanation(
                "reload.not_running", [.configuration],
                "A reload was requested before the run was ready, or when it was about to end.",
                cause:
                    "Sources and sinks are still being opened, the run was told to stop, or its sources have ended.",
                output: """
                    error[reload.not_running]: the run is draining, or is being reloaded
                    """,
                remedy: "Wait until the run is ready, or start it again."),
            Explanation(
                "reload.pipe", [.environment],
                "A run cannot be reloaded because its configuration was read from a named pipe.",
                cause: """
                    A pipe gives its contents once. Reading it again would wait until another program writes to it.
                    """,
                output: "error[reload.pipe]: live.yaml is a pipe, which cannot be read again",
                remedy: "Write the configuration to a file, and run that."),
            Explanation(
                "reload.recorded", [.configuration],
                "A run that is recorded cannot be reloaded.",
                cause: "A recording of a run contains one configuration, with which the run is repeated.",
                output: "error[reload.recorded]: a run that is recorded keeps its configuration",
                remedy: "Run the pipeline without `--record`, or start it again."),
            Explanation(
                "run.deadlock", [.configuration],
                "No component of the run can continue.",
                cause: """
                    One branch holds more frames than the edges of another branch have room for, so each branch waits for the \
                    other one.
                    """,
                output: """
                    error[run.deadlock]: engine: no task can continue: resample waits for room on its edge to \
                    combine
                    """,
                remedy: "Raise `capacity` of the edge that the message names."),
            Explanation(
                "run.forced", [.verdict],
                """
                A component was still running when the shutdown timeout expired, and had to be stopped by force.
                """,
                cause: """
                    A component was waiting for something outside, such as a disk or a peer, and did not return within \
                    `shutdown_timeout_ms`. The exit code is 4.
                    """,
                output: "error[run.forced]: had to be ended by force: zmq",
                remedy: """
                    Raise `shutdown_timeout_ms`, or find out what the component waits for. Data that it had not \
                    written yet may be missing.
                    """),
            Explanation(
                "run.shared_stream", [.configuration],
                "Two sources that commit what was processed have frames of the same stream.",
                cause: """
                    Stages and sinks know a stream only by its name. If one `kafka` source passed the stream to another process \
                    of its group, the stages would also discard the frames of the other source, which would be lost. The run \
                    ended before that, so the messages that were not committed are read again after the next start.
                    """,
                output: """
                    error[run.shared_stream]: engine: the stream "pen/1" comes from "left" and from "right", so neither \
                    of them can pass it to another process
                    """,
                remedy: """
                    Give the streams of each source names of their own, or use a pipeline for each source. If one source reads all \
                    topics (`topics: [left, right]`), the same names in both count as one stream.
                    """),
            Explanation(
                "run.hangs", [.warning],
                "A component of a run makes no progress.",
                cause: """
                    The component has been processing the same frame for at least a quarter of the time after which the service \
                    manager ends the process (`WatchdogSec`): it computes for too long, or waits for a disk or for a \
                    reader of its output. Or all components wait for each other. The watchdog is not notified until \
                    the component continues.
                    """,
                output: "warning[run.hangs]: makes no progress: out",
                remedy: """
                    Find out what the component waits for. If a frame may take this long, raise `WatchdogSec` in the \
                    unit.
                    """),
            Explanation(
                "run.report_postponed", [.warning],
                "The file of `--report` cannot be written when the run begins, because the disk is full.",
                cause: """
                    The disk is full, or a quota is used up. The run begins nevertheless, and writes the report when it ends. If \
                    that fails too, the exit code is 3. Until then, the file is still the report of an earlier run, or missing.
                    """,
                output: """
                    warning[run.report_postponed]: run.json cannot be written: No space left on device; the report is written when \
                    the run ends
                    """,
                remedy: "Free some space before the run ends."),
            Explanation(
                "run.loss", [.verdict],
                "Frames were lost, which `--fail-on-loss` forbids.",
                cause: """
                    An edge, a queue or a sender discarded frames because something downstream was too slow or gone, or frames \
                    came late, failed, or were missing according to their numbers. The report of the run shows where and \
                    why. The exit code is 1.
                    """,
                output: "error[run.loss]: 12 frames were lost, which --fail-on-loss forbids",
                remedy: """
                    If an edge dropped frames, the report names it below the table. Give it more capacity, let it wait, or make \
                    the components downstream of it faster.
                    """),
            Explanation(
                "run.unknown_loss", [.verdict],
                "Frames may have been lost before or after the pipeline, which `--fail-on-loss` forbids.",
                cause: """
                    A `zmq` sink had unsent messages when the time to send them (`linger_ms`) was over, or its peer \
                    disconnected before the end. Or an MCAP file is cut off. The number of lost frames is unknown. The exit \
                    code is 1.
                    """,
                output: """
                    error[run.unknown_loss]: frames of zmq may have been lost, which --fail-on-loss forbids
                    """,
                remedy: """
                    Raise `linger_ms` at the sink, and let the receiver run until the end. `pipectl recover` writes what can be \
                    read of a file that is cut off.
                    """),
            Explanation(
                "run.ledger", [.defect],
                "The count of frames does not add up.",
                cause: """
                    Every frame is passed on, absorbed, dropped or failed, and these counts must add up to the number \
                    of incoming frames. They do not, so the program has a bug.
                    """,
                output: "error[run.ledger]: the ledger does not balance: resample: 100 in, but 99 ended",
                remedy: "Report it with the configuration and, if possible, the data."),
            Explanation(
                "source.disorder", [.frame],
                "The timestamps of a stream do not increase, or one of them is implausible.",
                cause: """
                    Each frame of a stream must be later than the previous one, by at most `max_jump_s`. The recording \
                    is not sorted, the sender's clock was set back, two senders use one name, or the unit of the times \
                    is wrong.
                    """,
                output: """
                    error[source.disorder]: stdin: stream pen, frame 1 at 0.000002 s: the timestamp 0.000002 s \
                    is not after the previous one, 0.000005 s
                    """,
                remedy: """
                    Set `on_disorder` at the source: `drop` leaves such frames out, `clamp` keeps them, `new_epoch` \
                    restarts the stream. Give each sender its own stream name. Raise `max_jump_s` if a stream may \
                    pause for that long.
                    """),
            Explanation(
                "source.time_missing", [.frame],
                "A message has no time, but others of its stream had one.",
                cause: """
                    A stream uses one clock. The time of receipt, or the time at which a message was written to Kafka, comes from \
                    another clock than the sender's, and mixing them would put frames in the wrong order.
                    """,
                output: """
                    error[source.time_missing]: zmq: message 31: the message has no time, but earlier messages of its stream had one
                    """,
                remedy: "Give every message of a stream a time, or none."),
            Explanation(
                "source.late", [.frame],
                "A frame arrived after its time had passed.",
                cause: """
                    In live mode, sources wait `lateness_ms` for late frames. This frame was later, and `on_late` is \
                    `fail`, so the run fails. `on_error` does not apply.
                    """,
                output: """
                    error[source.late]: camera: stream left, frame 812 at 27.066 s: a frame arrived after the \
                    watermark of its stream had passed it
                    """,
                remedy: "Raise `lateness_ms`, or leave such frames out with `on_late: drop`."),
            Explanation(
                "stage.no_output", [.frame],
                "A stage produced no output for a frame that requires one.",
                cause: """
                    A library's samples go through the stages above the matcher one by one, and each must produce an \
                    output. A stage that filters, or waits for more frames, produces nothing for a single frame.
                    """,
                output: "error[stage.no_output]: the stage emitted nothing (too_short)",
                remedy: """
                    Leave out stages above the matcher that drop or collect frames, or fix the sample that the message \
                    names.
                    """),
            Explanation(
                "stage.timestamp", [.defect],
                "A stage gave its output a timestamp that is not allowed.",
                cause: """
                    Output must not be later than its input, and may be earlier only by the time that the stage has \
                    declared. A configuration cannot cause this.
                    """,
                output:
                    "error[stage.timestamp]: mine: the timestamp of its output is 2.5 s, but must be from 1.9 s to 2 s",
                remedy: """
                    If the stage is yours, declare with `stampsEarlierByUs` how much earlier its output may be. \
                    Otherwise report it.
                    """),
            Explanation(
                "stage.stream", [.defect],
                "A stage emitted a frame for another stream without declaring it.",
                cause: """
                    The next stage keeps its state by stream, which requires a queue between the two stages. A \
                    configuration cannot cause this.
                    """,
                output: """
                    error[stage.stream]: mine: its output is of the stream "b", not "a"
                    """,
                remedy: "If the stage is yours, return true from `renamesStreams`. Otherwise report it."),
            Explanation(
                "memory.exhausted", [.environment],
                "The program ran out of memory.",
                cause: """
                    The system did not provide memory for a parser. Other programs use too much of it, or a limit is \
                    set (`ulimit -v`, a container).
                    """,
                output: "error[memory.exhausted]: no memory for a JSON parser",
                remedy: "Raise the limit, or run fewer programs on the machine."),
            Explanation(
                "system.pipe", [.environment],
                "The system cannot create a pipe.",
                cause: "The process, or the whole system, has reached its limit of open files.",
                output: "error[system.pipe]: stdin: no pipe could be made: Too many open files",
                remedy: "Raise the limit with `ulimit -n`, or use fewer sources and sinks."),
        ])
}
