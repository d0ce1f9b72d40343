import PipelineTesting
import Testing

@Suite("kafka: runs that end, and what the next ones read", .enabled(if: KafkaCluster.canRun))
struct KafkaJobTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaCluster

    init() throws {
        (folder, cluster) = (try TemporaryFolder(), try KafkaCluster(.transactional))
        for topic in ["points", "results", "copies"] { #expect(cluster("topic \(topic) 1") == "ok") }
    }

    /// A point at (milliseconds, 0).
    private static func point(_ stream: String, _ milliseconds: Int, _ phase: String) -> String {
        """
        {"v":1,"kind":"points","stream":"\(stream)","t_us":\(milliseconds * 1000),"phase":"\(phase)","fields":"xy",\
        "pts":[\(milliseconds),0]}

        """
    }

    private func send(
        _ points: String..., topic: String = "points", delivery: String = "at_least_once"
    ) async throws {
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [stdin: { kind: points }]
            sinks: [kafka: { brokers: \(cluster.brokers), topic: \(topic), ends: false, delivery: \(delivery) }]
            """)
        let ending = try await Program.run("run", file, input: points.joined(), folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
    }

    /// Runs a pipeline that finds strokes in the topic. Returns its results.
    private func strokes(until: String) async throws -> String {
        let file = try folder.write(
            "strokes.yaml",
            """
            version: 1
            sources: [kafka: { brokers: \(cluster.brokers), topics: [points], group: hourly, kind: points, until: \(until) }]
            stages: [segment]
            sinks: [stdout: { format: jsonl }]
            """)
        let ending = try await Program.run("run", file, folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        return ending.results
    }

    @Test("kafka: with until: end, the next run continues a stroke that was being drawn at the end")
    func unfinishedStroke() async throws {
        try await send(Self.point("pen", 1, "begin"), Self.point("pen", 20, "move"))
        #expect(try await strokes(until: "end") == "")
        // The last point shows that the pause after the stroke is over.
        try await send(
            Self.point("pen", 40, "move"), Self.point("pen", 60, "end"), Self.point("pen", 1000, "begin"))
        let second = try await strokes(until: "end")
        #expect(second.split(separator: "\n").count == 1, "\(second)")
        #expect(second.contains("\"start_us\":1000,"), "\(second)")
        #expect(second.contains("\"pts\":[1,0,0,20,0,19000,40,0,39000,60,0,59000]"), "\(second)")
    }

    @Test("kafka: with until: complete, the streams end at the end of the topic")
    func completeTopic() async throws {
        try await send(Self.point("pen", 1, "begin"), Self.point("pen", 20, "end"))
        // Another stroke could still belong to the gesture.
        #expect(try await strokes(until: "end") == "")
        let last = try await strokes(until: "complete")
        #expect(last.contains("\"pts\":[1,0,0,20,0,19000]"), "\(last)")
        #expect(try await strokes(until: "complete") == "")
    }

    // At the end of one topic, its frames still wait for those of the other. In every later run, they would wait again.
    @Test("kafka: with until: end, frames that wait for another source in a merge are written")
    func merged() async throws {
        try await send((1...5).map { Self.point("pen/1", 10 * $0, "move") }.joined())
        try await send(Self.point("pen/2", 15, "move"), topic: "copies")
        let file = try folder.write(
            "merged.yaml",
            """
            version: 1
            sources:
              - kafka: { id: a, brokers: \(cluster.brokers), topics: [points], group: a, kind: points, until: end }
              - kafka: { id: b, brokers: \(cluster.brokers), topics: [copies], group: b, kind: points, until: end }
            sinks: [stdout: { from: [a, b], format: jsonl }]
            """)
        for count in [6, 0] {
            let ending = try await Program.run("run", file, folder: folder.path)
            #expect(ending.code == 0, "\(ending.messages)")
            #expect(ending.results.split(separator: "\n").count == count, "\(ending.messages)")
        }
    }

    @Test("kafka: a run whose held streams do not fit into the metadata ends before its transaction times out")
    func longTransaction() async throws {
        try await send((0..<60).map { Self.point("pen/\($0)", 1, "begin") }.joined())
        let sink = "brokers: \(cluster.brokers), delivery: exactly_once, client: { transaction.timeout.ms: 5000 }"
        let file = try folder.write(
            "endless.yaml",
            """
            version: 1
            sources:
              - kafka:
                  id: pens
                  brokers: \(cluster.brokers)
                  topics: [points]
                  group: lab
                  kind: points
                  commit_ms: 100
                  metadata_bytes: 64
            stages: [segment]
            sinks:
              - kafka: { topic: results, \(sink) }
              - kafka: { id: copies, from: pens, topic: copies, \(sink) }
            """)
        let ending = try await Program.run("run", file, folder: folder.path)
        #expect(ending.code == 3, "\(ending.messages)")
        #expect(ending.messages.contains("error[kafka.metadata]"), "\(ending.messages)")
    }

    // A transaction ends with a mark, which has an offset but is no message.
    @Test("kafka: the lag of a topic that was written in transactions becomes 0")
    func lag() async throws {
        try await send(Self.point("pen", 1, "begin"), Self.point("pen", 20, "end"), delivery: "exactly_once")
        let file = try folder.write(
            "endless.yaml",
            """
            version: 1
            sources:
              - kafka: { brokers: \(cluster.brokers), topics: [points], group: lab, kind: points, commit_ms: 100 }
            sinks: [discard]
            """)
        let ending = try await Program.run("run", file, "--duration=5", folder: folder.path)
        #expect(ending.code == 0 && ending.messages.contains("lag 0"), "\(ending.messages)")
    }

    @Test("kafka: a pattern that matches no topic is an error of a run that ends, which names it; other runs wait")
    func pattern() async throws {
        for (until, code, words) in [
            ("end", 3, "topic ^nothing: there is no such topic"), ("stopped", 0, "no topic matches ^nothing yet"),
        ] as [(String, Int32, String)] {
            let file = try folder.write(
                "pattern.yaml",
                """
                version: 1
                sources: [kafka: { brokers: \(cluster.brokers), topics: ["^nothing"], group: lab, until: \(until) }]
                sinks: [discard]
                """)
            let ending = try await Program.run("run", file, "--duration=3", folder: folder.path)
            #expect(ending.code == code, "\(ending.messages)")
            #expect(ending.messages.contains(words), "\(ending.messages)")
        }
    }
}
