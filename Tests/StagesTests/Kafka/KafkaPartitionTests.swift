import Testing

@testable import Connectors

@Suite("Kafka: a partition") struct KafkaPartitionTests {
    private let partition = KafkaPartition(KafkaPartitionID(topic: "strokes", number: 0), resumed: nil, clamps: false)

    @Test("Kafka: messages of one millisecond get different times, and a message that is read again gets the same time")
    func stamps() {
        #expect(partition.stamp(5_000_000, at: 41) == 5_000_041)
        #expect(partition.stamp(5_000_000, at: 43) == 5_000_043)
        #expect(partition.stamp(5_001_000, at: 44) == 5_001_044)
        let next = KafkaPartition(partition.id, resumed: nil, clamps: false)
        #expect(next.stamp(5_000_000, at: 43) == 5_000_043)
    }

    @Test("Kafka: the times of messages increase, however many were written in a millisecond")
    func crowdedMillisecond() {
        let times = (0..<2500).map { partition.stamp(5_000_000, at: 998 + $0) } + [partition.stamp(5_001_000, at: 3498)]
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.prefix(4) == [5_000_998, 5_000_999, 5_001_000, 5_001_001])
    }

    @Test("Kafka: a message that another producer has written earlier keeps its time")
    func otherProducer() {
        _ = partition.stamp(9_000_000, at: 1)
        #expect(partition.stamp(5_000_000, at: 2) == 5_000_002)
    }
}
