import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("worker")
struct WorkerTests {
    private let folder: TemporaryFolder
    private let samples = "\(Repository.root)/Samples"
    private let configs = "\(Repository.root)/Configs"

    init() throws { folder = try TemporaryFolder() }

    private var strokes: String { "\(configs)/strokes.yaml" }

    // MARK: - What it must not touch

    @Test("worker: a file in the current folder stays when the bytes of a recording of its name cannot be stored")
    func currentFolder() async throws {
        try folder.write("session.jsonl", "precious")
        let job = "{\"name\":\"session.jsonl\",\"bytes\":3}\n"
        let ending = try await Program.run(
            "worker", "-q", input: "\(job)abc\(job)abc", environment: ["TMPDIR": "/no/where"], folder: folder.path)
        let answers = ending.results.split(separator: "\n")
        #expect(answers.count == 2 && answers.allSatisfy { $0.contains("\"file.unwritable\"") }, "\(ending)")
        #expect(try folder.read("session.jsonl") == "precious")
    }

    // MARK: - The same as a run

    @Test(
        "worker: results and ledger of a recording equal those of a run, in every format, by path and by bytes",
        arguments: ["jsonl", "msgpack", "mcap", "csv", "jsonl.zst", "csv.gz"])
    func formats(_ ending: String) async throws {
        let recording = "\(folder.path)/session.\(ending)"
        if ending == "jsonl" {
            try folder.write("session.jsonl", try String(contentsOfFile: "\(samples)/session.jsonl", encoding: .utf8))
        } else {
            #expect(await pipectl("convert", "\(samples)/session.jsonl", recording).code == .done)
        }
        try await expectSame(strokes, recording, settings: ["file.origin=true"])
    }

    @Test(
        "worker: results of points, strokes and landmarks equal those of a run",
        arguments: [
            ("points", "points"), ("letters", "letters"), ("two-hands", "two-hands"), ("air-draw", "air"),
        ])
    func kinds(_ config: String, _ sample: String) async throws {
        try await expectSame("\(configs)/\(config).yaml", "\(samples)/\(sample).jsonl", settings: [])
    }

    /// Compares the answers of a worker with `run`.
    private func expectSame(_ config: String, _ recording: String, settings: [String]) async throws {
        var session = WorkerSession(in: folder)
        try session.add(config: config, ["set": settings])
        try session.add(path: recording)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: recording))
        try session.add(name: (recording as NSString).lastPathComponent, bytes: bytes)
        let (answers, ending) = try await session.run()
        #expect(ending.code == 0)
        #expect(answers.count == 3)
        let source = try #require(answers.first?.members["source"] as? String)
        let words = ["run", "-q", config, "--report=report.json", "--set=stdout.format=jsonl"]
        let ended = try await Program.shell(
            "exec \"$0\" \"$@\"",
            [try Program.path()] + words + (settings + ["\(source).path=\(recording)"]).map { "--set=\($0)" },
            folder: folder.path)
        #expect(ended.code == 0, "\(ended.messages)")
        #expect(!ended.results.isEmpty)
        let report = try JSONSerialization.jsonObject(with: Data(folder.read("report.json").utf8))
        let ledger = try WorkerSession.ledger(try #require(report as? [String: Any]))
        for answer in answers.dropFirst() {
            #expect(answer.rows["stdout"] == ended.results)
            #expect(try answer.ledger == ledger)
        }
    }

    @Test("worker: a live pipeline runs in simulated time, as run --simulate does")
    func live() async throws {
        let config = "\(configs)/live-strokes.yaml"
        var session = WorkerSession(in: folder)
        try session.add(config: config)
        try session.add(path: "\(samples)/live.jsonl")
        let (answers, ending) = try await session.run()
        #expect(ending.code == 0)
        let run = try await Program.run(
            "run", "-q", config, "--simulate=\(samples)/live.jsonl", "--set=stdout.format=jsonl", folder: folder.path)
        #expect(run.code == 0 && !run.results.isEmpty)
        #expect(answers.last?.rows["stdout"] == run.results)
    }

    @Test(
        "worker: sinks with the same input share one set of results, discard has none, and no file is written"
    )
    func sinks() async throws {
        try folder.write(
            "several.yaml",
            """
            version: 1
            sources: [file: { path: none.jsonl }]
            stages: [resample: { points: 8 }]
            sinks:
              - stdout
              - file: { id: kept, path: kept.jsonl }
              - file: { id: raw, path: raw.csv, from: file }
              - discard: { from: file }
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "several.yaml")
        try session.add(path: "\(samples)/session.jsonl")
        let answers = try await session.run().answers
        let names = (answers.last?.members["results"] as? [[String: Any]])?.map { $0["sink"] as? String }
        #expect(names == ["stdout", "raw"])
        #expect(answers.last?.rows["raw"] == (try String(contentsOfFile: "\(samples)/session.jsonl", encoding: .utf8)))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!files.contains { $0.hasPrefix("kept") || $0.hasPrefix("raw") })
    }

    @Test("worker: the answer to a configuration lists the files that stages inside `each` read")
    func files() async throws {
        try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [file: { path: none.jsonl, kind: hands, space: pixels, y: down }]
            stages: [each: { stages: [recognize_hand: { custom: { library: \(samples)/hands.json } }] }]
            sinks: [stdout]
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "hands.yaml")
        let answer = try #require(try await session.run().answers.first)
        #expect(answer.members["files"] as? [String] == ["\(samples)/hands.json"])
    }

    @Test("worker: the answer to a configuration lists each file of a second source once, and no folder or pattern")
    func filesOfSources() async throws {
        for name in ["one.jsonl", "part/a.jsonl", "part/b.jsonl"] { try folder.write(name, "") }
        try folder.write(
            "sources.yaml",
            """
            version: 1
            sources:
              - file: { id: recording, path: none.jsonl }
              - file: { id: one, path: one.jsonl }
              - file: { id: folder, path: part }
              - file: { id: pattern, path: "part/b*.jsonl" }
            stages: [resample: { from: [recording, one, folder, pattern] }]
            sinks: [stdout]
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "sources.yaml", ["source": "recording"])
        let answer = try #require(try await session.run().answers.first)
        #expect(answer.members["files"] as? [String] == ["one.jsonl", "part/a.jsonl", "part/b.jsonl"])
    }

    // MARK: - What is wrong

    @Test("worker: it continues after a bad recording, and says where the recording is wrong")
    func badRecordings() async throws {
        let good = try String(contentsOfFile: "\(samples)/session.jsonl", encoding: .utf8)
        let lines = good.split(separator: "\n")
        let bad = lines[..<5].joined(separator: "\n") + "\n{\"v\":1,\"kind\":\"stroke\",\n"
        var session = WorkerSession(in: folder)
        try session.add(config: strokes)
        try session.add(name: "bad.jsonl", bytes: Data(bad.utf8))
        try session.add(path: "\(folder.path)/none.jsonl")
        try session.add(name: "damaged.mcap", bytes: Data(good.utf8))
        try session.add(name: "cut.jsonl.zst", bytes: Data([0x28, 0xB5, 0x2F, 0xFD, 0x04]))
        session.add(line: #"{"path": "a", "name": "b"}"#)
        try session.add(name: "a/b.jsonl", bytes: Data("three\nlines\nof bytes".utf8))
        try session.add(name: "empty.jsonl", bytes: Data())
        try session.add(path: "\(samples)/session.jsonl")
        let (answers, ending) = try await session.run()
        #expect(ending.code == 0)
        #expect(
            answers.map(\.code) == [
                nil, "decode.truncated", "file.not_found", "mcap.not_mcap", "file.damaged", "worker.job", "worker.job",
                nil,
                nil,
            ])
        #expect(answers[1].location?.hasPrefix("bad.jsonl, line 6") == true)
        #expect(answers[4].message == "cut.jsonl.zst is damaged, or cut off: it cannot be unpacked")
        #expect(
            answers.map { $0.rows["stdout"]?.split(separator: "\n").count } == [
                nil, nil, nil, nil, nil, nil, nil, 0, 24,
            ])
    }

    @Test("worker: the answer to a wrong configuration has all findings, and a right one may follow")
    func wrongConfiguration() async throws {
        try folder.write("wrong.yaml", "version: 1\nsources: [file: {}]\nstages: [resmaple]\nsinks: [stdout]\n")
        try folder.write(
            "two.yaml",
            """
            version: 1
            sources: [file: { id: left, path: a }, file: { id: right, path: b }]
            sinks: [stdout: { from: [left, right] }]
            """)
        try folder.write("none.yaml", "version: 1\nsources: [synthetic]\nsinks: [stdout]\n")
        let recording = "\(samples)/session.jsonl"
        var session = WorkerSession(in: folder)
        try session.add(path: recording)
        try session.add(config: "wrong.yaml")
        try session.add(path: recording)
        try session.add(config: "two.yaml")
        try session.add(config: "none.yaml")
        try session.add(config: strokes, ["source": "camera"])
        try session.add(config: strokes, ["set": ["match.max_result=3"]])
        try session.add(config: strokes, ["source": "file", "set": ["match.max_results=3"]])
        try session.add(path: recording)
        let (answers, ending) = try await session.run()
        #expect(ending.code == 0)
        #expect(
            answers.map(\.code) == [
                "worker.no_pipeline", "option.missing", "worker.no_pipeline", "worker.source", "worker.source",
                "worker.source", "option.unknown", nil, nil,
            ])
        let findings = try #require(answers[1].members["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["option.missing", "graph.unknown_component"])
        #expect(answers.last?.rows["stdout"]?.split(separator: "\n").count == 24)
    }

    @Test("worker: options of the source that do not fit a recording's format are an error, as in a run")
    func unfitOptions() async throws {
        try folder.write(
            "table.yaml",
            """
            version: 1
            sources: [file: { path: a.csv, decode: { columns: { x: u, y: v } } }]
            sinks: [stdout]
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "table.yaml")
        try session.add(path: "\(samples)/session.jsonl")
        let answer = try #require(try await session.run().answers.last)
        let run = try await Program.run(
            "run", "table.yaml", "--set=file.path=\(samples)/session.jsonl", folder: folder.path)
        #expect(run.code == 2)
        let code = try #require(answer.code)
        #expect(run.messages.contains("error[\(code)]"))
    }

    @Test(
        "worker: a recording that a sink of the pipeline writes is refused, in whatever order recordings come, and others are processed"
    )
    func recordingOfSink() async throws {
        try folder.write("out.jsonl", "")
        try folder.write(
            "copy.yaml",
            """
            version: 1
            sources: [file: { path: in.jsonl, kind: stroke }]
            sinks: [file: { id: out, path: out.jsonl, if_exists: overwrite }]
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "copy.yaml")
        let (output, recording) = ("\(folder.path)/out.jsonl", "\(samples)/session.jsonl")
        for path in [output, recording, output, recording] { try session.add(path: path) }
        let wanted = [nil, "output.overwrites_input", nil, "output.overwrites_input", nil]
        #expect(try await session.run().answers.map(\.code) == wanted)
    }

    @Test("worker: it ends at an input that is cut off or is not a job, and has answered all earlier jobs")
    func cutInput() async throws {
        var session = WorkerSession(in: folder)
        try session.add(config: strokes)
        try session.add(path: "\(samples)/session.jsonl")
        try session.add(name: "a.jsonl", bytes: Data(repeating: 0x20, count: 100_000))
        let (answers, ending) = try await session.run(cut: 1)
        #expect(answers.map(\.code) == [nil, nil, "worker.cut"])
        #expect(ending.code == 3)
        let inLine = try await session.run(cut: 100_010)
        #expect(inLine.answers.map(\.code) == [nil, nil, "worker.cut"])
        #expect(inLine.ending.code == 3)

        var broken = WorkerSession(in: folder)
        try broken.add(config: strokes)
        broken.add(line: "hello")
        try broken.add(path: "\(samples)/session.jsonl")
        let (said, end) = try await broken.run()
        #expect(said.map(\.code) == [nil, "worker.job"])
        #expect(end.code == 2)
        #expect(end.messages.contains("error[worker.job]: a job is one object of JSON on a line"))

        var long = WorkerSession(in: folder)
        long.add(line: "{\"path\": \"\(String(repeating: "a", count: 2 << 20))\"}")
        #expect(try await long.run().answers.map(\.code) == ["worker.job"])

        let nothing = try await WorkerSession(in: folder).run()
        #expect(nothing.answers.isEmpty && nothing.ending.code == 0)
    }

    // MARK: - Sizes

    @Test("worker: a recording of 15 MB in the input has all its results, and the next job is answered too")
    func bigInput() async throws {
        let line = #"{"v":1,"kind":"stroke","stream":"pen","seq":SEQ,"t_us":SEQ000,"fields":"xy","pts":["#
        let numbers = (0..<1000).map { "\($0),\($0 % 7)" }.joined(separator: ",")
        let text = (1...2500).map { "\(line.replacing("SEQ", with: String($0)))\(numbers)]}\n" }.joined()
        #expect(text.utf8.count > 10_000_000)
        try folder.write(
            "thin.yaml",
            """
            version: 1
            sources: [file: { path: none.jsonl }]
            stages: [resample: { points: 8 }]
            sinks: [stdout]
            """)
        var session = WorkerSession(in: folder)
        try session.add(config: "thin.yaml")
        try session.add(name: "big.jsonl", bytes: Data(text.utf8))
        try session.add(path: "\(samples)/session.jsonl")
        let (answers, ending) = try await session.run()
        #expect(ending.code == 0)
        #expect(answers.map { $0.rows["stdout"]?.split(separator: "\n").count } == [nil, 2500, 24])
    }

    #if os(Linux)
        @Test("worker: memory does not grow with the number of recordings")
        func memory() async throws {
            let line = try #require(
                try String(contentsOfFile: "\(samples)/session.jsonl", encoding: .utf8).split(separator: "\n").first)
            let job = "{\"name\": \"a.jsonl\", \"bytes\": \(line.utf8.count)}\n\(line)"
            let session = try Program.Session(try Program.path(), ["worker", "-q"])
            let strokes = strokes
            let peaks = Recorded<Int>()
            let ending = await session.converse {
                session.write("{\"config\": \"\(strokes)\"}\n")
                // The answer to the configuration is one line. The answer to a recording is two lines: the report and one result.
                var lines = session.readSome().count { $0 == "\n" } - 1
                for (count, total) in [(200, 200), (800, 1000)] {
                    Thread.detachNewThread { for _ in 0..<count { session.write(job) } }
                    while lines < 2 * total {
                        let some = session.readSome()
                        if some.isEmpty { break }
                        lines += some.count { $0 == "\n" }
                    }
                    peaks.add(peak(of: session.identifier))
                }
                session.closeInput()
                return session.finish()
            }
            #expect(ending.code == 0)
            let (early, late) = (try #require(peaks.all.first), try #require(peaks.all.last))
            #expect(early > 0 && late < early + 8192, "\(early) kB after 200 recordings, \(late) kB after 1,000")
        }
    #endif
}

/// Values that another thread adds.
private final class Recorded<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    var all: [Value] { lock.withLock { values } }

    func add(_ value: Value) { lock.withLock { values.append(value) } }
}

/// Returns the largest memory of a process so far, in kB.
private func peak(of process: Int32) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
