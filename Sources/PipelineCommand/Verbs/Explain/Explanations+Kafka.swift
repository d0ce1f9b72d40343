extension Explanation {
    /// Codes about Kafka.
    static let kafka = Family(
        "Kafka",
        [
            Explanation(
                "kafka.broker", [.configuration],
                "The address of a broker is missing or has the wrong form.",
                cause: "Brokers are given as names or addresses with ports, without a scheme such as `kafka://`.",
                configuration: """
                    version: 1
                    sources: [kafka: { brokers: [localhost], topics: [strokes], group: recognizers }]
                    sinks: [discard]
                    """,
                remedy: "Write `brokers: [\"127.0.0.1:9092\"]`."),
            Explanation(
                "kafka.empty", [.configuration],
                "A topic or a group has an empty name.",
                cause: "A variable in the configuration may be empty.",
                configuration: """
                    version: 1
                    sources: [kafka: { brokers: ["127.0.0.1:9092"], topics: [strokes], group: "" }]
                    sinks: [discard]
                    """,
                remedy: "Give the topic or the group a name."),
            Explanation(
                "kafka.topic", [.configuration],
                "A topic is named twice, or its pattern is not a regular expression.",
                cause: """
                    A name in `topics` that begins with `^` is an extended regular expression as in POSIX, for several topics.
                    """,
                configuration: """
                    version: 1
                    sources: [kafka: { brokers: ["127.0.0.1:9092"], topics: [strokes, strokes], group: recognizers }]
                    sinks: [discard]
                    """,
                remedy: "Name each topic once, and correct the expression."),
            Explanation(
                "kafka.property", [.configuration],
                "A property in `client` is unknown, has an invalid value, or is set by another option.",
                cause: """
                    `client` takes the properties of librdkafka, under their own names. Those that would contradict the \
                    options of the component are refused.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - kafka: { brokers: ["127.0.0.1:9092"], topics: [strokes], group: a, client: { linger: 5 } }
                    sinks: [discard]
                    """,
                remedy: "Correct the name or the value. librdkafka's CONFIGURATION.md lists all properties."),
            Explanation(
                "kafka.unreachable", [.environment],
                "No broker answers.",
                cause: """
                    No program listens at the addresses in `brokers`, a name cannot be resolved, or a firewall is in the \
                    way. Brokers also announce their own addresses (`advertised.listeners`), which must be reachable too.
                    """,
                output: """
                    error[kafka.unreachable]: kafka: no broker answers: 127.0.0.1:9/bootstrap: Connect to \
                    ipv4#127.0.0.1:9 failed: Connection refused
                    """,
                remedy: "Start the brokers, or correct the address. `connect_ms` gives them more time."),
            Explanation(
                "kafka.no_topic", [.environment],
                "There is no such topic.",
                cause: "The topic was not created, or its name is misspelled.",
                output: "error[kafka.no_topic]: kafka: topic storkes: there is no such topic",
                remedy: "Create the topic, or correct its name."),
            Explanation(
                "kafka.refused", [.environment],
                "The brokers do not accept the user, the password or the certificate.",
                cause: "The security options in `client` do not match those of the brokers.",
                output: "error[kafka.refused]: kafka: Kafka: SASL authentication error: Authentication failed",
                remedy: """
                    Check `security.protocol`, `sasl.mechanism`, `sasl.username` and `ssl.ca.location` in `client`.
                    """),
            Explanation(
                "kafka.forbidden", [.environment],
                "The user has no right to use a topic or a group.",
                cause: "The brokers have access control lists, and none of them contains this right.",
                output: "error[kafka.forbidden]: kafka: topic strokes: Broker: Topic authorization failed",
                remedy: """
                    Ask the administrator of the brokers for the right to read or write the topic, and to use the group.
                    """),
            Explanation(
                "kafka.fenced", [.environment],
                "The client may not continue, because another one has taken its place.",
                cause: """
                    Two programs use the same identity: the same `group.instance.id`, or the same `transactional_id`. Or a program \
                    was halted for so long that the brokers gave its work to another one.
                    """,
                output: "error[kafka.fenced]: kafka: Kafka: Broker: Static consumer fenced by other consumer",
                remedy: "Stop one of the two, or give them different identities."),
            Explanation(
                "kafka.lost", [.environment],
                "The group has given partitions of this process to another member.",
                cause: """
                    The process did not answer the brokers for `session.timeout.ms`, or did not read for \
                    `max.poll.interval.ms`: it was halted, the machine was overloaded, or the network was interrupted. The other \
                    member processes the messages again that this process had not committed. With `delivery: exactly_once`, the \
                    run must end, because its open transaction contains results of these messages; the transaction is aborted.
                    """,
                output: """
                    error[kafka.lost]: kafka: the group has given partitions of this process to another member
                    """,
                remedy: "Start the process again. A larger `session.timeout.ms` tolerates longer pauses."),
            Explanation(
                "kafka.uncommitted", [.environment],
                "The brokers did not accept the last offsets of a process.",
                cause: """
                    When a run ends, or gives partitions to another member of its group, it commits which messages are accounted \
                    for. The brokers were down, or the group had already taken the partitions away. The output is complete. The \
                    next owner reads the messages since the last accepted commit again and writes their results a second time, \
                    with the same numbers.
                    """,
                output: """
                    warning[kafka.uncommitted]: kafka: the last offsets were not committed, so messages since the commit before \
                    are read again: Broker: Unknown member
                    """,
                remedy: """
                    Nothing is lost. A larger `session.timeout.ms` tolerates longer outages; `repetitions: drop` of a source that \
                    reads the results drops the second ones.
                    """),
            Explanation(
                "commit.interval", [.configuration],
                "A source commits too rarely for the transactions of a sink.",
                cause: """
                    With `delivery: exactly_once`, everything that is written between two commits of the sources is one transaction. \
                    The brokers abort a transaction that is open for 20 seconds, or for the `transaction.timeout.ms` of the sink's \
                    `client`, and `commit_ms` of the source is not shorter.
                    """,
                configuration: """
                    version: 1
                    sources: [kafka: { brokers: ["127.0.0.1:9092"], topics: [strokes], group: g, commit_ms: 30000 }]
                    sinks: [kafka: { id: out, brokers: ["127.0.0.1:9092"], topic: results, delivery: exactly_once }]
                    """,
                remedy: """
                    Leave `commit_ms` out, or set it to a time well below that of the transactions. A longer transaction needs \
                    `client: { transaction.timeout.ms: 60000 }` at the sink; brokers allow 15 minutes at most.
                    """),
            Explanation(
                "kafka.transaction", [.environment],
                "A transaction was not committed.",
                cause: """
                    The brokers did not accept the messages or the offsets of the transaction, could not be reached for half a \
                    minute, or ended the transaction because it lasted longer than 20 seconds, for example because the process was \
                    halted. The transaction was aborted, and its messages are never visible to readers of committed messages.
                    """,
                output: """
                    error[kafka.transaction]: kafka: the transaction was not committed: Failed to commit transaction: \
                    Local: Timed out
                    """,
                remedy: """
                    Start the process again, preferably by a service manager: it continues from the last transaction, and \
                    nothing is lost or repeated.
                    """),
            Explanation(
                "kafka.metadata", [.environment],
                "The list of the streams with held frames does not fit into the metadata of an offset.",
                cause: """
                    The pipeline holds frames of a stream while a gesture is in progress. The group stores a list of these \
                    streams with the offset of their partition. Brokers accept 4,096 bytes for this list, enough for some 400 \
                    streams per partition. If there are more streams, messages are read again after a failure, and transactions \
                    wait until frames of fewer streams are held. If a process must give up partitions while a transaction waits, or if the \
                    transaction has waited for 80 % of its timeout (16 of 20 seconds), the process aborts it and ends; nothing is lost \
                    or repeated.
                    """,
                output: """
                    warning[kafka.metadata]: kafka: points/3: the streams with frames that are held do not fit into 4096 bytes, so messages are read \
                    again after a failure, and transactions wait until fewer streams are held, or end the run before they time out; \
                    more partitions help, or a larger metadata_bytes with offset.metadata.max.bytes of the brokers
                    """,
                remedy: """
                    Use more partitions, or raise `offset.metadata.max.bytes` of the brokers, and `metadata_bytes` with it. \
                    `client: { transaction.timeout.ms: 60000 }` at the sink lets transactions wait for longer.
                    """),
            Explanation(
                "kafka.delivery", [.configuration],
                "Two `kafka` sinks of a pipeline commit their output in different ways.",
                cause: """
                    The offsets of the messages that were read apply to the output of all sinks, and can be committed in only one \
                    transaction. So all `kafka` sinks of a pipeline need the same `delivery`. With `exactly_once`, they also need \
                    the same `brokers` and `transactional_id`.
                    """,
                output: """
                    error[kafka.delivery]: out: another kafka sink of the pipeline has the delivery exactly_once, brokers \
                    127.0.0.1:9092, and this one at_least_once
                    """,
                remedy: """
                    Give all `kafka` sinks of the pipeline the same values, or use several pipelines, each with one kind of sink and a \
                    `group` of its own.
                    """),
            Explanation(
                "kafka.header", [.configuration],
                "A header has the name that is reserved for the number of each message.",
                cause: "`pipeline-number` is written by the sink, so that readers can discard repetitions.",
                configuration: """
                    version: 1
                    sources: [stdin]
                    sinks: [kafka: { brokers: ["127.0.0.1:9092"], topic: results, headers: { pipeline-number: 1 } }]
                    """,
                remedy: "Choose another name for the header."),
            Explanation(
                "kafka.undelivered", [.environment],
                "Messages were not acknowledged by the brokers in time.",
                cause: """
                    The brokers were not reachable for longer than `message.timeout.ms`, or than `linger_ms` at the end of \
                    the run. Some of these messages may have been written all the same.
                    """,
                output: """
                    error[kafka.undelivered]: kafka: topic results: 12 messages were not acknowledged: Local: Message \
                    timed out
                    """,
                remedy: "Find out from the log what happened to the brokers. The frames count as failed."),
            Explanation(
                "kafka.too_large", [.frame, .environment],
                "A frame is too large for a message.",
                cause: """
                    A message may have at most `max_message_bytes` bytes, by default 16 MiB, and at most as many as the topic allows \
                    (`max.message.bytes`, often 1 MB). A client sends messages in batches, and brokers refuse a batch that is larger than the \
                    topic allows: all of its frames fail. With `delivery: exactly_once`, the transaction then cannot be committed, and \
                    the run ends.
                    """,
                output: "error[kafka.too_large]: kafka: the message has 20000000 bytes, more than max_message_bytes",
                remedy: """
                    Set `max_message_bytes` to at least 100 bytes less than `max.message.bytes` of the topic. Then only frames that are \
                    too large fail, before they are sent, and `on_error: skip` skips them. Or raise both limits.
                    """),
            Explanation(
                "kafka.no_value", [.frame],
                "A message has no value.",
                cause: "In a compacted topic, such a message deletes the older messages of its key.",
                output: "error[kafka.no_value]: kafka: strokes/0, offset 7: the message has no value",
                remedy: "Skip such messages with `on_error: skip`."),
            Explanation(
                "kafka.stream_name", [.frame],
                "The key of a message is too long for the name of a stream.",
                cause: """
                    The name of a stream may have at most 4,096 bytes, because names are kept in memory while their streams are known.
                    """,
                output: """
                    error[kafka.stream_name]: kafka: strokes/0, offset 7: the stream's name has 5000 bytes, more than 4096
                    """,
                remedy: "Use shorter keys, or take the name from the message with `stream: message`."),
            Explanation(
                "kafka.failed", [.environment],
                "A call of the Kafka client failed.",
                cause: "librdkafka reports a problem that has no code of its own here. The message contains its words.",
                output: "error[kafka.failed]: kafka: topic strokes: Broker: Leader not available",
                remedy: "Look up the message in the documentation of librdkafka or of the brokers."),
        ])
}
