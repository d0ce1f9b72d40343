import CKafka
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The offsets up to which the messages of a consumer are accounted for.
struct KafkaPosition: CommitPosition {
    /// The offset to commit for one partition.
    struct Entry: Sendable {
        let partition: KafkaPartitionID
        let commit: PartitionProgress.Commit
    }

    let consumer: KafkaConsumer
    var entries: [Entry] = []

    /// Whether the member has lost a partition with messages that were not committed. Another member processes these again.
    let hasLost: Bool

    /// Whether the offsets and their metadata say exactly which messages are accounted for. If not, messages that are accounted for
    /// are read again after a failure.
    var isExact = true

    /// Whether the member gives up partitions after this commit, so that no later commit covers their messages.
    let isLast: Bool

    init(consumer: KafkaConsumer, hasLost: Bool, isLast: Bool) {
        (self.consumer, self.hasLost, self.isLast) = (consumer, hasLost, isLast)
    }

    func commit() throws {
        try withOffsets { list in
            let code = KafkaCode(rd_kafka_commit(consumer.client.pointer, list, 0))
            switch code {
            case .none, .noOffset: noteCommitted()
            // The partitions are about to move. Their next owners read again from the last commit.
            case .illegalGeneration, .unknownMember, .rebalancing: consumer.noteRefused(code, isLast: isLast)
            // A later commit makes up for it. Without one, these messages are read again after the next start.
            case _ where code.isTransient: consumer.noteRefused(code, isLast: isLast)
            default: throw code.error(about: "the offsets were not committed")
            }
        }
    }

    func noteCommitted() { consumer.noteCommitted(self) }

    /// Calls `body` with the offsets as a list of librdkafka, which is valid only during the call. Does nothing if there are no
    /// offsets.
    func withOffsets(_ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) throws -> Void) throws {
        guard !entries.isEmpty, let list = rd_kafka_topic_partition_list_new(Int32(entries.count)) else { return }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for entry in entries {
            guard let place = rd_kafka_topic_partition_list_add(list, entry.partition.topic, entry.partition.number)
            else { continue }
            place.pointee.offset = entry.commit.offset
            guard let metadata = entry.commit.metadata.isEmpty ? nil : strdup(entry.commit.metadata) else { continue }
            // The list frees the copy.
            (place.pointee.metadata, place.pointee.metadata_size) = (
                UnsafeMutableRawPointer(metadata), strlen(metadata)
            )
        }
        try body(list)
    }
}
