import Connectors
import Foundation
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("doctor")
struct DoctorTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let subject: String
            let state: String
            let message: String
            let code: String?
            let help: String?
        }

        let findings: [Finding]
        let errors: Int
        let warnings: Int

        func finding(_ subject: String) -> Finding? { findings.first { $0.subject == subject } }
    }

    private func report(_ ending: Program.Ending) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(ending.results.utf8))
    }

    @Test("pipectl doctor: names every library with the version of the system's package, and the clocks")
    func machine() async throws {
        let ending = try await Program.run("doctor", "--format=json")
        #expect(ending.code == 0 && ending.messages == "")
        let report = try report(ending)
        for name in [
            "libzmq", "librdkafka", "libyaml", "simdjson", "msgpack", "expat", "cairo", "zstd", "lz4", "zlib", "sodium",
            "libwebsockets",
        ] {
            let finding = try #require(report.finding(name), "\(name)")
            #expect(finding.message.prefixMatch(of: /[0-9]+\.[0-9]+/) != nil, "\(name): \(finding.message)")
        }
        #expect(report.finding("pipectl")?.message.hasPrefix("0.1.0, ") ?? false)
        #expect(report.finding("clock")?.state == "good")
        #expect(report.errors == report.findings.count { $0.state == "error" })
        // Every finding that is not good has a help text and a code that is explained.
        for finding in report.findings where finding.state != "good" {
            #expect(finding.help != nil)
            #expect(Explanation.all.contains { $0.code == finding.code })
        }
        #if os(Linux)
            let packages = try await Program.shell(
                "dpkg-query -W -f '${Package} ${Version}\\n' libzmq5 libyaml-0-2 libcairo2 libzstd1 libwebsockets17 2>/dev/null",
                [])
            let names = [
                "libzmq5": "libzmq", "libyaml-0-2": "libyaml", "libcairo2": "cairo", "libzstd1": "zstd",
                "libwebsockets17": "libwebsockets",
            ]
            for line in packages.results.split(separator: "\n") {
                let parts = line.split(separator: " ")
                guard parts.count == 2, let name = names[String(parts[0])] else { continue }
                let version = parts[1].prefix { $0.isNumber || $0 == "." }
                #expect(report.finding(name)?.message.hasPrefix(version) ?? false, "\(line)")
            }
        #endif
    }

    @Test("pipectl doctor: judges clocks, limits and free space")
    func judgements() {
        #expect(Machine.monotonic(from: 5, to: 5).state == .good)
        #expect(Machine.monotonic(from: 5, to: 4).state == .error)
        let day = TimeOfDay(nanoseconds: 1_800_000_000_000_000_000)
        let next = TimeOfDay(nanoseconds: day.nanoseconds + 86_400_000_000_000)
        #expect(Machine.date(TimeOfDay(nanoseconds: 0), after: nil).state == .error)
        #expect(Machine.date(day, after: nil).state == .good && Machine.date(next, after: day).state == .good)
        #expect(Machine.date(day, after: next).state == .warning)
        #expect(Machine.synchronization(0).state == .good && Machine.synchronization(4).state == .good)
        #expect(Machine.synchronization(5).state == .warning)
        #expect(Machine.openFiles(1023).state == .warning && Machine.openFiles(1024).state == .good)
        #expect(Machine.openFiles(.max).text == "without limit")
        #expect(Surroundings.room(in: "/x", free: 999_999_999).state == .warning)
        #expect(Surroundings.room(in: "/x", free: 1_000_000_000).state == .good)
        #expect(Surroundings.room(in: "/x", free: .max).state == .good)
    }

    @Test("pipectl doctor: reports what a pipeline reads, writes and binds, and changes none of it")
    func pipeline() async throws {
        let folder = try TemporaryFolder()
        try folder.write("in.jsonl", "")
        try folder.write("taken.sock", "a file that is no socket")
        try folder.write(
            "lab.yaml",
            """
            version: 1
            mode: live
            sources:
              - file: { id: file, path: in.jsonl, kind: stroke }
              - zmq: { id: pen, bind: ["tcp://127.0.0.1:*", "ipc://\(folder.path)/taken.sock"], socket: pull, kind: stroke }
              - zmq: { id: far, connect: "tcp://127.0.0.1:9", kind: stroke }
            sinks:
              - file: { id: out, path: "rec/{stream}.jsonl" }
              - file: { id: here, path: here.jsonl }

            """)
        let ending = try await Program.run("doctor", "lab.yaml", "--format=json", folder: folder.path)
        #expect(ending.code == 3, "\(ending.messages)")
        let report = try report(ending)
        #expect(report.finding("lab.yaml")?.state == "good")
        #expect(report.finding("in.jsonl")?.message == "\"file\" reads it")
        #expect(report.finding("tcp://127.0.0.1:*")?.state == "good")
        #expect(report.finding("tcp://127.0.0.1:9")?.message.contains("connects to it") ?? false)
        let socket = report.finding("ipc://\(folder.path)/taken.sock")
        #expect(socket?.code == "zmq.address_in_use" && socket?.help != nil)
        let out = report.finding("rec/{stream}.jsonl")
        #expect(out?.code == "doctor.file" && out?.help == "make the folder: mkdir -p rec")
        #expect(report.finding("here.jsonl")?.state == "good")
        #expect(report.findings.contains { $0.message.hasSuffix("MB are free on its disk") })
        #expect(report.errors == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["in.jsonl", "lab.yaml", "taken.sock"])
        #expect(try folder.read("taken.sock") == "a file that is no socket")
    }

    @Test("pipectl doctor: reports files that are missing, unreadable or in the way, and unknown names and folders")
    func bad() async throws {
        let folder = try TemporaryFolder()
        for name in ["there.jsonl", "added.jsonl", "locked.jsonl", "closed/in.jsonl"] { try folder.write(name, "") }
        try folder.write(
            "bad.yaml",
            """
            version: 1
            mode: live
            serve: 127.0.0.1:1
            sources:
              - file: { id: missing, path: missing.jsonl, kind: stroke }
              - file: { id: locked, path: locked.jsonl, kind: stroke }
              - file: { id: closed, path: closed/in.jsonl, kind: stroke }
              - zmq: { id: far, connect: "tcp://no.such.invalid:9", kind: stroke }
              - zmq: { id: near, bind: "ipc://no/folder.sock", kind: stroke }
            sinks:
              - file: { id: there, path: there.jsonl }
              - file: { id: added, path: added.jsonl, if_exists: append }

            """)
        chmod("\(folder.path)/locked.jsonl", 0)
        chmod("\(folder.path)/closed", 0)
        defer { chmod("\(folder.path)/closed", 0o700) }
        let ending = try await Program.run("doctor", "bad.yaml", "--format=json", folder: folder.path)
        #expect(ending.code == 3, "\(ending.messages)")
        let report = try report(ending)
        func says(_ subject: String, _ words: String, _ code: String?) -> Bool {
            let found = report.findings.filter { $0.subject == subject }
            return found.count == 1 && found[0].message.contains(words) && found[0].code == code
        }
        #expect(says("missing.jsonl", "and it is not there", "doctor.file"))
        #expect(says("there.jsonl", "and it is already there", "doctor.file"))
        #expect(says("added.jsonl", "\"added\" writes it", nil))
        #expect(says("tcp://no.such.invalid:9", "the name no.such.invalid cannot be resolved now", "doctor.name"))
        #expect(says("ipc://no/folder.sock", "the folder of the socket's file is not there", "zmq.no_such_folder"))
        // Root may read locked files and bind port 1.
        if getuid() != 0 {
            #expect(says("locked.jsonl", "cannot read it", "doctor.file"))
            #expect(says("closed/in.jsonl", "cannot enter the folder closed", "doctor.file"))
            #expect(says("127.0.0.1:1", "serve: cannot bind tcp://127.0.0.1:1", "zmq.not_permitted"))
        } else {
            #expect(says("127.0.0.1:1", "serve: binds it", nil))
        }
    }

    @Test("pipectl doctor: a configuration with an error is an error, and its files are not checked")
    func wrongConfiguration() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "wrong.yaml",
            "version: 1\nsources: [file: { path: \"${NO_SUCH_VARIABLE}/in.jsonl\", kind: stroke }]\nsinks: [discard]\n")
        let ending = try await Program.run("doctor", "wrong.yaml", "--format=json", folder: folder.path)
        #expect(ending.code == 2, "\(ending.messages)")
        let report = try report(ending)
        #expect(report.finding("wrong.yaml")?.state == "error")
        #expect(!report.findings.contains { $0.subject.contains("in.jsonl") })
    }

    @Test("pipectl doctor: quotes the folder in a command as a shell needs it")
    func quoted() {
        #expect(ShellWord.quoted("rec/a-1.x") == "rec/a-1.x" && ShellWord.quoted("new folder") == "'new folder'")
        #expect(ShellWord.quoted("it's $HOME") == #"'it'\''s $HOME'"# && ShellWord.quoted("ü") == "ü")
    }

    @Test("pipectl doctor: checks the machine even if a pipeline cannot be found")
    func nothingToRead() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.run("doctor", ".", "none.yaml", folder: folder.path)
        #expect(ending.code == 3)
        #expect(ending.messages.contains("[file.empty_folder]") && ending.messages.contains("none.yaml is not there"))
        #expect(ending.results.contains("✓ libzmq"))
    }

    @Test("pipectl doctor: finds a port that another program uses")
    func port() async throws {
        let folder = try TemporaryFolder()
        let text =
            "version: 1\nmode: live\nsources: [zmq: { bind: \"tcp://127.0.0.1:*\", socket: pull, kind: stroke }]\nsinks: [discard]\n"
        try folder.write("live.yaml", text)
        let session = try Program.Session(try Program.path(), ["run", "live.yaml"], folder: folder.path)
        let path = folder.path
        let ending = await session.converse {
            let said = session.readMessages(until: "bound to tcp://127.0.0.1:")
            let rest = said.contains("\n") ? said : said + session.readMessages(until: "\n")
            let port = rest.firstMatch(of: /bound to tcp:..127\.0\.0\.1:([0-9]+)/).map { String($0.1) } ?? "?"
            try? text.replacing(":*", with: ":\(port)").write(
                toFile: "\(path)/other.yaml", atomically: true, encoding: .utf8)
            let doctor = Process()
            doctor.executableURL = URL(fileURLWithPath: (try? Program.path()) ?? "")
            doctor.arguments = ["doctor", "\(path)/other.yaml"]
            let output = Pipe()
            doctor.standardOutput = output
            try? doctor.run()
            let shown = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
            doctor.waitUntilExit()
            #expect(doctor.terminationStatus == 3)
            #expect(shown.contains("✗ tcp://127.0.0.1:\(port)"), "\(shown)")
            #expect(shown.contains("[zmq.address_in_use]"))
            session.send(SIGTERM)
            return session.finish()
        }
        #expect(ending.code == 0)
    }

    @Test("pipectl doctor: reports what is wrong with a pipeline, and ends with 2")
    func refused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", "version: 1\nsources: [synthetc]\nsinks: [stdout]\n")
        let ending = try await Program.run("doctor", "wrong.yaml", folder: folder.path)
        #expect(ending.code == 2)
        #expect(ending.messages.contains("error[graph.unknown_component]"))
        #expect(ending.results.contains("✓ libzmq"))
    }

    @Test(
        "pipectl doctor: ends with 2 if any of several pipelines is wrong, in whatever order",
        arguments: [["wrong.yaml", "missing.yaml"], ["missing.yaml", "wrong.yaml"]])
    func several(_ files: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", "version: 1\nsources: [synthetc]\nsinks: [stdout]\n")
        try folder.write(
            "missing.yaml", "version: 1\nsources: [stdin]\nstages: [match: { library: no.json }]\nsinks: [stdout]\n")
        #expect(try await Program.run("doctor", "missing.yaml", folder: folder.path).code == 3)
        #expect(try await Program.run("doctor", files[0], files[1], folder: folder.path).code == 2)
    }
}
