import Testing

@testable import Connectors

@Suite("Kafka: what becomes of sent messages") struct KafkaDeliveriesTests {
    @Test("Kafka: of several failures, the first one is named, because it is often the cause of the others")
    func firstFailure() throws {
        let deliveries = KafkaDeliveries()
        for code in [KafkaCode.timedOut, .transport, .transport] {
            KafkaDeliveries.note(code, of: deliveries.mark(isFrame: true), bytes: 10)
        }
        #expect(deliveries.hasFailures)
        let failed = try #require(deliveries.takeUndelivered())
        #expect(failed.code == .timedOut && failed.count == 3)
        #expect(!deliveries.hasFailures && deliveries.takeUndelivered() == nil)
    }

    @Test("Kafka: messages that are too large for their topic are counted apart, frames apart from the ends of streams")
    func tooLarge() throws {
        let deliveries = KafkaDeliveries()
        KafkaDeliveries.note(.tooLarge, of: deliveries.mark(isFrame: true), bytes: 5000)
        KafkaDeliveries.note(.tooLarge, of: deliveries.mark(isFrame: false), bytes: 60)
        KafkaDeliveries.note(.none, of: deliveries.mark(isFrame: true), bytes: 70)
        #expect(deliveries.writtenFrames == 1 && deliveries.refusedFrames == 1)
        #expect(deliveries.takeUndelivered() == nil && deliveries.hasFailures)
        let refused = try #require(deliveries.takeRefused())
        #expect(refused.messages == 2 && refused.frames == 1 && refused.largest == 5000)
        #expect(!deliveries.hasFailures)
    }
}
