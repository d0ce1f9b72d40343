import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("run")
struct RunTests {
    private let echo = """
        version: 1
        name: echo
        sources:
          - stdin: { kind: stroke }
        sinks:
          - stdout: { format: jsonl }

        """

    private func stroke(_ number: Int) -> String {
        """
        {"v":1,"kind":"stroke","stream":"pen","seq":\(number),"t_us":\(1000 * (number + 1)),"fields":"xy",\
        "pts":[0,0,1,\(number)]}

        """
    }

    @Test("pipectl run: results go to standard output, the report and the ledger to standard error")
    func summary() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let ending = try await Program.run(
            "run", "echo.yaml", input: stroke(0) + stroke(1) + stroke(2), folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.results.split(separator: "\n").count == 3)
        #expect(ending.messages.contains("stdin    3    3        0       0"))
        #expect(ending.messages.contains("stdout   3    3        0       0"))
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        let quiet = try await Program.run("run", "-q", "echo.yaml", input: stroke(0), folder: folder.path)
        #expect(quiet.messages == "")
    }

    @Test("pipectl run: the same input gives the same bytes every time")
    func deterministic() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let input = (0..<200).map(stroke).joined()
        let first = try await Program.run("run", "echo.yaml", input: input, folder: folder.path)
        for _ in 0..<3 {
            #expect(
                try await Program.run("run", "echo.yaml", input: input, folder: folder.path).results == first.results)
        }
    }

    @Test("pipectl run: the report is available as data")
    func data() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let ending = try await Program.run(
            "run", "echo.yaml", "--format=json", input: stroke(0) + stroke(1), folder: folder.path)
        #expect(ending.code == 0)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.messages.utf8)) as? [String: Any])
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        #expect(nodes.map { $0["id"] as? String } == ["stdin", "stdout"])
        #expect(nodes.map { $0["in"] as? Int } == [2, 2])
        #expect(report["losses"] as? Int == 0)
        #expect((report["violations"] as? [Any])?.isEmpty == true)
    }

    @Test("pipectl run: the report as data goes to standard output when no sink writes there")
    func dataAsResult() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "count.yaml",
            echo.replacing("stdout: { format: jsonl }", with: "null").replacing("- stdout", with: "- null"))
        let ending = try await Program.run(
            "run", "count.yaml", "--format=json", input: stroke(0) + stroke(1), folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.messages == "")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        #expect((report["nodes"] as? [[String: Any]])?.map { $0["id"] as? String } == ["stdin", "null"])
    }

    @Test("pipectl run: --limit stops after that many frames")
    func limit() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let ending = try await Program.run(
            "run", "echo.yaml", "--limit=2", input: (0..<50).map(stroke).joined(), folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.results.split(separator: "\n").count == 2)
    }

    @Test(
        "pipectl run: an unreadable frame fails the run with 1, and is located; with on_error: skip, the rest is processed"
    )
    func badFrame() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        try folder.write(
            "skip.yaml", echo.replacingOccurrences(of: "kind: stroke", with: "kind: stroke, on_error: skip"))
        let input = stroke(0) + "{\"v\":1,\n" + stroke(2)
        let failing = try await Program.run("run", "echo.yaml", input: input, folder: folder.path)
        #expect(failing.code == 1)
        #expect(failing.messages.contains("error[decode."))
        #expect(failing.messages.contains("line 2"))
        let skipping = try await Program.run("run", "skip.yaml", input: input, folder: folder.path)
        #expect(skipping.code == 0)
        #expect(skipping.results.split(separator: "\n").count == 2)
        let strict = try await Program.run("run", "skip.yaml", "--fail-on-loss", input: input, folder: folder.path)
        #expect(strict.code == 1)
    }

    @Test(
        "pipectl run: gestures of a folder are written with the names of their files, and errors name folder and file")
    func fileNames() async throws {
        let folder = try TemporaryFolder()
        let gesture = "<Gesture Name='x1'><Point X='0' Y='0'/><Point X='1' Y='1'/></Gesture>"
        try folder.write("recorded/ada/one.xml", gesture)
        try folder.write("recorded/bob/one.xml", gesture)
        try folder.write("recorded/bob/two.xml", "<Gesture Name='x'><Point X='a'/></Gesture>")
        try folder.write("recorded/cy/three.jsonl", stroke(0) + "{\n")
        try folder.write(
            "run.yaml",
            """
            version: 1
            sources: [file: { path: recorded, on_error: skip, on_disorder: new_epoch }]
            stages: [resample: { points: 4 }]
            sinks: [stdout: { format: jsonl }]

            """)
        let ending = try await Program.run("run", "run.yaml", folder: folder.path)
        #expect(ending.code == 0)
        let files = try ending.results.split(separator: "\n").map {
            (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["file"] as? String
        }
        #expect(files == ["recorded/ada/one.xml", "recorded/bob/one.xml", nil])
        #expect(ending.messages.contains("recorded/bob/two.xml, line 1, column "))
        #expect(ending.messages.contains("recorded/cy/three.jsonl, line 2, byte "), "\(ending.messages)")
        // When the results are read as a recording, each frame keeps the name of its file.
        try folder.write("again.jsonl", ending.results)
        let again = try await Program.run(
            "run", "-q", "run.yaml", "--set", "file.path=again.jsonl", "--set", "resample.points=4", folder: folder.path
        )
        #expect(again.results.contains("\"file\":\"recorded/ada/one.xml\""))
    }

    @Test(
        "pipectl: in every command, missing files, unreadable data and unwritable files have the same codes and end with 3"
    )
    func codes() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", "version: 1\nmode: live\nsources: [stdin]\nsinks: [stdout]\n")
        try folder.write("missing.yaml", echo.replacing("stdin: {", with: "file: { path: none.jsonl,"))
        let broken = try folder.write(
            "broken.jsonl", "{\"v\":1,\"kind\":\"stroke\",\"t_us\":5,\"fields\":\"xy\",\"pts\":[0,0,1\n")
        let sample = "\(Repository.root)/Samples/session.jsonl"
        let missing = ["none.jsonl", "none.json", "none.yaml"]
        func run(_ words: [String]) async throws -> Program.Ending {
            try await Program.shell("exec \"$0\" \"$@\"", [try Program.path()] + words, folder: folder.path)
        }
        for words in [
            ["run", missing[2]], ["validate", missing[2]], ["test", missing[2]], ["graph", missing[2]],
            ["run", "missing.yaml"],
            ["eval", missing[0]], ["eval", missing[1]], ["eval", "--library", missing[1], sample],
            ["draw", missing[0], "-o", "a.svg"],
            ["draw", missing[1], "-o", "a.svg"], ["gestures", "show", missing[1]],
            ["gestures", "import", "new.json", missing[0]],
            ["whatif", "live.yaml", missing[0]], ["replay", missing[0]],
            ["run", "live.yaml", "--simulate", missing[0]],
        ] {
            let ending = try await run(words)
            #expect(ending.code == 3, "\(words)")
            #expect(
                (ending.results + ending.messages).contains("error[file.not_found]: "), "\(words): \(ending.messages)")
        }
        for words in [
            ["eval", broken], ["draw", broken, "-o", "a.svg"], ["gestures", "import", "new.json", broken],
            ["gestures", "add", "new.json", "x", broken], ["whatif", "live.yaml", broken], ["replay", broken],
            ["run", "live.yaml", "--simulate", broken], ["gestures", "list", broken],
        ] {
            let ending = try await run(words)
            #expect(ending.code == 3, "\(words): \(ending.messages)")
            #expect(ending.messages.contains("decode.truncated"), "\(words): \(ending.messages)")
        }
        for words in [
            ["run", "live.yaml", "--drops=none/a.jsonl"], ["draw", sample, "-o", "none/a.svg"],
            ["eval", sample, "--templates=1", "--repetitions=1", "--svg=none/a.svg"],
            ["gestures", "import", "none/a.json", sample],
            ["gestures", "show", "\(Repository.root)/Samples/shapes.json", "star", "--svg=none/a.svg"],
        ] {
            let ending = try await run(words)
            #expect(
                ending.code == 3 && ending.messages.contains("error[file.unwritable]: "), "\(words): \(ending.messages)"
            )
            #expect(ending.messages.contains("make the folder first"), "\(words): \(ending.messages)")
        }
    }

    @Test("pipectl run: exit codes distinguish errors of the configuration from those of the environment")
    func refused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        try folder.write("file.yaml", echo.replacingOccurrences(of: "stdin: {", with: "file: { path: none.jsonl,"))
        let option = try await Program.run("run", "echo.yaml", "--set", "stdout.format=xml", folder: folder.path)
        #expect(option.code == 2)
        #expect(option.messages.contains("error[option.choice]"))
        #expect(try await Program.run("run", "none.yaml", folder: folder.path).code == 3)
        let file = try await Program.run("run", "file.yaml", folder: folder.path)
        #expect(file.code == 3)
        #expect(file.messages.contains("none.jsonl"))
    }

    @Test("pipectl run: if the reader of the results leaves early, the run ends successfully and prints no message")
    func closedPipe() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let ending = try await Program.shell(
            "\"$0\" run -q echo.yaml | head -n 1 | wc -l; echo ${PIPESTATUS[0]}", [try Program.path()],
            input: (0..<20_000).map(stroke).joined(), folder: folder.path)
        #expect(ending.results.split(whereSeparator: \.isWhitespace) == ["1", "0"])
        #expect(ending.messages == "")
    }

    @Test(
        "pipectl run: SIGINT and SIGTERM drain, show the ledger and end with 0", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let session = try Program.Session(try Program.path(), ["run", "echo.yaml"], folder: folder.path)
        let ending = await session.converse {
            session.write(stroke(0))
            let first = session.readSome()
            session.send(signal)
            let ending = session.finish()
            session.closeInput()
            #expect(first.hasSuffix("\n"))
            return ending
        }
        #expect(ending.code == 0)
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
    }

    @Test("pipectl run: a SIGHUP that is ignored, as under nohup, stays ignored")
    func hangup() async throws {
        let folder = try TemporaryFolder()
        try folder.write("echo.yaml", echo)
        let session = try Program.Session(
            "/bin/bash", ["-c", "trap '' HUP; exec \"$0\" run echo.yaml", try Program.path()], folder: folder.path)
        let ending = await session.converse {
            session.write(stroke(0))
            let first = session.readSome()
            session.send(SIGHUP)
            session.write(stroke(1))
            let second = session.readSome()
            session.closeInput()
            #expect(first.hasSuffix("\n") && second.hasSuffix("\n"))
            return session.finish()
        }
        #expect(ending.code == 0)
        #expect(ending.messages.contains("stdout   2    2        0       0"), "\(ending.messages)")
    }

    @Test(
        "pipectl run: a node that does not drain in time is named, and the run ends with 4; a later signal ends it with 130"
    )
    func forced() async throws {
        let folder = try TemporaryFolder()
        // One frame is larger than any pipe, so the sink blocks as soon as there is a result.
        let points = (0..<40_000).map { "\($0)" }.joined(separator: ",")
        let frames = (1...5).map {
            #"{"v":1,"kind":"stroke","stream":"pen","t_us":\#($0),"fields":"xy","pts":[\#(points)]}"#
        }
        let input = try folder.write("large.jsonl", frames.joined(separator: "\n"))
        // Two signals at the same time count once. They are different, because two of the same kind may be merged before they are
        // delivered.
        for (timeout, isLater, code) in [(50, false, 4), (60_000, true, 130)] as [(Int, Bool, Int32)] {
            try folder.write(
                "blocked.yaml",
                echo.replacingOccurrences(of: "stdin: {", with: "file: { path: \(input),")
                    + "shutdown_timeout_ms: \(timeout)\n")
            let session = try Program.Session(try Program.path(), ["run", "blocked.yaml"], folder: folder.path)
            // Nobody reads any more, so nothing can drain.
            let ending = await session.converse {
                _ = session.readSome()
                session.send(SIGINT)
                // The message appears after 1.5 s.
                if isLater { _ = session.readMessages(until: "told to stop") }
                session.send(SIGTERM)
                session.waitForExit()
                return session.finish()
            }
            #expect(ending.code == code)
            #expect(ending.messages.contains("error: a second signal ends the program at once") == isLater)
            if code == 4 {
                #expect(ending.messages.contains("ledger: left open, stdout still held frames\n"))
                #expect(ending.messages.contains("error[run.forced]: had to be ended by force: "))
            }
        }
    }
}
