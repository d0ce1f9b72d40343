import Testing

@Suite("Kafka: a partition that many processes read one after another") struct PartitionHistoryTests {
    private let seeds = 1...60 as ClosedRange<UInt64>

    @Test(
        "Kafka partition read by many processes: each result is written once",
        arguments: [
            PartitionHistory.Times.increasing, .restarting,
        ])
    func exactlyOnce(times: PartitionHistory.Times) {
        for seed in seeds {
            var history = PartitionHistory(seed: seed, times: times)
            #expect(history.written() == history.expected, "seed \(seed)")
        }
    }

    @Test(
        "Kafka partition read by many processes: no result is lost if timestamps do not increase",
        arguments: [PartitionHistory.Times.repeated, .clamped])
    func atLeastOnce(times: PartitionHistory.Times) {
        for seed in seeds {
            var history = PartitionHistory(seed: seed, times: times)
            let missing = Set(history.expected).subtracting(history.written())
            #expect(missing.isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "Kafka partition read by many processes: a deliberate error in a commit is noticed",
        arguments: [PartitionHistory.Sabotage.oneFrameTooMany, .noText, .oneMessageTooFar])
    func sabotage(_ sabotage: PartitionHistory.Sabotage) {
        let noticed = seeds.filter { seed in
            var history = PartitionHistory(seed: seed, times: .increasing, sabotage: sabotage)
            return history.written() != history.expected
        }
        #expect(noticed.count > 20)
    }
}
