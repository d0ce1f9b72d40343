import CKafka
import Pipeline
import Synchronization

/// The transactions of a run, one after another. Each transaction contains everything that the sinks write between two commit
/// points, and the offsets of the messages that this output was made from.
///
/// All `kafka` sinks of a run with `delivery: exactly_once` and the same identity share one instance.
final class KafkaTransaction: Sendable {
    private struct State {
        var isOpen = false
        /// When the first message of the open transaction was sent; `nil` if none was.
        var sentAt: Int64?
    }

    let client: KafkaClient
    private let counts: Counts
    /// How long the first message of a transaction may wait for an exact position, in nanoseconds.
    private let longestWait: Int64
    private let state = Lock(State())

    /// The property with the time after which the brokers abort an open transaction, and its default. The option `client` can
    /// set another value.
    static var timeout: (name: String, milliseconds: Int) { ("transaction.timeout.ms", 20_000) }

    /// The longest time that one step of a transaction may take, in milliseconds.
    private static var stepLimitMs: Int32 { 30_000 }

    /// Returns the transactions of the sink's run.
    static func shared(_ options: KafkaSinkOptions, _ context: SinkContext) throws -> KafkaTransaction {
        let identity = options.transactionalId ?? "pipeline-" + randomName()
        let key = "kafka.transaction " + (options.transactionalId ?? "") + options.kafka.brokers.joined(separator: ",")
        return try context.shared(key) {
            let transaction = try KafkaTransaction(identity, options, context)
            context.commits { [transaction] in try transaction.commit($0) }
            return transaction
        }
    }

    /// Connects to the brokers, and ends the transaction that an earlier process with the same identity has left open.
    ///
    /// - Throws: An environment error if no broker can be reached.
    private init(_ identity: String, _ options: KafkaSinkOptions, _ context: SinkContext) throws {
        counts = context.counts
        client = try KafkaProducer.client(
            options, context,
            [
                ("transactional.id", identity), (Self.timeout.name, "\(Self.timeout.milliseconds)"),
            ])
        // 80 % of the timeout, so that the brokers do not abort the transaction first. The client has checked the timeout.
        longestWait = Int64(options.transactionTimeoutMs) * 800_000
        // Checked first, because this call describes a problem with the brokers more precisely than the next one.
        try client.check(options.topic, milliseconds: options.connectMs, context.stop)
        try attempt("the transactional_id \(identity) cannot be used") {
            rd_kafka_init_transactions(client.pointer, max(Int32(options.connectMs), Self.stepLimitMs))
        }
    }

    deinit {
        // Abort the open transaction, so that readers need not wait until it times out.
        guard state.withLock({ $0.isOpen }), let error = rd_kafka_abort_transaction(client.pointer, 5000) else {
            return
        }
        rd_kafka_error_destroy(error)
    }

    private static func randomName() -> String {
        (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max), radix: 16) }.joined()
    }

    /// Begins the first transaction. Later calls do nothing.
    func begin() throws {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        if isFirst { try attempt(Self.notBegun) { rd_kafka_begin_transaction(client.pointer) } }
    }

    /// Records that a message was sent in the transaction.
    func noteSent() {
        state.withLock { if $0.sentAt == nil { $0.sentAt = SystemClock().now } }
    }

    /// Commits the messages that were sent together with the positions of Kafka sources, and begins the next transaction.
    ///
    /// If a position is not exact (``KafkaPosition/isExact``), nothing is committed until the next commit point.
    ///
    /// - Returns: The positions of other sources.
    /// - Throws: An environment error if the transaction cannot be committed, or if no later commit point can commit it: because
    ///   partitions are about to be given up at a position that is not exact, or because the transaction is about to time out.
    ///   In all cases, the transaction is aborted, and the run must end, because its stages are ahead of the last commit.
    private func commit(_ positions: [any CommitPosition]) throws -> [any CommitPosition] {
        let own = positions.compactMap { $0 as? KafkaPosition }
        let others = positions.filter { !($0 is KafkaPosition) }
        // An inexact position waits for a later commit point, unless there is none.
        let isExact = own.allSatisfy(\.isExact)
        let sentAt = state.withLock { $0.sentAt }
        let mayWait = sentAt.map { SystemClock().now - $0 < longestWait } ?? true
        if !isExact, mayWait, !own.contains(where: \.isLast) { return others }
        guard sentAt != nil || !own.isEmpty else { return others }
        state.withLock { $0.sentAt = nil }
        do {
            if let failure = client.events.failure { throw failure }
            guard isExact else { throw Self.inexact }
            for position in own {
                guard !position.hasLost, let metadata = position.groupMetadata else { throw Self.lost }
                defer { rd_kafka_consumer_group_metadata_destroy(metadata) }
                // Checked after reading the metadata. Otherwise, a member that has lost its partitions could send the metadata of a
                // newer generation.
                guard rd_kafka_assignment_lost(position.consumer.client.pointer) == 0 else { throw Self.lost }
                try position.withOffsets { list in
                    try attempt {
                        rd_kafka_send_offsets_to_transaction(client.pointer, list, metadata, Self.stepLimitMs)
                    }
                }
            }
            try attempt { rd_kafka_commit_transaction(client.pointer, Self.stepLimitMs) }
        } catch {
            if let problem = rd_kafka_abort_transaction(client.pointer, Self.stepLimitMs) {
                rd_kafka_error_destroy(problem)
            }
            throw error
        }
        counts.add("transactions")
        for position in own { position.noteCommitted() }
        try attempt(Self.notBegun) { rd_kafka_begin_transaction(client.pointer) }
        return others
    }

    private static let notBegun = "no transaction was begun"

    private static var lost: PipelineError {
        .environment(
            "kafka.lost", "the group has given partitions of this process to another member",
            help: "nothing is lost: what was not committed is processed again there; start this process again")
    }

    private static var inexact: PipelineError {
        .environment(
            "kafka.metadata",
            "the streams with frames that are held do not fit into metadata_bytes, so the transaction was aborted",
            help:
                "nothing is lost: what was not committed is processed again; more partitions help, or a larger metadata_bytes with offset.metadata.max.bytes of the brokers, or a longer transaction.timeout.ms, of which a transaction waits 80 %"
        )
    }

    /// Carries out a step of a transaction. Repeats it while librdkafka reports a retriable error, at most ten times in all.
    ///
    /// - Parameter failure: What has failed if the step cannot be carried out, for messages.
    private func attempt(
        _ failure: String = "the transaction was not committed", _ step: () -> OpaquePointer?
    ) throws {
        var tries = 0
        while let error = step() {
            defer { rd_kafka_error_destroy(error) }
            tries += 1
            guard rd_kafka_error_is_retriable(error) != 0, tries < 10 else {
                let code = KafkaCode(rd_kafka_error_code(error))
                let text = rd_kafka_error_string(error).map { String(cString: $0) } ?? code.message
                throw rd_kafka_error_is_fatal(error) != 0
                    ? KafkaCode.fatal.error(about: "the transaction", text)
                    : PipelineError.environment(
                        "kafka.transaction", "\(failure): \(text)",
                        help: "nothing is lost: start this process again, and it continues from the last transaction")
            }
        }
    }
}

extension KafkaPosition {
    /// The identity of the consumer in its group. The caller must destroy it.
    fileprivate var groupMetadata: OpaquePointer? { rd_kafka_consumer_group_metadata(consumer.client.pointer) }
}
