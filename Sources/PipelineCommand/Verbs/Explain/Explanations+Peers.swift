extension Explanation {
    /// Codes about messages from ZeroMQ peers.
    static let peers = Family(
        "ZeroMQ: messages from peers",
        [
            Explanation(
                "zmq.frames", [.frame],
                "A message has an unexpected number of frames.",
                cause: """
                    A ZeroMQ message consists of frames. Most senders send a topic and a payload, or only the payload.
                    """,
                output: "error[zmq.frames]: zmq: message 1: expected two frames, found 1",
                remedy: """
                    Set the frames of a message with `decode: { frames: … }`. `pipectl listen ENDPOINT` shows the \
                    frames of the sender's messages.
                    """),
            Explanation(
                "zmq.payload", [.frame],
                "A message that `pipectl listen` received is empty, or is neither JSON, MessagePack nor text.",
                cause: """
                    The sender sends images, pickles, Protobuf or similar data, which no `decode` block can read.
                    """,
                output: "error[zmq.payload]: 921600 bytes that are neither JSON, MessagePack nor text",
                remedy: "Let the sender send the points, as JSON or MessagePack."),
            Explanation(
                "zmq.stream_name", [.frame],
                "The name of a stream in a message is too long.",
                cause: """
                    A name has at most 4096 bytes, because names are stored as long as their streams are known. Often \
                    the payload is in the place of the topic.
                    """,
                output: "error[zmq.stream_name]: zmq: message 1: the stream's name has 70000 bytes, more than 4096",
                remedy: """
                    Check the order of the frames: topic first, then the payload; or write `decode: { frames: one \
                    }`.
                    """),
            Explanation(
                "zmq.kind", [.configuration],
                "The kind of a worker's replies is unknown.",
                cause: """
                    `zmq_request` uses the type of its input for its replies. This input has a type that cannot be \
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
                remedy: "Add `kind:` with the kind of the replies."),
            Explanation(
                "zmq.no_worker", [.frame],
                "No worker was available for a request.",
                cause: """
                    No worker connected within `timeout_ms`: it is not running, has another address, or binds where it \
                    should connect.
                    """,
                output: "error[zmq.no_worker]: zmq_request: no worker was connected within 1000 ms, tried 3 times",
                remedy: "Start the worker and check its address. `on_error: skip` continues without the reply."),
            Explanation(
                "zmq.no_answer", [.frame],
                "A worker received a request and did not reply in time.",
                cause: "The worker is slow, has stopped, or lost the request.",
                output: "error[zmq.no_answer]: zmq_request: no worker answered within 1000 ms, asked once",
                remedy: "Raise `timeout_ms` for slow workers, start more of them, or write `on_error: skip`."),
            Explanation(
                "zmq.answer", [.frame],
                "The reply of a worker only ends a stream.",
                cause: "A message that ends a stream has no result, so it is not a reply to a request.",
                output: "error[zmq.answer]: zmq_request: the answer ends a stream and carries nothing",
                remedy: """
                    Let the worker reply with a message of the requested kind, or with an empty message for no result.
                    """),
            Explanation(
                "zmq.worker_error", [.frame],
                "A worker reports that it could not process a frame.",
                cause: "The text after \"the worker says\" comes from the worker.",
                output: "error[zmq.worker_error]: zmq_request: the worker says: no hand in the picture",
                remedy: "Read the worker's own log."),
            Explanation(
                "listen.silence", [.verdict],
                "`pipectl listen` received nothing.",
                cause: """
                    No sender uses this address, the sender uses another address, it binds where it should connect, or \
                    a firewall blocks the connection. The exit code is 1.
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
                    The messages contain no coordinates, or points in a shape that is not recognized. The exit code is 1.
                    """,
                output: "error[listen.unknown]: nothing in these messages looks like points",
                remedy: """
                    Run `pipectl listen` without `--suggest` to see the messages, and write the `decode` block \
                    yourself.
                    """),
        ])
}
