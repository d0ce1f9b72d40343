extension Explanation {
    /// Codes about messages from ZeroMQ peers.
    static let peers = Family(
        "ZeroMQ: what comes from others",
        [
            Explanation(
                "zmq.frames", [.frame],
                "A message has another number of frames than expected.",
                cause: """
                    A ZeroMQ message is made of frames. Most senders send a topic and a payload, or the payload \
                    alone.
                    """,
                output: "error[zmq.frames]: zmq: message 1: expected two frames, found 1",
                remedy: """
                    Say how messages are cut with `decode: { frames: … }`. `pipectl listen ENDPOINT` shows how the \
                    sender cuts them.
                    """),
            Explanation(
                "zmq.payload", [.frame],
                "A message that `pipectl listen` heard is empty, or neither JSON, MessagePack nor text.",
                cause: "The sender sends images, pickles, Protobuf or the like, which no `decode` block can read.",
                output: "error[zmq.payload]: 921600 bytes that are neither JSON, MessagePack nor text",
                remedy: "Let the sender send the points, as JSON or MessagePack."),
            Explanation(
                "zmq.stream_name", [.frame],
                "The name of a stream in a message is too long.",
                cause: """
                    A name has at most 4096 bytes, since names are kept for as long as their streams are known. \
                    Often the payload stands where the topic should be.
                    """,
                output: "error[zmq.stream_name]: zmq: message 1: the stream's name has 70000 bytes, more than 4096",
                remedy: """
                    Check the order of the frames: topic first, then the payload; or write `decode: { frames: one \
                    }`.
                    """),
            Explanation(
                "zmq.time_missing", [.frame],
                "A message has no time, and others of its stream had one.",
                cause: """
                    A stream keeps to one clock. The time of receipt is another clock than the sender's, and mixing \
                    them would put frames in a wrong order.
                    """,
                output: "error[zmq.time_missing]: zmq: message 31: it says no time, and others of its stream did",
                remedy: "Let every message of a stream say its time, or none."),
            Explanation(
                "zmq.kind", [.configuration],
                "Nothing says what the answers of a worker are.",
                cause: """
                    `zmq_request` takes the type of its answers from its input. This input has a type that cannot be \
                    read from messages.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages:
                      - resample: { on_error: route }
                      - zmq_request: { from: resample.errors, connect: "tcp://127.0.0.1:5558" }
                    sinks: [discard: { from: resample }, stdout: { from: zmq_request }]
                    """,
                remedy: "Add `kind:` with the kind of the answers."),
            Explanation(
                "zmq.no_worker", [.frame],
                "No worker was there to be asked.",
                cause: """
                    Nobody was connected within `timeout_ms`: the worker does not run, has another address, or binds \
                    where it should connect.
                    """,
                output: "error[zmq.no_worker]: zmq_request: no worker was there within 1000 ms, tried 3 times",
                remedy: "Start the worker and check its address. `on_error: skip` goes on without the answer."),
            Explanation(
                "zmq.no_answer", [.frame],
                "A worker was asked and did not answer in time.",
                cause: "The worker is slow, has stopped, or lost the request.",
                output: "error[zmq.no_answer]: zmq_request: no worker answered within 1000 ms, asked once",
                remedy: "Raise `timeout_ms` for slow workers, start more of them, or write `on_error: skip`."),
            Explanation(
                "zmq.answer", [.frame],
                "The answer of a worker carries nothing.",
                cause: "It says that a stream has ended, which is no answer to a request.",
                output: "error[zmq.answer]: zmq_request: the answer ends a stream and carries nothing",
                remedy: """
                    Let the worker answer with a message of the kind that was asked for, or with an empty message \
                    for none.
                    """),
            Explanation(
                "zmq.worker_error", [.frame],
                "A worker says that it could not process a frame.",
                cause: "What stands behind \"the worker says\" comes from the worker.",
                output: "error[zmq.worker_error]: zmq_request: the worker says: no hand in the picture",
                remedy: "Look at the worker's own log."),
            Explanation(
                "listen.silence", [.verdict],
                "`pipectl listen` heard nothing.",
                cause: """
                    Nobody sends at this address, the sender sends to another, it binds where it should connect, or \
                    a firewall is between. The exit code is 1.
                    """,
                output: """
                    $ pipectl listen tcp://127.0.0.1:5556
                    error[listen.silence]: no answer from tcp://127.0.0.1:5556
                    """,
                remedy: """
                    Start the sender, check the address, and try `--bind` if the sender connects, or `--pull` if it \
                    pushes.
                    """),
            Explanation(
                "listen.unknown", [.verdict],
                "`pipectl listen --suggest` found nothing in the messages that looks like points.",
                cause: """
                    They hold other things than coordinates, or points in a shape that is not recognized. The exit \
                    code is 1.
                    """,
                output: "error[listen.unknown]: nothing in these messages looks like points",
                remedy: """
                    Run `pipectl listen` without `--suggest` to see the messages, and write the `decode` block \
                    yourself.
                    """),
        ])
}
