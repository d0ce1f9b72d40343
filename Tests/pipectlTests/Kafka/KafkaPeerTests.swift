import Foundation
import PipelineTesting
import Testing

@Suite(
    "kafka: messages from and for Python's confluent-kafka", .enabled(if: KafkaCluster.canRun && KafkaPython.isThere))
struct KafkaPeerTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaCluster
    private static let session = "\(Repository.root)/Samples/session.jsonl"

    init() throws {
        (folder, cluster) = (try TemporaryFolder(), try KafkaCluster(.transactional))
        #expect(cluster("topic strokes 4") == "ok")
    }

    private struct Message: Decodable {
        let key: String
        let value: String
        let headers: [String: String]
    }

    private func peer(_ arguments: String..., input: String = "") async throws -> Program.Ending {
        let brokers = cluster.brokers.filter { !"[]\" ".contains($0) }
        return try await Program.shell(
            "exec \"$0\" \"$@\"",
            [KafkaPython.path, "\(Repository.root)/Tests/peers/kafka_peer.py", arguments[0], brokers]
                + arguments.dropFirst(),
            input: input, folder: folder.path)
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init).sorted() }

    @Test("kafka: errors are written without a message number, so that no reader drops a new error as a repetition")
    func errors() async throws {
        #expect(cluster("topic dead 1") == "ok")
        let file = try folder.write(
            "route.yaml",
            """
            version: 1
            sources:
              - kafka:
                  { id: pens, brokers: \(cluster.brokers), topics: [strokes], group: lab, until: end, on_error: route }
            sinks:
              - discard: { from: pens }
              - kafka: { from: pens.errors, brokers: \(cluster.brokers), topic: dead, ends: false }
            """)
        for _ in 0..<2 {
            let sent = try await peer("produce", "strokes", input: "{\"key\":\"pen\",\"value\":\"nonsense\"}\n")
            #expect(sent.code == 0, "\(sent.messages)")
            let run = try await Program.run("run", file, folder: folder.path)
            #expect(run.code == 0, "\(run.messages)")
        }
        let read = try await peer("consume", "dead", "2")
        #expect(read.code == 0, "\(read.messages)")
        #expect(lines(read.results).count == 2)
        #expect(!read.results.contains("pipeline-number"), "\(read.results)")
    }

    @Test("kafka: Python reads the committed messages of a sink, with keys and headers")
    func read() async throws {
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [file: { path: \(Self.session) }]
            sinks:
              - kafka:
                  brokers: \(cluster.brokers)
                  topic: strokes
                  delivery: exactly_once
                  ends: false
                  headers: { model: shapes-3 }
            """)
        let sent = try await Program.run("run", file, folder: folder.path)
        #expect(sent.code == 0, "\(sent.messages)")
        let read = try await peer("consume", "strokes", "24", "--isolation", "read_committed")
        #expect(read.code == 0, "\(read.messages)")
        let messages = try lines(read.results).map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
        let session = try String(contentsOfFile: Self.session, encoding: .utf8)
        #expect(messages.map(\.value).sorted() == lines(session))
        #expect(messages.allSatisfy { $0.value.contains("\"stream\":\"\($0.key)\"") })
        #expect(messages.allSatisfy { $0.headers["model"] == "shapes-3" })
        #expect(
            messages.allSatisfy { message in
                guard let time = message.value.firstMatch(of: /"t_us":([0-9]+)/)?.1 else { return false }
                return message.headers["pipeline-number"] == "\(time).0"
            })
    }

    @Test("kafka: messages without a time that were written in one millisecond keep their order, and none is an error")
    func untimed() async throws {
        let input = (0..<200).map {
            "{\"key\": \"pen\", \"t_ms\": 1700000000000, \"value\": {\"v\":1,\"kind\":\"vector\",\"values\":[\($0)]}}\n"
        }.joined()
        let sent = try await peer("produce", "strokes", input: input)
        #expect(sent.code == 0, "\(sent.messages)")
        let file = try folder.write(
            "read.yaml",
            """
            version: 1
            sources:
              - kafka: { brokers: \(cluster.brokers), topics: [strokes], group: lab, kind: vector, until: end }
            sinks: [stdout: { format: jsonl }]
            """)
        let read = try await Program.run("run", file, folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        let found = read.results.matches(of: /"t_us":([0-9]+).*"values":\[([0-9]+)\]/)
        #expect(found.map { "\($0.2)" } == (0..<200).map { "\($0)" }, "\(read.results)")
        // The partition is new, so the offsets begin with 0.
        #expect(found.map { "\($0.1)" } == (0..<200).map { "\(1_700_000_000_000_000 + $0)" })
    }

    @Test("kafka: a source reads what Python writes, with the key as the stream's name, compressed")
    func written() async throws {
        let session = try String(contentsOfFile: Self.session, encoding: .utf8)
        let input = session.split(separator: "\n").map { line in
            let stream = line.firstMatch(of: /"stream":"([^"]*)"/)?.1 ?? ""
            return "{\"key\": \"\(stream)\", \"value\": \(line), \"headers\": {\"pen\": \"left\"}}\n"
        }.joined()
        let sent = try await peer("produce", "strokes", "compression.type=lz4", input: input)
        #expect(sent.code == 0, "\(sent.messages)")
        let file = try folder.write(
            "read.yaml",
            """
            version: 1
            sources:
              - kafka: { brokers: \(cluster.brokers), topics: [strokes], group: lab, until: end }
            sinks: [stdout: { format: jsonl }]
            """)
        let read = try await Program.run("run", file, folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        #expect(lines(read.results) == lines(session))
    }
}

/// The Python in which `Tests/peers/kafka_peer.py` runs.
private enum KafkaPython {
    static let path = "\(Repository.root)/.venv/bin/python"

    /// Whether it has confluent-kafka.
    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: path)
        probe.arguments = ["-c", "import confluent_kafka"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()
}
