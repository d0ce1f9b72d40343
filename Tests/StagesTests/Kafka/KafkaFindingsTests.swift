import Pipeline
import PipelineConfiguration
import Testing

@testable import Connectors

@Suite("Findings about Kafka")
struct KafkaFindingsTests {
    private func findings(topics: String = "strokes", source: String = "", sink: String = "") -> String {
        let text = """
            version: 1
            sources: [kafka: { id: in, brokers: ["127.0.0.1:9092"], topics: [\(topics)], group: g\(source) }]
            sinks: [kafka: { id: out, brokers: ["127.0.0.1:9092"], topic: results\(sink) }]

            """
        let loaded = PipelineLoader(registry: .standard).load(text: text, name: "a.yaml")
        return DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
    }

    @Test("Kafka: a source that commits more rarely than a transaction of a sink may last is an error with a remedy")
    func commitInterval() {
        let found = findings(source: ", commit_ms: 20000", sink: ", delivery: exactly_once")
        #expect(
            found.contains(
                "error[commit.interval]: \"in\" commits every 20000 ms, but a transaction of \"out\" ends after 20000 ms"
            ))
        #expect(found.contains("--> a.yaml:2:97"), "\(found)")
        #expect(found.contains("set client: { transaction.timeout.ms: … } at the sink"))
    }

    @Test(
        "Kafka: a long commit_ms is accepted without transactions, with longer transactions, and below their duration",
        arguments: [
            (3_600_000, ""), (30_000, ", delivery: exactly_once, client: { transaction.timeout.ms: 60000 }"),
            (19_999, ", delivery: exactly_once"),
        ])
    func accepted(milliseconds: Int, sink: String) {
        #expect(findings(source: ", commit_ms: \(milliseconds)", sink: sink) == "")
    }

    @Test("Kafka: a topic that is named twice and a pattern that is no regular expression are errors")
    func topics() {
        let twice = findings(topics: "a, b, a")
        #expect(twice.contains("error[kafka.topic]: \"a\" is there twice"), "\(twice)")
        #expect(twice.contains("--> a.yaml:2:72"), "\(twice)")
        let pattern = findings(topics: "\"^pens-(\"")
        #expect(pattern.contains("error[kafka.topic]: \"^pens-(\" is not a regular expression: "), "\(pattern)")
        #expect(findings(topics: "a, \"^pens-[0-9]+\"") == "")
        // Only a pattern is a regular expression.
        #expect(findings(topics: "\"pens-(\"") == "")
    }

    @Test(
        "Kafka: a property whose number librdkafka would read as another one is an error",
        arguments: [
            ("transaction.timeout.ms: 99999999999999", "transaction.timeout.ms would be 276447231"),
            ("message.timeout.ms: 12x", "message.timeout.ms would be 12"),
            ("retries: 010", "retries would be 8"),
        ])
    func numbers(property: String, problem: String) {
        let found = findings(sink: ", client: { \(property) }")
        #expect(found.contains("error[kafka.property]: \(problem) with the value"), "\(found)")
        #expect(found.contains("--> a.yaml:3:"), "\(found)")
    }

    @Test("Kafka: numbers, names of numbers, fractions and switches are accepted as properties")
    func properties() {
        #expect(
            findings(
                sink:
                    ", client: { acks: all, retries: 3, linger.ms: 0.5, socket.keepalive.enable: true, client.rack: \"007\" }"
            ) == "")
        let large = findings(sink: ", client: { linger.ms: 99999999999999 }")
        #expect(large.contains("is outside allowed range 0..900000\n"), "\(large)")
    }
}
