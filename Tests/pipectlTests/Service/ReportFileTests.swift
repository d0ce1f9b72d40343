import Foundation
import PipelineTesting
import Testing

@Suite("The report of a run as a file")
struct ReportFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("good.yaml", "version: 1\nname: good\nsources: [synthetic: { count: 3 }]\nsinks: [discard]\n")
        try folder.write(
            "bad.yaml", "version: 1\nsources: [stdin: { kind: stroke }]\nsinks: [discard]\n")
        try folder.write(
            "endless.yaml",
            """
            version: 1
            shutdown_timeout_ms: 600000
            sources: [synthetic: { count: 0 }]
            sinks: [file: { id: out, path: pipe, if_exists: overwrite, format: jsonl }]

            """)
    }

    private func report() throws -> [String: Any] {
        let data = Data(try folder.read("report.json").utf8)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("pipectl run --report: the file has the ledger and the exit code")
    func good() async throws {
        let ending = try await Program.run("run", "-q", "good.yaml", "--report=report.json", folder: folder.path)
        #expect(ending.code == 0 && ending.results == "" && ending.messages == "")
        let report = try report()
        #expect(report["exit_code"] as? Int == 0)
        #expect(report["name"] as? String == "good")
        #expect(report["configuration"] as? String == "good.yaml")
        let (began, ended) = (report["began"] as? String ?? "?", report["ended"] as? String ?? "")
        #expect(began <= ended && ended.hasSuffix("Z"))
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        #expect(nodes.map { $0["in"] as? Int } == [3, 3])
        // The file has every key of the report that is shown.
        let shown = try await Program.run("run", "good.yaml", "--format=json", folder: folder.path)
        let other = try #require(
            try JSONSerialization.jsonObject(with: Data(shown.results.utf8)) as? [String: Any])
        #expect(Set(report.keys).isSuperset(of: other.keys))
    }

    @Test("pipectl run --report: the file is written if the run fails, and if it cannot begin")
    func failed() async throws {
        let ending = try await Program.run(
            "run", "bad.yaml", "--report", "report.json", input: "{\n", folder: folder.path)
        #expect(ending.code == 1)
        var report = try report()
        #expect(report["exit_code"] as? Int == 1)
        let failures = try #require(report["failures"] as? [[String: Any]])
        #expect(failures.first?["code"] as? String == "decode.truncated")
        try folder.write(
            "closed.yaml", "version: 1\nsources: [synthetic: { count: 3 }]\nsinks: [file: { path: no/x }]\n")
        let unopened = try await Program.run("run", "closed.yaml", "--report", "report.json", folder: folder.path)
        #expect(unopened.code == 3)
        report = try self.report()
        #expect(report["exit_code"] as? Int == 3)
    }

    @Test(
        "pipectl run --report: during the run, the file says that it has not ended; after a signal, how it ended",
        arguments: [1, 2])
    func signals(count: Int) async throws {
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let session = try Program.Session(
            try Program.path(), ["run", "endless.yaml", "--report=report.json"], folder: folder.path)
        let pipe = "\(folder.path)/pipe"
        let path = "\(folder.path)/report.json"
        let ending = await session.converse {
            let reader = open(pipe, O_RDONLY)
            var byte: UInt8 = 0
            #expect(read(reader, &byte, 1) == 1)
            let running = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            #expect(running.contains("\"exit_code\": null") && running.contains("\"ended\": null"))
            session.send(SIGTERM)
            if count == 1 {
                readAway(reader)
            } else {
                // Nobody reads: the run waits for a reader, and logs this.
                #expect(session.readMessages(until: "told to stop").contains("still waiting for out"))
                session.send(SIGTERM)
            }
            return session.finish()
        }
        #expect(ending.code == (count == 1 ? 0 : 130))
        #expect(ending.messages.contains("error: a second signal ends the program at once") == (count == 2))
        let report = try report()
        #expect(report["exit_code"] as? Int == Int(ending.code))
        #expect(report["not_ended"] as? [String] == (count == 1 ? [] : ["out"]))
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        #expect((nodes.first?["in"] as? Int ?? 0) > 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test(
        "pipectl run --report: on a disk that is full at the start, the run begins, and the report is written at its end",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
        arguments: [true, false])
    func fullDisk(isFreed: Bool) async throws {
        try folder.write("read.yaml", "version: 1\nsources: [stdin: { kind: stroke }]\nsinks: [discard]\n")
        let link = "\(folder.path)/report.json"
        #expect(symlink("/dev/full", link) == 0)
        let session = try Program.Session(
            try Program.path(), ["run", "read.yaml", "--report=report.json"], folder: folder.path)
        let ending = await session.converse {
            let heard = session.readMessages(until: "report_postponed")
            #expect(heard.contains("warning[run.report_postponed]"), "\(heard)")
            if isFreed { #expect(unlink(link) == 0) }
            session.write(#"{"v":1,"kind":"stroke","stream":"pen","t_us":1,"fields":"xy","pts":[1,2]}"# + "\n")
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == (isFreed ? 0 : 3), "\(ending.messages)")
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        #expect(ending.messages.contains("error[file.unwritable]: report.json cannot be written") != isFreed)
        guard isFreed else { return }
        let report = try report()
        #expect(report["exit_code"] as? Int == 0)
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        #expect(nodes.map { $0["in"] as? Int } == [1, 1])
    }

    @Test("pipectl run --report: an unwritable file, or one that the run reads, is refused before anything runs")
    func refused() async throws {
        let before = try folder.read("good.yaml")
        for (path, code, words) in [
            ("no/report.json", 3, "error[file.unwritable]: no/report.json cannot be written: "),
            ("good.yaml", 2, "error: --report would write over good.yaml, which is the configuration"),
            ("-", 2, "error: --report needs a file"),
        ] as [(String, Int32, String)] {
            let ending = try await Program.run("run", "good.yaml", "--report", path, folder: folder.path)
            #expect(ending.code == code)
            #expect(ending.messages.contains(words), "\(ending.messages)")
            #expect(!ending.messages.contains("ledger"))
        }
        let same = try await Program.run(
            "run", "good.yaml", "--drops=x.json", "--report=./x.json", folder: folder.path)
        #expect(same.code == 2)
        #expect(try folder.read("good.yaml") == before)
    }
}
