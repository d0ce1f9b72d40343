import CKafka
import Pipeline

/// Sends messages to a topic, and tracks how many of them brokers have acknowledged.
// Only the sink's task accesses `sentFrames`, and a commit point, on another thread, while the run is frozen. Locks or librdkafka
// protect everything else.
final class KafkaProducer: @unchecked Sendable {
    private let client: KafkaClient
    private let transaction: KafkaTransaction?
    private let deliveries = KafkaDeliveries()
    private let topic: OpaquePointer
    private let name: String
    /// The number of frames that were given to the client, without those that were discarded.
    private var sentFrames: Int64 = 0

    /// Connects to the brokers.
    ///
    /// - Throws: An environment error if no broker can be reached, or if the topic does not exist. A configuration error for
    ///   properties that do not fit together.
    init(_ options: KafkaSinkOptions, _ context: SinkContext) throws {
        name = options.topic
        transaction = options.delivery == .exactlyOnce ? try KafkaTransaction.shared(options, context) : nil
        client = try transaction?.client ?? Self.client(options, context)
        try client.check(options.topic, milliseconds: options.connectMs, context.stop)
        guard let topic = rd_kafka_topic_new(client.pointer, options.topic, nil) else {
            throw KafkaCode(rd_kafka_last_error()).error(about: "topic \(options.topic)")
        }
        self.topic = topic
        client.retain(deliveries)
        try transaction?.begin()
    }

    deinit { rd_kafka_topic_destroy(topic) }

    /// Creates a client for producers.
    static func client(
        _ options: KafkaSinkOptions, _ context: SinkContext, _ more: [(name: String, value: String)] = []
    ) throws -> KafkaClient {
        // The option `client` can still disable idempotence, because later values replace earlier ones.
        let configuration = try options.kafka.configuration([("enable.idempotence", "true")] + more)
        rd_kafka_conf_set_dr_msg_cb(configuration.pointer) { _, message, opaque in
            guard let message else { return }
            let code = KafkaCode(message.pointee.err)
            KafkaDeliveries.note(code, of: message.pointee._private, bytes: message.pointee.len)
            if code == .none { KafkaEvents.of(opaque)?.noteProgress() }
        }
        return try KafkaClient(RD_KAFKA_PRODUCER, configuration, KafkaEvents(context.log, context.counts))
    }

    /// The number of frames that brokers have not acknowledged, including those that have failed.
    var unwritten: Int64 { sentFrames - deliveries.writtenFrames }

    /// The number of frames that brokers have refused because of their size since the last call of ``checkSizes()``.
    var refusedFrames: Int64 { deliveries.refusedFrames }

    /// Whether messages wait for their acknowledgement.
    var isWaiting: Bool { rd_kafka_outq_len(client.pointer) > 0 }

    /// Sends a message.
    ///
    /// - Parameter isFrame: Whether the message contains a frame; `false` if it only ends a stream.
    /// - Returns: `false` if the client's queue has no room for the message at the moment.
    /// - Throws: A frame error for a message that is too large; an environment error if the client cannot continue.
    func send(
        key: String, _ message: UnsafeRawBufferPointer, _ headers: KafkaHeaders, isFrame: Bool
    ) throws -> Bool {
        transaction?.noteSent()
        let mark = deliveries.mark(isFrame: isFrame)
        let code = headers.send(to: client, topic, key: key, message, mark)
        guard code != .none else {
            if isFrame { sentFrames += 1 }
            rd_kafka_poll(client.pointer, 0)
            return true
        }
        switch code {
        case .queueFull: return false
        case .tooLarge:
            throw PipelineError.frame(
                "kafka.too_large", "the message has \(message.count) bytes, more than max_message_bytes",
                help: "raise max_message_bytes, here and where the topic is read, and the limits of the topic")
        case let other:
            try check()
            throw other.error(about: "topic \(name)", client.events.reason)
        }
    }

    /// Waits at most for the given time: until brokers have acknowledged all messages, or, if `all` is `false`, until a broker has
    /// acknowledged any message.
    func wait(milliseconds: Int32, all: Bool) {
        if all { rd_kafka_flush(client.pointer, milliseconds) } else { rd_kafka_poll(client.pointer, milliseconds) }
    }

    /// Waits until brokers have acknowledged all messages, for at most five seconds.
    func awaitDelivery(_ patience: Patience) {
        for _ in 0..<50 where isWaiting && !patience.isOver { wait(milliseconds: 100, all: true) }
    }

    /// Whether brokers have acknowledged all messages.
    var hasDelivered: Bool { !isWaiting && !deliveries.hasFailures }

    /// Throws an error if messages were not acknowledged in time, or if the client cannot continue.
    func check() throws {
        if transaction != nil, let refused = deliveries.takeRefused() {
            // A transaction without one of its messages cannot be committed.
            client.events.fail(.environment("kafka.too_large", words(about: refused), help: Self.remedy))
        }
        if let failure = client.events.failure { throw failure }
        guard let (code, count) = deliveries.takeUndelivered() else { return }
        throw PipelineError.environment(
            "kafka.undelivered", "topic \(name): \(count) messages were not acknowledged: \(code.message)",
            help: "the log says what happened to the brokers; on_error: skip continues without these frames")
    }

    /// Throws ``FailedAfterwards`` if brokers have refused messages because of their size.
    func checkSizes() throws {
        guard let refused = deliveries.takeRefused() else { return }
        sentFrames -= refused.frames
        throw FailedAfterwards(
            count: refused.frames, .frame("kafka.too_large", words(about: refused), help: Self.remedy))
    }

    private func words(about refused: KafkaDeliveries.Refused) -> String {
        let messages = refused.messages == 1 ? "a message of" : "\(refused.messages) messages of up to"
        return "topic \(name): the brokers refused \(messages) \(refused.largest) bytes as too large"
    }

    private static let remedy =
        "set max_message_bytes to at least 100 bytes less than max.message.bytes of the topic, so that only frames that are too large fail; or raise the limit of the topic"

    /// Drops the messages that no broker has acknowledged.
    func discard() {
        // `RD_KAFKA_PURGE_F_QUEUE` (1) and `RD_KAFKA_PURGE_F_INFLIGHT` (2).
        rd_kafka_purge(client.pointer, 3)
        rd_kafka_flush(client.pointer, 1000)
        _ = deliveries.takeUndelivered()
        _ = deliveries.takeRefused()
        sentFrames = deliveries.writtenFrames
    }
}
