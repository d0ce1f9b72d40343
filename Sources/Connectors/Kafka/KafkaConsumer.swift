import CKafka
import Pipeline
import Synchronization

/// A member of a consumer group: takes messages of the partitions that the group assigns to it, and commits what was worked through.
///
/// Only the thread of its source reads. ``commit()`` may be called from any thread: it commits what ``noteHandedOver()`` has recorded.
final class KafkaConsumer: Sendable {
    /// A partition of a topic.
    struct Partition: Hashable, Sendable {
        let topic: String
        let number: Int32
    }

    private struct State: Sendable {
        /// The offset after the last message that was read, by partition.
        var read: [Partition: Int64] = [:]
        /// The same for the messages that the pipeline has taken over.
        var handedOver: [Partition: Int64] = [:]
        /// The partitions that are assigned, and those of them that were read to their end.
        var assigned: Set<Partition> = []
        var ended: Set<Partition> = []
        var isClosed = false
    }

    private let client: KafkaClient
    private let log: Log
    private let counts: Counts
    private let state = Lock(State())

    /// Joins the group.
    ///
    /// - Throws: An environment error if no broker can be reached, or there is no such topic; a configuration error for properties that
    ///   do not fit together.
    init(_ options: KafkaSource.Options, _ context: SourceContext) throws {
        (log, counts) = (context.log, context.counts)
        let configuration = try options.kafka.configuration([
            ("group.id", options.group), ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"),
            ("auto.offset.reset", options.start.rawValue), ("enable.partition.eof", "true"),
            // An answer has room for the largest message, and for several small ones.
            ("max.partition.fetch.bytes", String(max(1 << 20, options.kafka.maxMessageBytes))),
            ("fetch.max.bytes", String(max(50 << 20, options.kafka.maxMessageBytes))),
            ("receive.message.max.bytes", String(max(50 << 20, options.kafka.maxMessageBytes) + (1 << 20))),
        ])
        rd_kafka_conf_set_rebalance_cb(configuration.pointer) { client, code, list, opaque in
            guard let client, let list else { return }
            KafkaEvents.of(opaque)?.onRebalance.value?(client, KafkaCode(code), list)
            KafkaConsumer.carryOut(client, KafkaCode(code), list)
        }
        let events = KafkaEvents(context.log, context.counts)
        client = try KafkaClient(RD_KAFKA_CONSUMER, configuration, events)
        rd_kafka_poll_set_consumer(client.pointer)
        for topic in options.topics where !topic.hasPrefix("^") {
            try client.check(topic, milliseconds: Int32(options.connectMs))
        }
        events.onRebalance.set { [weak self] client, code, list in self?.rebalance(client, code, list) }
        guard let list = rd_kafka_topic_partition_list_new(Int32(options.topics.count)) else { return }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for topic in options.topics { rd_kafka_topic_partition_list_add(list, topic, -1) }
        let code = KafkaCode(rd_kafka_subscribe(client.pointer, list))
        if code != .none { throw code.error(about: "topics \(options.topics.joined(separator: ", "))") }
    }

    /// Whether all partitions that are assigned were read to their ends.
    var isAtEnd: Bool {
        state.withLock { !$0.assigned.isEmpty && $0.assigned.allSatisfy($0.ended.contains) }
    }

    // MARK: Reading

    /// Calls `body` with the next messages: waits for the first, and takes those that are there.
    ///
    /// - Throws: An environment error if the client cannot go on.
    func read(atMost count: Int, milliseconds: Int32, _ body: (borrowing KafkaMessage) -> Void) throws {
        var taken = 0
        while taken < count {
            guard let pointer = rd_kafka_consumer_poll(client.pointer, taken == 0 ? milliseconds : 0) else { break }
            let message = KafkaMessage(pointer)
            switch message.code {
            case .none:
                let partition = Partition(topic: message.topic, number: message.partition)
                let isOurs = state.withLock { state in
                    state.ended.remove(partition)
                    // A message that waited while its partition was taken away belongs to another member.
                    guard state.assigned.contains(partition) else { return false }
                    state.read[partition] = message.offset + 1
                    return true
                }
                guard isOurs else { continue }
                taken += 1
                body(message)
            case .partitionEnd:
                let partition = Partition(topic: message.topic, number: message.partition)
                state.withLock { _ = $0.ended.insert(partition) }
                if taken == 0 { return }
            case let code:
                client.events.note(code, message.text)
                if let failure = client.events.failure { throw failure }
            }
        }
        if taken > 0 { client.events.noteProgress() }
        if let failure = client.events.failure { throw failure }
    }

    /// Records that the pipeline has taken over everything that was read.
    func noteHandedOver() { state.withLock { $0.handedOver = $0.read } }

    // MARK: Committing

    /// Commits what was handed over. Call it when all of that is accounted for.
    ///
    /// - Throws: An environment error if the brokers do not accept it.
    func commit() throws {
        let offsets = state.withLock { state in
            state.handedOver.filter { state.assigned.contains($0.key) && !state.isClosed }
        }
        guard !offsets.isEmpty, let list = rd_kafka_topic_partition_list_new(Int32(offsets.count)) else { return }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for (partition, offset) in offsets.sorted(by: { ($0.key.topic, $0.key.number) < ($1.key.topic, $1.key.number) })
        {
            rd_kafka_topic_partition_list_add(list, partition.topic, partition.number).pointee.offset = offset
        }
        let code = KafkaCode(rd_kafka_commit(client.pointer, list, 0))
        guard code == .none || code == .noOffset else { throw code.error(about: "the offsets were not committed") }
    }

    /// Leaves the group.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        rd_kafka_consumer_close(client.pointer)
    }

    deinit { close() }

    // MARK: The group

    /// Notes which partitions are taken over, or given up. Called while a message is waited for.
    private func rebalance(
        _ client: OpaquePointer, _ code: KafkaCode, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
    ) {
        let partitions = (0..<Int(list.pointee.cnt)).map { index in
            let element = list.pointee.elems[index]
            return Partition(topic: element.topic.map { String(cString: $0) } ?? "", number: element.partition)
        }
        let isAssignment = code == .assigned
        counts.add("rebalances")
        state.withLock { state in
            if isAssignment {
                state.assigned.formUnion(partitions)
            } else {
                state.assigned.subtract(partitions)
            }
            for partition in partitions {
                state.ended.remove(partition)
                state.read[partition] = nil
                state.handedOver[partition] = nil
            }
        }
        let names = partitions.map { "\($0.topic)/\($0.number)" }.sorted().joined(separator: ", ")
        if !partitions.isEmpty { log(.info, isAssignment ? "reads \(names)" : "no longer reads \(names)") }
    }

    /// Takes over the partitions of a list, or gives them up: some, or with the eager protocol all.
    private static func carryOut(
        _ client: OpaquePointer, _ code: KafkaCode, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
    ) {
        let isAssignment = code == .assigned
        guard rd_kafka_rebalance_protocol(client).map({ String(cString: $0) }) == "COOPERATIVE" else {
            rd_kafka_assign(client, isAssignment ? list : nil)
            return
        }
        let error =
            isAssignment ? rd_kafka_incremental_assign(client, list) : rd_kafka_incremental_unassign(client, list)
        if let error { rd_kafka_error_destroy(error) }
    }
}
