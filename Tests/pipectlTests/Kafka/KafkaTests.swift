import Foundation
import PipelineTesting
import Testing

@Suite("kafka: pipelines that read and write topics", .enabled(if: KafkaCluster.canRun))
struct KafkaTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaCluster
    private static let session = "\(Repository.root)/Samples/session.jsonl"

    init() throws {
        (folder, cluster) = (try TemporaryFolder(), try KafkaCluster(brokers: 3))
        #expect(cluster("topic strokes 4") == "ok")
    }

    /// Writes a pipeline that sends the content of a file or of standard input.
    private func sender(_ source: String, _ options: String = "", topic: String = "strokes") throws -> String {
        try folder.write(
            "send-\(topic).yaml",
            """
            version: 1
            sources:
              - \(source)
            sinks:
              - kafka: { brokers: \(cluster.brokers), topic: \(topic)\(options) }
            """)
    }

    /// Writes a pipeline that reads all messages that are in the topic.
    private func receiver(_ options: String = "", brokers: String? = nil) throws -> String {
        try folder.write(
            "receive.yaml",
            """
            version: 1
            sources:
              - kafka:
                  { brokers: \(brokers ?? cluster.brokers), topics: [strokes], group: lab, until: end\(options) }
            sinks:
              - stdout: { format: jsonl }
            """)
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init).sorted() }

    private static func stroke(_ number: Int, _ points: Int = 2) -> String {
        let pts = (0..<points).map { "\($0),\(number)" }.joined(separator: ",")
        return """
            {"v":1,"kind":"stroke","stream":"pen/\(number % 3)","seq":\(number / 3),"t_us":\(1000 * (number + 1)),\
            "start_us":\(1000 * (number + 1)),"fields":"xy","pts":[\(pts)]}

            """
    }

    @Test("kafka: written messages are read with the same bytes, and each stream in order")
    func roundTrip() async throws {
        let sent = try await Program.run("run", try sender("file: { path: \(Self.session) }"), folder: folder.path)
        #expect(sent.code == 0, "\(sent.messages)")
        let read = try await Program.run("run", try receiver(), folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        let session = try String(contentsOfFile: Self.session, encoding: .utf8)
        #expect(lines(read.results) == lines(session))
        for stream in ["pen/1", "pen/2", "pen/3"] {
            func ofStream(_ text: String) -> [Substring] {
                text.split(separator: "\n").filter { $0.contains("\"stream\":\"\(stream)\"") }
            }
            #expect(ofStream(read.results) == ofStream(session))
        }
    }

    @Test("kafka: messages that a killed process read without a commit are read again, and committed messages are not")
    func offsets() async throws {
        _ = try await Program.run(
            "run", try sender("stdin: { kind: stroke }"), input: (0..<30).map { Self.stroke($0) }.joined(),
            folder: folder.path)
        // A process that is killed after it has read everything, and before it commits.
        let finite = try receiver(", commit_ms: 3600000, client: { session.timeout.ms: 6000 }")
        let text = try folder.read("receive.yaml").replacingOccurrences(of: "until: end", with: "until: stopped")
        _ = try folder.write("endless.yaml", text)
        let session = try Program.Session(
            try Program.path(), ["run", "\(folder.path)/endless.yaml"], folder: folder.path)
        let killed = await session.converse {
            var read = ""
            while read.split(separator: "\n").count < 30 {
                let some = session.readSome()
                if some.isEmpty { break }
                read += some
            }
            session.send(SIGKILL)
            return session.finish()
        }
        #expect(killed.code == 9)
        let again = try await Program.run("run", finite, folder: folder.path)
        #expect(lines(again.results).count == 30, "\(again.messages)")
        // The second run ended successfully, so it has committed everything.
        let third = try await Program.run("run", finite, folder: folder.path)
        #expect(third.code == 0 && third.results.isEmpty, "\(third.messages)")
    }

    @Test("kafka: wrong addresses, topics and rights are errors that say what to do")
    func environment() async throws {
        let unreachable = try await Program.run(
            "run", try receiver(", connect_ms: 1000", brokers: "[\"127.0.0.1:9\"]"), folder: folder.path)
        #expect(unreachable.code == 3)
        #expect(unreachable.messages.contains("[kafka.unreachable]"), "\(unreachable.messages)")
        #expect(unreachable.messages.contains("are the brokers running"), "\(unreachable.messages)")
        #expect(
            unreachable.messages.split(separator: "\n").contains {
                $0.contains("[kafka.unreachable]") && $0.contains("Connection refused")
            }, "\(unreachable.messages)")
        // 3: unknown topic or partition, 29: no right to the topic.
        for (code, word) in [(3, "kafka.no_topic"), (29, "kafka.forbidden")] {
            cluster("refuse strokes \(code)")
            let files = [
                try receiver(", connect_ms: 2000"),
                try sender("file: { path: \(Self.session) }", ", connect_ms: 2000"),
            ]
            for file in files {
                let refused = try await Program.run("run", file, folder: folder.path)
                #expect(refused.code == 3, "\(refused.messages)")
                #expect(refused.messages.contains("[\(word)]"), "\(refused.messages)")
            }
        }
    }

    @Test("kafka: only the frames that are too large fail, and messages of another kind are skipped")
    func frames() async throws {
        let large = try await Program.run(
            "run", try sender("stdin: { kind: stroke }", ", max_message_bytes: 2000, on_error: skip"),
            input: Self.stroke(0) + Self.stroke(1, 1000) + Self.stroke(2), folder: folder.path)
        #expect(large.code == 0, "\(large.messages)")
        #expect(large.messages.contains("[kafka.too_large]"), "\(large.messages)")
        let vectors = """
            {"v":1,"kind":"vector","stream":"pen/0","seq":0,"t_us":1,"values":[1,2]}

            """
        _ = try await Program.run(
            "run", try sender("stdin: { kind: vector }"), input: vectors, folder: folder.path)
        let read = try await Program.run("run", try receiver(", on_error: skip"), folder: folder.path)
        #expect(read.code == 0, "\(read.messages)")
        #expect(read.messages.contains("decode.kind"), "\(read.messages)")
        #expect(read.messages.contains(/strokes\/[0-3], offset [0-9]+/), "\(read.messages)")
        #expect(lines(read.results) == lines(Self.stroke(0) + Self.stroke(2)))
    }

    @Test("kafka: while the brokers are down, a sink waits, and then every message arrives once")
    func outage() async throws {
        let session = try Program.Session(
            try Program.path(), ["run", try sender("stdin: { kind: stroke }")], folder: folder.path)
        let ending = await session.converse { [cluster] in
            session.write((0..<10).map { Self.stroke($0) }.joined())
            for broker in 1...3 { cluster("down \(broker)") }
            session.write((10..<20).map { Self.stroke($0) }.joined())
            usleep(500_000)
            for broker in 1...3 { cluster("up \(broker)") }
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        let read = try await Program.run("run", try receiver(), folder: folder.path)
        #expect(lines(read.results) == lines((0..<20).map { Self.stroke($0) }.joined()), "\(read.messages)")
    }

    @Test("kafka: while the brokers are down, a source waits, and then reads and commits everything")
    func sourceOutage() async throws {
        let send = try sender("stdin: { kind: stroke }")
        _ = try await Program.run("run", send, input: (0..<10).map { Self.stroke($0) }.joined(), folder: folder.path)
        // With the session timeout of 45 s that is the default, the group does not give up the member. It would otherwise read again
        // what it had not committed when the brokers went down.
        _ = try receiver(", commit_ms: 100")
        let text = try folder.read("receive.yaml")
        let endless = try folder.write(
            "endless.yaml", text.replacingOccurrences(of: "until: end", with: "until: stopped"))
        let session = try Program.Session(try Program.path(), ["run", endless], folder: folder.path)
        let (read, ending) = await session.converse { [cluster, folder] in
            var read = ""
            func wait(for count: Int) {
                while read.count(where: \.isNewline) < count {
                    let some = session.readSome()
                    if some.isEmpty { break }
                    read += some
                }
            }
            wait(for: 10)
            for broker in 1...3 { cluster("down \(broker)") }
            usleep(2_000_000)
            for broker in 1...3 { cluster("up \(broker)") }
            if let more = try? Program.Session(try Program.path(), ["run", send], folder: folder.path) {
                more.write((10..<20).map { Self.stroke($0) }.joined())
                more.closeInput()
                more.waitForExit()
            }
            wait(for: 20)
            session.send(SIGTERM)
            return (read, session.finish())
        }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(lines(read) == lines((0..<20).map { Self.stroke($0) }.joined()), "\(ending.messages)")
        let again = try await Program.run("run", "\(folder.path)/receive.yaml", folder: folder.path)
        #expect(again.code == 0 && again.results.isEmpty, "\(again.messages)")
    }

    @Test(
        "kafka: frames that the brokers do not acknowledge in time count as failed, not as written, also at the end of a run",
        arguments: [false, true])
    func undelivered(atEnd: Bool) async throws {
        let session = try Program.Session(
            try Program.path(),
            [
                "run",
                try sender(
                    "stdin: { kind: stroke }",
                    ", on_error: skip, linger_ms: 3000, client: { message.timeout.ms: 1000, enable.idempotence: false }"
                ),
            ],
            folder: folder.path)
        let ending = await session.converse { [cluster] in
            session.write(Self.stroke(0))
            usleep(1_500_000)
            for broker in 1...3 { cluster("down \(broker)") }
            session.write((1..<10).map { Self.stroke($0) }.joined())
            if !atEnd {
                usleep(2_500_000)
                for broker in 1...3 { cluster("up \(broker)") }
            }
            session.closeInput()
            return session.finish()
        }
        #expect(ending.messages.contains("[kafka.undelivered]"), "\(ending.messages)")
        #expect(ending.messages.contains(/kafka +10 +1 +0 +9\s/), "\(ending.messages)")
        #expect(ending.messages.contains("every frame is accounted for"), "\(ending.messages)")
    }

    @Test("kafka: SIGTERM ends the run successfully, and commits what was read")
    func stop() async throws {
        _ = try await Program.run("run", try sender("file: { path: \(Self.session) }"), folder: folder.path)
        _ = try receiver()
        let text = try folder.read("receive.yaml")
        let endless = try folder.write(
            "endless.yaml", text.replacingOccurrences(of: "until: end", with: "until: stopped"))
        let session = try Program.Session(try Program.path(), ["run", endless], folder: folder.path)
        let stopped = await session.converse {
            var read = ""
            while read.split(separator: "\n").count < 24 {
                let some = session.readSome()
                if some.isEmpty { break }
                read += some
            }
            session.send(SIGTERM)
            return session.finish()
        }
        #expect(stopped.code == 0, "\(stopped.messages)")
        #expect(stopped.messages.contains("every frame is accounted for"))
        let again = try await Program.run("run", "\(folder.path)/receive.yaml", folder: folder.path)
        #expect(again.code == 0 && again.results.isEmpty, "\(again.messages)")
    }

    @Test("kafka: a run whose last commit the brokers refuse says that messages are read again, and they are")
    func refusedCommit() async throws {
        _ = try await Program.run("run", try sender("file: { path: \(Self.session) }"), folder: folder.path)
        // 8: commits, 25: unknown member.
        cluster("errors 8 1 25")
        let refused = try await Program.run("run", try receiver(", commit_ms: 3600000"), folder: folder.path)
        #expect(refused.code == 0, "\(refused.messages)")
        #expect(refused.messages.contains("warning[kafka.uncommitted]"), "\(refused.messages)")
        let again = try await Program.run("run", try receiver(), folder: folder.path)
        #expect(lines(again.results) == lines(refused.results) && !again.results.isEmpty, "\(again.messages)")
        #expect(!again.messages.contains("kafka.uncommitted"), "\(again.messages)")
    }
}
