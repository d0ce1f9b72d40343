import CKafka
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Partitions that the group assigns to a member or revokes from it.
// `@unchecked Sendable`: only the thread that handles the rebalance modifies the list, before it hands the object on.
final class KafkaPartitionList: @unchecked Sendable {
    let partitions: [KafkaPartitionID]
    /// Whether the partitions are assigned; `false` if they are revoked.
    let isAssignment: Bool
    private let list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?

    /// Copies a list that librdkafka passes to the callback of a rebalance.
    init(_ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>, isAssignment: Bool) {
        self.isAssignment = isAssignment
        self.list = rd_kafka_topic_partition_list_copy(list)
        partitions = (0..<Int(list.pointee.cnt)).map { KafkaPartitionID(list.pointee.elems[$0]) }
    }

    deinit { if let list { rd_kafka_topic_partition_list_destroy(list) } }

    /// Carries out the rebalance: takes over the partitions at the offsets in the list, or gives them up.
    func carryOut(_ client: OpaquePointer) {
        guard let list else { return }
        // The eager protocol always assigns or revokes all partitions.
        guard rd_kafka_rebalance_protocol(client).map({ String(cString: $0) }) == "COOPERATIVE" else {
            rd_kafka_assign(client, isAssignment ? list : nil)
            return
        }
        let error =
            isAssignment ? rd_kafka_incremental_assign(client, list) : rd_kafka_incremental_unassign(client, list)
        if let error { rd_kafka_error_destroy(error) }
    }

    /// Sets the offsets in the list to the ends of the partitions, except for the `known` partitions.
    ///
    /// - Returns: The ends, as offsets.
    /// - Throws: An environment error if no broker answers.
    func beginAtEnd(_ client: OpaquePointer, except known: Set<KafkaPartitionID>) throws -> [KafkaPartitionID: Int64] {
        guard let list else { return [:] }
        var ends: [KafkaPartitionID: Int64] = [:]
        for index in 0..<Int(list.pointee.cnt) {
            let id = KafkaPartitionID(list.pointee.elems[index])
            guard !known.contains(id) else { continue }
            var (low, high): (Int64, Int64) = (0, 0)
            let code = KafkaCode(rd_kafka_query_watermark_offsets(client, id.topic, id.number, &low, &high, 10_000))
            guard code == .none else { throw code.error(about: "the end of \(id) cannot be read") }
            list.pointee.elems[index].offset = high
            ends[id] = high
        }
        return ends
    }

    /// A commit of the group for one partition.
    struct Committed {
        let offset: Int64
        let metadata: String?
    }

    /// Returns the commits of the group by partition, and sets the offsets in the list to them. The result does not contain
    /// partitions without a commit.
    ///
    /// Waits while no broker answers, and while a transaction of another member is open, because its offsets are not known yet.
    ///
    /// - Parameter onWait: Called with the reason before each further attempt. Returns whether to go on.
    /// - Returns: `nil` if `onWait` has ended the waiting.
    /// - Throws: An environment error if waiting does not help.
    func fetchCommitted(
        _ client: OpaquePointer, onWait: (KafkaCode) -> Bool
    ) throws -> [KafkaPartitionID: Committed]? {
        guard let list, !partitions.isEmpty else { return [:] }
        while true {
            let code = KafkaCode(rd_kafka_committed(client, list, 1000))
            let elements = (0..<Int(list.pointee.cnt)).map { list.pointee.elems[$0] }
            let problem = code == .none ? elements.lazy.map { KafkaCode($0.err) }.first { $0 != .none } : code
            guard let problem else {
                var committed: [KafkaPartitionID: Committed] = [:]
                for element in elements where element.offset >= 0 {
                    committed[KafkaPartitionID(element)] = Committed(
                        offset: element.offset, metadata: element.text)
                }
                return committed
            }
            guard problem == .unstableOffset || problem.isTransient else {
                throw problem.error(about: "the committed offsets of the group cannot be read")
            }
            guard onWait(problem) else { return nil }
            usleep(100_000)
        }
    }
}

extension KafkaPartitionID {
    init(_ element: rd_kafka_topic_partition_t) {
        self.init(topic: element.topic.map { String(cString: $0) } ?? "", number: element.partition)
    }
}

extension rd_kafka_topic_partition_t {
    /// The metadata of a committed offset.
    fileprivate var text: String? {
        metadata.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: metadata_size), as: UTF8.self) }
    }
}
