import Foundation
import PipelineTesting
import Testing

@Suite("Outputs do not overwrite what is read")
struct OutputTests {
    private let folder: TemporaryFolder

    private static let session = """
        {"v":1,"kind":"stroke","stream":"pen","seq":0,"t_us":1000,"fields":"xy","pts":[0,0,1,1]}
        {"v":1,"kind":"stroke","stream":"pen","seq":1,"t_us":2000,"fields":"xy","pts":[0,0,1,2]}

        """

    private static let matching = """
        stages:
          - resample: { points: 16 }
          - normalize: { scale: none }
          - vectorize
          - match: { library: shapes.json }

        """

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("session.jsonl", Self.session)
        try folder.write("session.svg", Self.session)
        try folder.write("sub/inner.jsonl", Self.session)
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Samples")
        try folder.write("shapes.json", String(contentsOf: samples.appending(path: "shapes.json"), encoding: .utf8))
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: "\(folder.path)/link.jsonl", withDestinationPath: "session.jsonl")
        try manager.createSymbolicLink(atPath: "\(folder.path)/later.jsonl", withDestinationPath: "new.jsonl")
        try manager.linkItem(atPath: "\(folder.path)/session.jsonl", toPath: "\(folder.path)/hard.jsonl")
    }

    private var contents: [String: String] {
        get throws {
            var contents: [String: String] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            where !name.hasSuffix("sub") && FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
                contents[name] = try folder.read(name)
            }
            return contents
        }
    }

    private func configuration(source: String = "path: session.jsonl", stages: String = "", sinks: String) -> String {
        """
        version: 1
        sources:
          - file: { \(source) }
        \(stages)sinks:
          - null
          - \(sinks)

        """.replacing("- null", with: "- \"null\"")
    }

    @Test(
        "Outputs: an output to a file that the pipeline reads is refused, by whatever path, and nothing is written",
        arguments: [
            ("session.jsonl", "jsonl"), ("./session.jsonl", "jsonl"), ("sub/../session.jsonl", "jsonl"),
            ("link.jsonl", "jsonl"), ("hard.jsonl", "jsonl"), ("shapes.json", "jsonl"), ("demo.yaml", "jsonl"),
            ("session.jsonl", "append"),
        ])
    func overwritesInput(path: String, how: String) async throws {
        let ifExists = how == "append" ? "append" : "overwrite"
        let text = configuration(
            stages: Self.matching,
            sinks: "file: { id: out, path: \(path), if_exists: \(ifExists) }")
        try folder.write("demo.yaml", text)
        let before = try contents
        for verb in ["validate", "run"] {
            let ending = try await Program.run(verb, "demo.yaml", folder: folder.path)
            #expect(ending.code == 2)
            let messages = ending.results + ending.messages
            #expect(messages.contains("error[output.overwrites_input]: \"out\" would write over \(path), which "))
            #expect(messages.contains("demo.yaml:11:28"))
            let reader =
                switch path {
                case "shapes.json": "which \"match\" reads (demo.yaml:8:23)"
                case "demo.yaml": "which is the configuration"
                default: "which \"file\" reads (demo.yaml:3:19)"
                }
            #expect(messages.contains(reader))
            #expect(messages.contains("give it a path of its own"))
        }
        #expect(try contents == before)
    }

    @Test("Outputs: an output into an input folder, or that matches an input pattern, is refused if it would be read")
    func folders() async throws {
        for source in ["path: sub", "path: 's*/*.jsonl'"] {
            try folder.write(
                "demo.yaml",
                configuration(source: source, sinks: "file: { id: out, path: sub/inner.jsonl, if_exists: overwrite }"))
            let ending = try await Program.run("run", "demo.yaml", folder: folder.path)
            #expect(ending.code == 2)
            #expect(ending.messages.contains("error[output.overwrites_input]"))
            #expect(try folder.read("sub/inner.jsonl") == Self.session)
            try folder.write(
                "demo.yaml",
                configuration(source: source, sinks: "file: { id: out, path: sub/other.txt, if_exists: overwrite }")
            )
            #expect(try await Program.run("run", "-q", "demo.yaml", folder: folder.path).code == 0)
        }
    }

    @Test("Outputs: a picture that would overwrite the file that it draws is refused")
    func picture() async throws {
        try folder.write(
            "demo.yaml",
            configuration(
                source: "path: session.svg, format: jsonl", sinks: "svg: { path: session.svg, if_exists: overwrite }"))
        let ending = try await Program.run("run", "demo.yaml", folder: folder.path)
        #expect(ending.code == 2)
        #expect(ending.messages.contains("error[output.overwrites_input]"))
        #expect(try folder.read("session.svg") == Self.session)
    }

    @Test(
        "Outputs: two outputs to one file are refused, even if the file does not exist yet",
        arguments: [("new.jsonl", "sub/../new.jsonl"), ("new.jsonl", "later.jsonl"), ("new.jsonl", "new.jsonl")])
    func shared(first: String, second: String) async throws {
        try folder.write(
            "demo.yaml", configuration(sinks: "file: { id: out, path: \(first) }\n  - file: { id: b, path: \(second) }")
        )
        let ending = try await Program.run("run", "demo.yaml", folder: folder.path)
        #expect(ending.code == 2)
        #expect(
            ending.messages.contains("error[output.shared]: \"b\" would write over \(second), which \"out\" writes"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/new.jsonl"))
    }

    @Test("Outputs: whether outputs with placeholders are refused does not depend on the files that exist")
    func placeholders() async throws {
        let sinks = """
            file: { id: out, path: "new-{date}.jsonl", if_exists: append }
              - file: { id: b, path: new-errors.jsonl, if_exists: append }
            """
        try folder.write("demo.yaml", configuration(sinks: sinks))
        for _ in 1...2 {
            let ending = try await Program.run("run", "-q", "demo.yaml", folder: folder.path)
            #expect(ending.code == 0 && ending.messages == "", "\(ending.messages)")
        }
        let colliding = """
            file: { id: out, path: "{stream}.jsonl", if_exists: overwrite }
              - file: { id: b, path: pen.jsonl, if_exists: overwrite }
            """
        try folder.write("demo.yaml", configuration(source: "path: sub/inner.jsonl", sinks: colliding))
        for _ in 1...2 {
            let ending = try await Program.run("validate", "demo.yaml", folder: folder.path)
            #expect(ending.code == 0)
            #expect(
                ending.results.contains(
                    "warning[output.shared]: \"out\" can write over pen.jsonl, which \"b\" writes"),
                "\(ending.results)")
            try folder.write("pen.jsonl", Self.session)
        }
    }

    @Test("Outputs: outputs to different files, and to devices, do not conflict")
    func harmless() async throws {
        try folder.write(
            "demo.yaml",
            configuration(
                sinks: """
                    file: { id: out, path: new.jsonl }
                      - file: { id: b, path: /dev/null, if_exists: overwrite }
                      - file: { id: c, path: /dev/null, if_exists: overwrite }
                    """))
        let ending = try await Program.run("run", "-q", "demo.yaml", folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.messages == "")
        #expect(try folder.read("new.jsonl").split(separator: "\n").count == 2)
    }

    @Test(
        "Outputs: --drops must not overwrite a file that the run reads or writes",
        arguments: ["session.jsonl", "hard.jsonl", "demo.yaml", "shapes.json", "new.jsonl"])
    func drops(path: String) async throws {
        try folder.write(
            "demo.yaml",
            configuration(
                stages: Self.matching, sinks: "file: { id: out, path: new.jsonl }"))
        let before = try contents
        let ending = try await Program.run("run", "demo.yaml", "--drops", path, folder: folder.path)
        #expect(ending.code == 2)
        #expect(ending.messages.contains("error: --drops would write over \(path), which "))
        #expect(try contents == before)
    }

    @Test(
        "Outputs: a run that another flag refuses leaves its old files as they are",
        arguments: [
            "--record=run.txt", "--record=old.jsonl", "--record=new.jsonl", "--report=-", "--report=old.jsonl",
            "--report=session.jsonl", "--serve-token=x", "--keep-serving",
        ])
    func refusedByAnotherFlag(_ flag: String) async throws {
        try folder.write("demo.yaml", configuration(sinks: "file: { id: out, path: new.jsonl }"))
        try folder.write("old.jsonl", "precious")
        let before = try contents
        let ending = try await Program.run("run", "demo.yaml", "--drops=old.jsonl", flag, folder: folder.path)
        #expect(ending.code == 2, "\(ending.messages)")
        #expect(try contents == before)
    }

    @Test("Outputs: --drops must not overwrite the recording of a simulation, by whatever path")
    func dropsOverRecording() async throws {
        try folder.write("live.yaml", "version: 1\nmode: live\nsources: [stdin]\nsinks: [\"null\"]\n")
        for recording in ["session.jsonl", "link.jsonl", "stdin=session.jsonl"] {
            let ending = try await Program.run(
                "run", "live.yaml", "--simulate", recording, "--drops=hard.jsonl", folder: folder.path)
            #expect(ending.code == 2)
            #expect(ending.messages.contains("--drops would write over"))
            #expect(try folder.read("session.jsonl") == Self.session)
        }
    }

    @Test(
        "Outputs: a run whose address is in use, or that cannot open one of its outputs, leaves all files as they were"
    )
    func failedStart() async throws {
        try folder.write("demo.yaml", configuration(sinks: "stdout"))
        try folder.write("run.mcap", "recording")
        try folder.write("drops.jsonl", "drops")
        try folder.write("report.json", "report")
        let before = try contents
        func run(_ flags: [String]) async throws -> Program.Ending {
            try await Program.shell(
                "exec \"$0\" run demo.yaml \"$@\"", [try Program.path()] + flags, folder: folder.path)
        }
        let outputs = ["--record=run.mcap", "--drops=drops.jsonl", "--report=report.json"]
        let fresh = ["--record=new.mcap", "--drops=new.jsonl", "--report=new.json"]
        let served = try ServedProgram("demo.yaml", "--keep-serving", folder: folder.path)
        for flags in [outputs, fresh] {
            let ending = try await run(["--serve", served.host] + flags)
            #expect(ending.code == 3 && ending.messages.contains("error[server.bind]"), "\(ending.messages)")
            #expect(try contents == before)
        }
        _ = await served.interrupt()
        for flag in ["--record=no/run.mcap", "--drops=no/drops.jsonl", "--drops=sub", "--report=no/run.json"] {
            let name = flag.prefix { $0 != "=" }
            let ending = try await run([flag] + outputs.filter { !$0.hasPrefix(name) })
            #expect(ending.code == 3, "\(flag)")
            #expect(ending.messages.contains("error[file.unwritable]"), "\(ending.messages)")
            #expect(try contents == before)
        }
    }

    @Test("Outputs: a drawing must not overwrite what its command reads")
    func drawings() async throws {
        let library = try folder.read("shapes.json")
        for words in [
            ["eval", "shapes.json", "--svg=shapes.json"],
            ["eval", "--library=shapes.json", "session.jsonl", "--svg=./shapes.json"],
            ["gestures", "show", "shapes.json", "circle", "--svg=shapes.json"],
        ] {
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\"", [try Program.path()] + words, folder: folder.path)
            #expect(ending.code == 2, "\(ending.messages)")
            #expect(ending.messages.contains("--svg would write over "))
            #expect(try folder.read("shapes.json") == library)
        }
    }

    @Test(
        "Outputs: if the drops cannot be written, the report is shown, and the exit code is 3")
    func dropsNotWritten() async throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        try folder.write(
            "demo.yaml",
            configuration(sinks: "file: { id: out, path: new.jsonl }")
                .replacing("path: session.jsonl", with: "path: session.jsonl, on_error: skip"))
        try folder.write("session.jsonl", Self.session + Self.session)
        let ending = try await Program.run(
            "run", "demo.yaml", "--set=file.on_disorder=drop", "--drops=/dev/full", "--report=report.json",
            folder: folder.path)
        #expect(ending.code == 3)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(try folder.read("report.json").utf8)) as? [String: Any])
        #expect(report["exit_code"] as? Int == 3)
        let failures = try #require(report["failures"] as? [[String: Any]])
        #expect(failures.map { $0["node"] as? String } == ["--drops"])
        #expect(failures.first?["code"] as? String == "file.unwritable")
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        #expect(ending.messages.contains("error[file.unwritable]: /dev/full cannot be written"))
    }

    @Test("Outputs: a full disk does not end a live run, and frames that were not recorded count as failed")
    func fullDisk() async throws {
        try folder.write(
            "live.yaml",
            """
            version: 1
            mode: live
            sources:
              - stdin
            sinks:
              - file: { id: recorder, path: recorded.jsonl }
              - stdout: { format: jsonl }
            """)
        let strokes = (1...10_000).map {
            #"{"v":1,"kind":"stroke","stream":"pen","seq":\#($0),"t_us":\#($0)000,"fields":"xy","pts":[0,0,1,\#($0)]}"#
        }
        // No file may become larger than 512 KiB. A lower limit would prevent the file that the thread sanitizer writes when the
        // process starts.
        let ending = try await Program.shell(
            "ulimit -f 512; exec \"$0\" run live.yaml --format=json", [try Program.path()],
            input: strokes.joined(separator: "\n") + "\n", folder: folder.path)
        #expect(ending.code == 0)
        let warnings = ending.messages.components(separatedBy: "recorder: recorded.jsonl cannot be written: ")
        #expect(warnings.count == 2, "one message")
        let json = try #require(ending.messages.firstIndex(of: "{"))
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.messages[json...].utf8)) as? [String: Any])
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        let recorder = try #require(nodes.first { $0["id"] as? String == "recorder" })
        let recorded = try folder.read("recorded.jsonl")
        #expect(recorded.hasSuffix("\n"))
        #expect(recorder["out"] as? Int == recorded.split(separator: "\n").count)
        #expect((recorder["failed"] as? Int ?? 0) > 0)
        let shown = try #require(nodes.first { $0["id"] as? String == "stdout" })
        #expect(shown["out"] as? Int == ending.results.split(separator: "\n").count)
        #expect(shown["failed"] as? Int == 0)
    }

    @Test("Outputs: a named pipe without a writer, or without a reader, does not delay the end of a run")
    func pipes() async throws {
        try folder.write(
            "reading.yaml",
            """
            version: 1
            shutdown_timeout_ms: 30000
            sources:
              - file: { path: in }
              - stdin
            sinks:
              - "null": { from: file }
              - stdout: { from: stdin, format: jsonl }
            """)
        #expect(mkfifo("\(folder.path)/in", 0o600) == 0)
        let session = try Program.Session(try Program.path(), ["run", "reading.yaml"], folder: folder.path)
        let reading = await session.converse {
            session.write(Self.session)
            _ = session.readSome()
            session.send(SIGTERM)
            let ending = session.finish()
            session.closeInput()
            return ending
        }
        #expect(reading.code == 0)
        #expect(reading.messages.contains("ledger: every frame is accounted for"))

        try folder.write(
            "writing.yaml",
            configuration(sinks: "file: { id: out, path: pipe, if_exists: overwrite }").replacing(
                "version: 1", with: "version: 1\nshutdown_timeout_ms: 30000"))
        let writing = try await Program.shell(
            """
            mkfifo pipe messages
            "$0" run writing.yaml 2>messages &
            exec 3<messages
            read -r line <&3
            echo "$line"
            kill -TERM $!
            cat <&3 >&2
            wait $!
            echo $?
            """, [try Program.path()], folder: folder.path)
        #expect(writing.results.hasSuffix("out: waiting for a reader of pipe\n0\n"))
        #expect(writing.messages.contains("ledger: every frame is accounted for"))
    }

    @Test(
        "Outputs: a reader that opens a named pipe later reads everything that was written",
        arguments: ["overwrite", "append"])
    func laterReader(ifExists: String) async throws {
        try folder.write(
            "writing.yaml", configuration(sinks: "file: { id: out, path: pipe, if_exists: \(ifExists) }"))
        let ending = try await Program.shell(
            """
            mkfifo pipe messages
            "$0" run writing.yaml 2>messages &
            exec 3<messages
            read -r line <&3
            timeout -s KILL 60 cat pipe
            wait $!
            """, [try Program.path()], folder: folder.path)
        #expect(ending.results.split(separator: "\n").count == 2)
    }
}
