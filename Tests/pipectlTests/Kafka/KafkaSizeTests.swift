import PipelineTesting
import Testing

@Suite("kafka: messages that are larger than a topic allows", .enabled(if: KafkaCluster.canRun))
struct KafkaSizeTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaCluster

    init() throws {
        (folder, cluster) = (try TemporaryFolder(), try KafkaCluster(.transactional))
        #expect(cluster("topic strokes 1") == "ok")
        #expect(cluster("limit 5000") == "ok")
    }

    private static func stroke(_ number: Int) -> String {
        // The sixth stroke has about 8,000 bytes, the others about 150.
        let pts = (0..<(number == 5 ? 1000 : 2)).map { "\($0 % 100).5,\(number)" }.joined(separator: ",")
        return """
            {"v":1,"kind":"stroke","stream":"pen","seq":\(number),"t_us":\(1000 * (number + 1)),\
            "start_us":\(1000 * (number + 1)),"fields":"xy","pts":[\(pts)]}

            """
    }

    /// Sends 40 strokes, of which one is too large for the topic. Returns how that ended, and what is in the topic then.
    private func send(_ options: String) async throws -> (ending: Program.Ending, written: String) {
        let file = try folder.write(
            "send.yaml",
            """
            version: 1
            sources: [stdin: { kind: stroke }]
            sinks: [kafka: { brokers: \(cluster.brokers), topic: strokes, ends: false, \(options) }]
            """)
        let strokes = (0..<40).map { Self.stroke($0) }.joined()
        let ending = try await Program.run("run", file, input: strokes, folder: folder.path)
        let reader = try folder.write(
            "read.yaml",
            """
            version: 1
            sources: [kafka: { brokers: \(cluster.brokers), topics: [strokes], group: lab, until: end }]
            sinks: [stdout: { format: jsonl }]
            """)
        let read = try await Program.run("run", reader, folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        return (ending, read.results)
    }

    private static let others = (0..<40).filter { $0 != 5 }.map { stroke($0) }.joined()

    // Each batch has one message, so that no other message is refused with the one that is too large.
    @Test("kafka: only the frame that brokers refuse as too large fails; the next ones are written without a pause")
    func refused() async throws {
        let (ending, written) = try await send("on_error: skip, client: { batch.num.messages: 1 }")
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("[kafka.too_large]"), "\(ending.messages)")
        #expect(ending.messages.contains(/kafka +40 +39 +0 +1\s/), "\(ending.messages)")
        #expect(ending.messages.contains("every frame is accounted for"), "\(ending.messages)")
        #expect(written == Self.others)
    }

    @Test("kafka: a frame that brokers refuse as too large ends the run, unless on_error says otherwise")
    func fails() async throws {
        let (ending, _) = try await send("client: { batch.num.messages: 1 }")
        #expect(ending.code == 1, "\(ending.messages)")
        #expect(ending.messages.contains("error[kafka.too_large]"), "\(ending.messages)")
    }

    @Test("kafka: a transaction with a message that is too large ends the run, and the error says how to avoid this")
    func transaction() async throws {
        let (ending, written) = try await send("on_error: skip, delivery: exactly_once")
        #expect(ending.code == 3, "\(ending.messages)")
        #expect(ending.messages.contains("error[kafka.too_large]"), "\(ending.messages)")
        #expect(ending.messages.contains("set max_message_bytes to at least 100 bytes less"), "\(ending.messages)")
        #expect(written == "")
    }

    @Test(
        "kafka: with max_message_bytes below the limit of the topic, only the frame that is too large fails",
        arguments: ["at_least_once", "exactly_once"])
    func remedy(delivery: String) async throws {
        let (ending, written) = try await send("on_error: skip, delivery: \(delivery), max_message_bytes: 4900")
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains(/kafka +40 +39 +0 +1\s/), "\(ending.messages)")
        #expect(written == Self.others)
    }
}
