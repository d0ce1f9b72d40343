import CKafka
import Pipeline
import Synchronization

/// A client of librdkafka: a consumer or a producer.
///
/// The client's threads call ``KafkaEvents``, which the client retains. Order of destruction: the lists and topics that were made
/// for the client, then the client, which ends its threads, and then the events.
// `@unchecked Sendable`: after the initialization, only the value in the lock changes, and librdkafka may be called from any
// thread.
final class KafkaClient: @unchecked Sendable {
    let pointer: OpaquePointer
    let events: KafkaEvents
    private let retained: Unmanaged<KafkaEvents>
    private let isConsumer: Bool
    /// The objects that the client's threads may use.
    private let referenced = Lock<[KafkaDeliveries]>([])

    /// Creates a client, which connects in the background.
    ///
    /// - Throws: A configuration error if the properties do not fit together.
    init(_ type: rd_kafka_type_t, _ configuration: KafkaConfiguration, _ events: KafkaEvents) throws {
        let retained = Unmanaged.passRetained(events)
        rd_kafka_conf_set_opaque(configuration.pointer, retained.toOpaque())
        rd_kafka_conf_set_log_cb(configuration.pointer) { client, level, _, line in
            guard let client, let line else { return }
            KafkaEvents.of(rd_kafka_opaque(client))?.note(level, String(cString: line))
        }
        rd_kafka_conf_set_error_cb(configuration.pointer) { _, code, reason, opaque in
            KafkaEvents.of(opaque)?.note(
                KafkaCode(rawValue: code), reason.map { String(cString: $0) } ?? "")
        }
        var text = [CChar](repeating: 0, count: 512)
        let client = configuration.handOver { rd_kafka_new(type, $0, &text, text.count) }
        guard let client else {
            retained.release()
            let end = text.firstIndex(of: 0) ?? text.endIndex
            throw PipelineError(
                .configuration, "kafka.property",
                String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        (pointer, self.events, self.retained) = (client, events, retained)
        isConsumer = type == RD_KAFKA_CONSUMER
    }

    deinit {
        // librdkafka aborts the process (`rd_kafka_sticky_assignor_state_destroy`, seen in 2.0.2) if a consumer is destroyed that
        // has joined a group with the cooperative-sticky assignor but has not received an assignment yet. Such a consumer is
        // leaked instead.
        guard !isConsumer || events.onRebalance.hasBeenAssigned else { return }
        rd_kafka_destroy(pointer)
        retained.release()
    }

    /// Keeps an object for as long as the client's threads may refer to it.
    func retain(_ deliveries: KafkaDeliveries) { referenced.withLock { $0.append(deliveries) } }

    /// Checks that a topic exists. Waits until a broker answers; if `stop` is requested, at most two seconds longer.
    ///
    /// - Throws: An environment error if no broker answers in time, or there is no such topic.
    func check(_ topic: String, milliseconds: Int, _ stop: StopSignal) throws {
        guard let handle = rd_kafka_topic_new(pointer, topic, nil) else {
            throw KafkaCode(rd_kafka_last_error()).error(about: "topic \(topic)")
        }
        defer { rd_kafka_topic_destroy(handle) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        defer { if let metadata { rd_kafka_metadata_destroy(metadata) } }
        var (code, waited) = (KafkaCode.none, 0)
        // Nothing can interrupt librdkafka while it waits. The waits grow, because a distant broker needs longer to answer.
        repeat {
            let wait = min(max(waited, 200), milliseconds - waited, 2000)
            code = KafkaCode(rd_kafka_metadata(pointer, 0, handle, &metadata, Int32(wait)))
            waited += wait
            // The client reports why it could not connect only while it is polled.
            rd_kafka_poll(pointer, 0)
        } while [.timedOut, .transport].contains(code) && waited < milliseconds && !stop.isRequested
        guard code == .none, let metadata else {
            throw code.error(about: "no broker answers", events.reason)
        }
        guard metadata.pointee.topic_cnt > 0, let found = metadata.pointee.topics?.pointee else { return }
        let problem = KafkaCode(found.err)
        if problem != .none { throw problem.error(about: "topic \(topic)") }
    }
}
