import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors

@Suite("Kafka without brokers")
struct KafkaConnectTests {
    // No broker answers there, and the components would wait for ten minutes.
    @Test(
        "A run that is stopped while it waits for brokers ends, and says that no broker answers",
        .timeLimit(.minutes(1)),
        arguments: ["at_least_once", "exactly_once"])
    func stop(delivery: String) async throws {
        let loaded = PipelineLoader(registry: .standard)
            .load(
                text: """
                    version: 1
                    mode: live
                    sources:
                      - kafka: { brokers: ["127.0.0.1:1"], topics: [a], group: g, kind: stroke, connect_ms: 600000 }
                    sinks:
                      - kafka: { id: out, brokers: ["127.0.0.1:1"], topic: b, delivery: \(delivery), connect_ms: 600000 }
                    """,
                name: "test.yaml")
        let run = Run(try #require(loaded.plan, "\(loaded.diagnostics)"))
        run.start()
        try await Task.sleep(for: .milliseconds(100))
        run.stop()
        let report = await run.finished()
        #expect(report.failures.first?.error.message.contains("no broker answers") == true, "\(report.failures)")
        #expect(report.notEnded == [])
    }
}
