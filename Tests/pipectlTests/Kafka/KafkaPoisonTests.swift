import Foundation
import PipelineTesting
import Testing

@Suite("kafka: messages that cannot be read", .enabled(if: KafkaCluster.canRun))
struct KafkaPoisonTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaCluster

    init() throws {
        (folder, cluster) = (try TemporaryFolder(), try KafkaCluster(.transactional))
        #expect(cluster("topic strokes 1") == "ok")
        #expect(cluster("topic dead 1") == "ok")
    }

    private static func stroke(_ number: Int, _ points: Int = 2) -> String {
        let pts = (0..<points).map { "\($0).5,\(number)" }.joined(separator: ",")
        return """
            {"v":1,"kind":"stroke","stream":"pen","seq":\(number),"t_us":\(1000 * (number + 1)),\
            "start_us":\(1000 * (number + 1)),"fields":"xy","pts":[\(pts)]}

            """
    }

    private func send(_ kind: String, _ lines: String, _ encode: String = "json") async throws {
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [stdin: { kind: \(kind) }]
            sinks: [kafka: { brokers: \(cluster.brokers), topic: strokes, encode: \(encode), ends: false }]
            """)
        let ending = try await Program.run("run", file, input: lines, folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
    }

    private func read(_ onError: String, _ more: String = "", topic: String = "strokes") throws -> String {
        try folder.write(
            "read-\(onError)-\(topic).yaml",
            """
            version: 1
            sources:
              - kafka:
                  { id: pens, brokers: \(cluster.brokers), topics: [\(topic)], group: lab, until: end, on_error: \(onError) }
            sinks:
              - stdout: { from: pens, format: jsonl }
            \(more)
            """)
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test(
        "kafka: an unreadable message at the head of a partition is an error with its offset, or is routed to another topic"
    )
    func poison() async throws {
        // MessagePack, where JSON is expected.
        try await send("stroke", Self.stroke(0), "msgpack")
        try await send("stroke", Self.stroke(1) + Self.stroke(2))
        // Each run reads the unreadable message again, because no offset beyond it was committed.
        for _ in 0..<2 {
            let failed = try await Program.run("run", try read("fail"), folder: folder.path)
            #expect(failed.code == 1, "\(failed.messages)")
            #expect(failed.messages.contains("strokes/0, offset 0"), "\(failed.messages)")
        }
        let routed = try await Program.run(
            "run",
            try read(
                "route",
                "  - kafka: { id: dead, from: pens.errors, brokers: \(cluster.brokers), topic: dead, delivery: at_least_once }"
            ),
            folder: folder.path)
        #expect(routed.code == 0, "\(routed.messages)")
        #expect(lines(routed.results).count == 2, "\(routed.messages)")
        #expect(routed.messages.contains(/dead +1 +1 +0 +0/), "\(routed.messages)")
        // The offset is committed beyond all messages, including the unreadable one.
        let rest = try await Program.run("run", try read("skip"), folder: folder.path)
        #expect(rest.code == 0 && rest.results.isEmpty, "\(rest.messages)")
    }

    @Test("kafka: a message of 10 MB arrives whole")
    func large() async throws {
        let stroke = Self.stroke(0, 1_000_000)
        #expect(stroke.utf8.count > 10_000_000)
        try await send("stroke", stroke)
        let read = try await Program.run("run", try read("fail"), folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        #expect(read.results == stroke)
    }

    @Test("kafka: a sink writes its headers into every message, and a source takes the name of a stream from a header")
    func headers() async throws {
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [stdin: { kind: stroke }]
            sinks:
              - kafka: { brokers: \(cluster.brokers), topic: strokes, headers: { pen: left, model: shapes-3 } }
            """)
        _ = try await Program.run("run", file, input: Self.stroke(0) + Self.stroke(1), folder: folder.path)
        let reader = try folder.write(
            "read.yaml",
            """
            version: 1
            sources:
              - kafka: { brokers: \(cluster.brokers), topics: [strokes], group: lab, until: end, stream_header: pen }
            sinks: [stdout: { format: jsonl }]
            """)
        let read = try await Program.run("run", reader, folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        #expect(lines(read.results).count == 2)
        #expect(lines(read.results).allSatisfy { $0.contains("\"stream\":\"left\"") }, "\(read.results)")
    }
}
