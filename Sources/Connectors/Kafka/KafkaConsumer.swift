import CKafka
import Pipeline
import Synchronization

/// A member of a consumer group: reads messages of the partitions that the group assigns to it, and commits which of these messages
/// are accounted for.
///
/// Only the source's thread reads messages. Any thread may commit, between two calls of the source.
final class KafkaConsumer: Sendable {
    private struct State: Sendable {
        var partitions: [KafkaPartitionID: KafkaPartition] = [:]
        /// The partitions that the group has revoked and that this member has not given up yet (``giveUp()``).
        var revoked: KafkaPartitionList?
        var hasLost = false
        var isLeaving = false
        var isClosed = false
        var hasWarned = false
        var wasRefused = false
    }

    let client: KafkaClient
    private let context: SourceContext
    private let metadataBytes: Int
    /// Whether the engine raises timestamps that do not increase (`on_disorder: clamp`).
    private let clamps: Bool
    /// Whether partitions without a committed offset are read from their ends instead of their beginnings.
    private let startsAtEnd: Bool
    /// Whether the source reads until it is stopped.
    private let isEndless: Bool
    private let state = Lock(State())

    private var log: Log { context.log }
    private var counts: Counts { context.counts }

    /// Joins the group.
    ///
    /// - Throws: An environment error if no broker can be reached, or if a topic does not exist. A configuration error for
    ///   properties that do not fit together.
    init(_ options: KafkaSourceOptions, _ context: SourceContext) throws {
        self.context = context
        metadataBytes = options.metadataBytes
        clamps = context.rules.onDisorder == .clamp
        startsAtEnd = options.start == .latest
        isEndless = options.until == .stopped
        let configuration = try options.kafka.configuration([
            ("group.id", options.group), ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"),
            // If the message at a committed offset no longer exists, read on from the oldest message, so that as few as possible
            // are skipped.
            ("auto.offset.reset", "earliest"), ("enable.partition.eof", "true"),
            // A response must fit the largest message, and should fit many small ones.
            ("max.partition.fetch.bytes", String(max(1 << 20, options.kafka.maxMessageBytes))),
            ("fetch.max.bytes", String(max(50 << 20, options.kafka.maxMessageBytes))),
            ("receive.message.max.bytes", String(max(50 << 20, options.kafka.maxMessageBytes) + (1 << 20))),
        ])
        rd_kafka_conf_set_rebalance_cb(configuration.pointer) { client, code, list, opaque in
            guard let client, let list else { return }
            let change = KafkaPartitionList(list, isAssignment: KafkaCode(code) == .assigned)
            if change.isAssignment { KafkaEvents.of(opaque)?.onRebalance.noteAssignment() }
            guard let body = KafkaEvents.of(opaque)?.onRebalance.value else { return change.carryOut(client) }
            body(change)
        }
        let events = KafkaEvents(context.log, context.counts)
        client = try KafkaClient(RD_KAFKA_CONSUMER, configuration, events)
        for topic in options.topics where !topic.hasPrefix("^") {
            try client.check(topic, milliseconds: options.connectMs, context.stop)
        }
        rd_kafka_poll_set_consumer(client.pointer)
        events.onRebalance.set { [weak self] list in self?.rebalance(list) }
        guard let list = rd_kafka_topic_partition_list_new(Int32(options.topics.count)) else { return }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for topic in options.topics { rd_kafka_topic_partition_list_add(list, topic, -1) }
        let code = KafkaCode(rd_kafka_subscribe(client.pointer, list))
        if code != .none { throw code.error(about: "topics \(options.topics.joined(separator: ", "))") }
    }

    // MARK: Reading

    /// Whether all assigned partitions have been read to their ends. `false` if no partition is assigned.
    var isAtEnd: Bool {
        state.withLock { !$0.partitions.isEmpty && $0.partitions.values.allSatisfy(\.isAtEnd) }
    }

    /// Reads at most `count` messages: waits up to `milliseconds` for the first one, and takes those that have already arrived.
    /// Stops when the group revokes partitions.
    ///
    /// - Parameter body: Processes a message of a partition.
    /// - Throws: An environment error if the client cannot continue.
    func read(
        atMost count: Int, milliseconds: Int32, _ body: (borrowing KafkaMessage, KafkaPartition) -> Void
    ) throws {
        var taken = 0
        var current: (source: (topic: OpaquePointer?, partition: Int32), partition: KafkaPartition?)?
        while taken < count, !isRevoked {
            guard let pointer = rd_kafka_consumer_poll(client.pointer, taken == 0 ? milliseconds : 0) else { break }
            let message = KafkaMessage(pointer)
            switch message.code {
            case .none, .partitionEnd:
                // Consecutive messages are often of the same partition, so look it up only when it changes.
                if current.map({ $0.source != message.source }) ?? true {
                    current = (message.source, partition(of: message))
                }
                // Skip a message whose partition is no longer assigned to this member. The new owner reads it.
                guard let partition = current?.partition else { continue }
                partition.isAtEnd = message.code == .partitionEnd
                guard message.code == .none else {
                    // The partition may end with the marks of transactions, which have offsets but are no messages.
                    partition.next = max(partition.next, message.offset)
                    if taken == 0 { return }
                    continue
                }
                taken += 1
                if message.offset < partition.next { reset(partition, at: message.offset) }
                partition.next = message.offset + 1
                body(message, partition)
            case .unknownTopic where isEndless && message.topic.hasPrefix("^"):
                // A topic that matches the pattern may be created later.
                log(.info, "no topic matches \(message.topic) yet")
            case let code:
                client.events.note(code, message.text, about: message.topic.isEmpty ? nil : "topic \(message.topic)")
                if let failure = client.events.failure { throw failure }
            }
        }
        if taken > 0 { client.events.noteProgress() }
        if let failure = client.events.failure { throw failure }
    }

    /// Resets a partition whose offsets have gone back, because its log was truncated or its topic was recreated.
    private func reset(_ partition: KafkaPartition, at offset: Int64) {
        log(.warning, "\(partition.id): continues at offset \(offset), before \(partition.next): its log was reset")
        context.forgetWritten(of: partition.id.description)
        state.withLock { _ in partition.beginAnew() }
    }

    private func partition(of message: borrowing KafkaMessage) -> KafkaPartition? {
        let id = KafkaPartitionID(topic: message.topic, number: message.partition)
        return state.withLock { $0.partitions[id] }
    }

    /// Records that the pipeline has taken over everything that was read.
    func noteHandedOver() {
        state.withLock { state in
            for partition in state.partitions.values { partition.takeOver() }
        }
    }

    // MARK: Committing

    /// Whether there may be something new to commit.
    var hasUncommitted: Bool {
        state.withLock { state in state.partitions.values.contains(where: \.hasUncommitted) }
    }

    /// Returns what can be committed now, or `nil` if there is nothing new to commit and no partition was lost.
    func position(_ held: HeldStreams) -> KafkaPosition? {
        let (position, warnsOf) = state.withLock { state -> (KafkaPosition, KafkaPartitionID?) in
            var position = KafkaPosition(
                consumer: self, hasLost: state.hasLost, isLast: state.isLeaving || state.revoked != nil)
            var inexact: KafkaPartitionID?
            for (id, partition) in state.partitions.sorted(by: { $0.key < $1.key })
            where !state.isClosed && !partition.isLost {
                guard let (commit, isExact) = partition.commit(held, metadataBytes: metadataBytes) else { continue }
                position.entries.append(KafkaPosition.Entry(partition: id, commit: commit))
                if !isExact { inexact = inexact ?? id }
            }
            position.isExact = inexact == nil
            defer { state.hasWarned = state.hasWarned || inexact != nil }
            return (position, state.hasWarned ? nil : inexact)
        }
        if let partition = warnsOf {
            log(
                .warning,
                "\(partition): the streams with frames that are held do not fit into \(metadataBytes) bytes, so messages are read again after a failure, and transactions wait until fewer streams are held, or end the run before they time out; more partitions help, or a larger metadata_bytes with offset.metadata.max.bytes of the brokers",
                code: "kafka.metadata")
        }
        return position.entries.isEmpty && !position.hasLost ? nil : position
    }

    /// Records that a position was committed.
    func noteCommitted(_ position: KafkaPosition) {
        counts.add("commits")
        state.withLock { state in
            (state.hasLost, state.wasRefused) = (false, false)
            for entry in position.entries {
                state.partitions[entry.partition]?.noteCommitted(entry.commit)
            }
        }
    }

    /// Records that a commit of this member was not accepted. Logs it, unless the previous one was not accepted either.
    ///
    /// - Parameter isLast: Whether no later commit makes up for it. This is always logged.
    func noteRefused(_ code: KafkaCode, isLast: Bool) {
        let isFirst = state.withLock { state in
            defer { state.wasRefused = true }
            return !state.wasRefused
        }
        if isLast {
            log(
                .warning,
                "the last offsets were not committed, so messages since the commit before are read again: \(code.message)",
                code: "kafka.uncommitted")
        } else if isFirst {
            log(.info, "offsets were not committed: \(code.message)")
        }
    }

    /// Records the lag: how many messages in the assigned partitions have not been read yet. Only the source's thread may call it.
    func noteLag() {
        let positions = state.withLock { state in state.partitions.values.map { ($0.id, $0.next) } }
        var lag: Int64 = 0
        for (id, next) in positions {
            var (low, high): (Int64, Int64) = (0, 0)
            guard rd_kafka_get_watermark_offsets(client.pointer, id.topic, id.number, &low, &high).rawValue == 0
            else { continue }
            lag += max(0, high - max(next, low))
        }
        counts.set(level: "lag", lag)
    }

    // MARK: The group

    /// Whether the group has revoked partitions that this member has not given up yet (``giveUp()``).
    var isRevoked: Bool { state.withLock { $0.revoked != nil } }

    /// The streams of the revoked partitions; `nil` if none are revoked.
    var revokedStreams: Set<StreamID>? {
        state.withLock { state in
            state.revoked.map { list in
                list.partitions.reduce(into: []) { $0.formUnion(state.partitions[$1]?.streams ?? []) }
            }
        }
    }

    /// Records that the member gives up all partitions after the next commit.
    func willLeave() { state.withLock { $0.isLeaving = true } }

    /// All streams of the assigned partitions.
    var streams: Set<StreamID> {
        state.withLock { state in
            state.partitions.values.reduce(into: []) { $0.formUnion($1.streams) }
        }
    }

    /// Forgets the revoked partitions, whose streams were released, so that nothing more of them is committed.
    func forgetRevoked() {
        forget(state.withLock { $0.revoked?.partitions ?? [] })
    }

    /// Forgets all partitions, whose streams were released, so that nothing more of them is committed.
    func forgetAll() { forget(state.withLock { Array($0.partitions.keys) }) }

    private func forget(_ partitions: [KafkaPartitionID]) {
        for id in partitions { context.forgetWritten(of: id.description) }
        state.withLock { state in for id in partitions { state.partitions[id] = nil } }
    }

    /// Gives up the revoked partitions. The pipeline must hold nothing of their streams any more.
    func giveUp() {
        forgetRevoked()
        let list = state.withLock { state in
            defer { state.revoked = nil }
            return state.revoked
        }
        list?.carryOut(client.pointer)
    }

    /// Leaves the group, and waits at most two seconds for that.
    ///
    /// Leaving can take longer: librdkafka first waits for the answer to a pending request to join, and brokers answer only when
    /// all members have joined. In that case, the group notices after `session.timeout.ms` that the member is gone.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        // From now on, rebalances are carried out without the source.
        client.events.onRebalance.set(nil)
        giveUp()
        guard let hasLeft = try? WakePipe() else { return }
        startThread { [client] in
            rd_kafka_consumer_close(client.pointer)
            hasLeft.signal()
        }
        hasLeft.wait(forMs: 2000)
    }

    deinit { close() }

    /// Takes over assigned partitions, or notes which partitions are revoked. librdkafka calls this while the source's thread waits
    /// for messages.
    private func rebalance(_ list: KafkaPartitionList) {
        counts.add("rebalances")
        guard !list.isAssignment else { return take(over: list) }
        say("no longer reads", list)
        let isLost = rd_kafka_assignment_lost(client.pointer) != 0
        state.withLock { state in
            for id in list.partitions where isLost {
                guard let partition = state.partitions[id] else { continue }
                partition.isLost = true
                state.hasLost = state.hasLost || partition.hasUncommitted || !partition.pending.isEmpty
            }
            // The source commits before it gives them up.
            state.revoked = list
        }
        if isLost { log(.warning, "the group has given these partitions to another member", code: "kafka.lost") }
    }

    /// Takes over partitions at the positions that their previous owners have committed.
    private func take(over list: KafkaPartitionList) {
        do {
            let began = SystemClock().now
            var hasLogged = false
            let known = try list.fetchCommitted(client.pointer) { reason in
                if !hasLogged, SystemClock().now - began > 5_000_000_000 {
                    hasLogged = true
                    log(.warning, "waits for the committed offsets of the group: \(reason.message)")
                }
                return !context.stop.isRequested
            }
            // Nothing is read before a stop, and nothing is committed.
            guard var committed = known else { return list.carryOut(client.pointer) }
            if startsAtEnd {
                // The ends are committed at the next commit point. Otherwise, a later owner would begin at a later end and skip
                // messages.
                for (id, offset) in try list.beginAtEnd(client.pointer, except: Set(committed.keys)) {
                    committed[id] = KafkaPartitionList.Committed(offset: offset, metadata: nil)
                }
            }
            state.withLock { state in
                for id in list.partitions {
                    let known = committed[id].map {
                        PartitionProgress(from: $0.offset, metadata: $0.metadata, clamps: clamps)
                    }
                    context.noteWritten(known?.written ?? [:], of: id.description)
                    state.partitions[id] = KafkaPartition(id, resumed: known, clamps: clamps)
                }
            }
        } catch {
            client.events.fail(PipelineError(wrapping: error))
        }
        say("reads", list)
        list.carryOut(client.pointer)
    }

    private func say(_ what: String, _ list: KafkaPartitionList) {
        guard !list.partitions.isEmpty else { return }
        log(.info, "\(what) " + list.partitions.sorted().map(\.description).joined(separator: ", "))
    }
}
