import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("diff, and golden results")
struct DiffTests {
    private let session = "\(Repository.root)/Samples/session.jsonl"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("whole.yaml", "")
        try write("half.yaml", "  - sample: { every: 2 }")
        try write("eight.yaml", "  - resample: { points: 8 }")
        try write("nine.yaml", "  - resample: { points: 9 }")
    }

    private func write(_ name: String, _ stage: String) throws {
        try folder.write(
            name,
            """
            version: 1
            sources:
              - stdin: { kind: stroke }
            \(stage.isEmpty ? "" : "stages:\n\(stage)")
            sinks:
              - stdout
              - file: { path: nowhere/out.jsonl }

            """)
    }

    private func run(_ words: String...) async throws -> Program.Ending {
        try await Program.shell(
            "NO_COLOR=1 exec \"$0\" \"$@\"", [try Program.path()] + words, folder: folder.path)
    }

    // The session has eight strokes in each of three streams. If every second stroke is dropped, twelve are left.
    @Test(
        "pipectl diff: results of only one of the pipelines are listed as gone or new, and the exit code is 1",
        arguments: [("whole.yaml", "half.yaml", "0 new, 12 gone"), ("half.yaml", "whole.yaml", "12 new, 0 gone")])
    func counts(_ before: String, _ after: String, _ words: String) async throws {
        let ending = try await run("diff", before, after, "--on", session)
        #expect(ending.code == 1)
        #expect(ending.results.contains("12 the same, \(words), 0 different"), "\(ending.results)\(ending.messages)")
        #expect(ending.results.split(separator: "\n").count == 1 + 1 + 12)
    }

    @Test("pipectl diff: differing results are listed with their first difference, as data and with ten pictures")
    func different() async throws {
        let ending = try await run(
            "diff", "eight.yaml", "nine.yaml", "--on", session, "--format=json", "--html=diff.html")
        #expect(ending.code == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        let results = try #require(report["results"] as? [String: Int])
        #expect(results == ["before": 24, "after": 24, "same": 0, "new": 0, "gone": 0, "different": 24])
        let differences = try #require(report["differences"] as? [[String: Any]])
        #expect(differences.allSatisfy { ($0["first_difference"] as? String)?.contains("pts has") == true })
        let html = try folder.read("diff.html")
        #expect(html.components(separatedBy: "<svg").count == 1 + 10)
        #expect(html.components(separatedBy: "<tr>").count == 1 + 1 + 24)
    }

    @Test("pipectl diff --html overwrites no recording, no pipeline, and no file that a pipeline reads or writes")
    func overwriting() async throws {
        let strokes = try String(contentsOfFile: session, encoding: .utf8)
        for name in ["recording.jsonl", "read.jsonl", "written.jsonl"] { try folder.write(name, strokes) }
        try folder.write(
            "files.yaml",
            """
            version: 1
            sources:
              - file: { path: read.jsonl }
            sinks:
              - file: { id: out, path: written.jsonl, if_exists: overwrite }

            """)
        let outputs = ["recording.jsonl", "files.yaml", "whole.yaml", "read.jsonl", "written.jsonl"]
        for (before, after) in [("whole.yaml", "files.yaml"), ("files.yaml", "whole.yaml")] {
            for output in outputs {
                let ending = try await run(
                    "diff", before, after, "--on", "file=recording.jsonl", "--html", output)
                #expect(ending.code == 2, "\(output) \(ending.messages)")
                #expect(ending.messages.contains("error: --html would write over \(output), which "))
            }
        }
        #expect(try folder.read("read.jsonl") == strokes && folder.read("written.jsonl") == strokes)
        #expect(try folder.read("recording.jsonl") == strokes)
    }

    @Test("pipectl diff: a pipeline has no differences from itself, for any format of the recording and in live mode")
    func same() async throws {
        _ = try await run("convert", "-q", session, "session.mcap")
        let ending = try await run("diff", "eight.yaml", "eight.yaml", "--on", session, "--on", "session.mcap")
        #expect(ending.code == 0)
        #expect(ending.results.contains("48 results; eight.yaml: 48; 48 the same"), "\(ending.results)")
        let live = "\(Repository.root)/Configs/live-strokes.yaml"
        let other = try await run("diff", live, live, "--on", "\(Repository.root)/Samples/live.jsonl")
        #expect(other.code == 0, "\(other.messages)")
    }

    @Test("pipectl diff: a number that differs from the golden one by 0.0001 is reported with both values")
    func tolerance() async throws {
        let text = try String(contentsOfFile: session, encoding: .utf8)
        try folder.write("moved.jsonl", text.replacing("\"pts\":[116.4624,", with: "\"pts\":[116.4625,"))
        for name in ["a", "b"] {
            try folder.write(
                "\(name).yaml",
                """
                version: 1
                sources:
                  - file: { path: \(name == "a" ? session : "moved.jsonl") }
                sinks:
                  - stdout

                """)
        }
        _ = try await run("test", "--golden=\(session)", "a.yaml")
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/a.golden.jsonl", toPath: "\(folder.path)/b.golden.jsonl")
        let changed = try folder.read("b.golden.jsonl").replacing("116.4624", with: "116.4625")
        try folder.write("b.golden.jsonl", changed)
        let ending = try await run("test", "--golden=\(session)", "b.yaml")
        #expect(ending.code == 1)
        #expect(ending.results.contains("1 different"), "\(ending.results)\(ending.messages)")
        #expect(ending.results.contains("pts[0] is 116.4624, and 116.4625 is expected"))
    }

    @Test("pipectl test --golden: results are stored beside a pipeline, and after a change, the differences are shown")
    func golden() async throws {
        let first = try await run("test", "--golden=\(session)", "eight.yaml")
        #expect(first.code == 0)
        #expect(first.messages.contains("24 results stored in eight.golden.jsonl"))
        #expect(try await run("test", "--golden=\(session)", "eight.yaml").code == 0)
        try write("eight.yaml", "  - resample: { points: 9 }")
        let changed = try await run("test", "--golden=\(session)", "eight.yaml")
        #expect(changed.code == 1)
        #expect(changed.results.contains("0 the same, 0 new, 0 gone, 24 different"), "\(changed.results)")
        #expect(try await run("test", "--golden=\(session)", "--update", "eight.yaml").code == 0)
        #expect(try await run("test", "--golden=\(session)", "eight.yaml").code == 0)
    }

    @Test("pipectl test --golden: a missing recording is reported without help about paths in configurations")
    func missingRecording() async throws {
        let ending = try await run("test", "--golden=nowhere.jsonl", "eight.yaml")
        #expect(ending.code == 3 && ending.messages.contains("nowhere.jsonl is not there"), "\(ending.messages)")
        #expect(!ending.messages.contains("paths are relative"), "\(ending.messages)")
    }

    @Test("diff, test --golden: a frame that ends the run gives the exit code of `run`")
    func failingRun() async throws {
        try write("strict.yaml", "  - resample: { points: 8 }")
        let strict = try folder.read("strict.yaml").replacing("kind: stroke", with: "kind: stroke, on_error: fail")
        try folder.write("strict.yaml", strict)
        try folder.write("bad.jsonl", String(contentsOfFile: session, encoding: .utf8) + "no stroke\n")
        let ran = try await Program.shell(
            "mkdir -p nowhere && \"$0\" run strict.yaml < bad.jsonl", [try Program.path()], folder: folder.path)
        let compared = try await run("diff", "strict.yaml", "eight.yaml", "--on", "bad.jsonl")
        let tested = try await run("test", "--golden=bad.jsonl", "strict.yaml")
        #expect([ran.code, compared.code, tested.code] == [1, 1, 1], "\(ran) \(compared) \(tested)")
        #expect(compared.messages.contains("line 25"), "\(compared.messages)")
    }

    @Test("pipectl test --golden: stored results are the same for every spelling of a recording's path")
    func spellings() async throws {
        let strokes = try String(contentsOfFile: session, encoding: .utf8)
        for name in ["data/session.jsonl", "other/session.jsonl"] { try folder.write(name, strokes) }
        #expect(try await run("test", "--golden=data/session.jsonl", "eight.yaml").code == 0)
        let stored = try folder.read("eight.golden.jsonl")
        #expect(stored.hasPrefix(#"{"recording":"session.jsonl","#), "\(stored.prefix(100))")
        let spellings = ["./data/session.jsonl", "other/../data/session.jsonl", "\(folder.path)/data/session.jsonl"]
        for spelling in spellings {
            let ending = try await run("test", "--golden=\(spelling)", "eight.yaml")
            #expect(ending.code == 0, "\(spelling) \(ending.results)\(ending.messages)")
            #expect(try await run("test", "--golden=\(spelling)", "--update", "eight.yaml").code == 0)
            #expect(try folder.read("eight.golden.jsonl") == stored)
        }
        // Files that were stored with the path of the recording can still be compared.
        try folder.write("eight.golden.jsonl", stored.replacing("\"session.jsonl\"", with: "\"./data/session.jsonl\""))
        #expect(try await run("test", "--golden=\(folder.path)/data/session.jsonl", "eight.yaml").code == 0)
    }

    @Test("pipectl test --golden: recordings of the same name have their folders in their names")
    func sameNames() {
        func results(_ recordings: [String]) -> [FoundResult] {
            recordings.map {
                FoundResult(
                    moment: .init(recording: $0, kind: "stroke", stream: "pen", time: 0), text: "{}", summary: "")
            }
        }
        func names(_ results: [FoundResult]) -> [String] { results.map(\.moment.recording) }
        let paths = ["/x/mon/a.mcap", "/x/tue/a.mcap", "/x/b.mcap"]
        let recordings = GoldenRecordings(paths)
        #expect(names(recordings.named(results(paths))) == ["mon/a.mcap", "tue/a.mcap", "b.mcap"])
        #expect(
            names(recordings.named(results(["/x/mon/a.mcap, /x/tue/a.mcap, /x/b.mcap"])))
                == ["mon/a.mcap, tue/a.mcap, b.mcap"])
        #expect(
            names(recordings.matched(results(["c.mcap", "./b.mcap", "../tue/a.mcap", "x/mon/a.mcap"])))
                == ["c.mcap", "b.mcap", "tue/a.mcap", "mon/a.mcap"])
        // One of the two recordings is enough to compare its results.
        #expect(
            names(GoldenRecordings(["tue/a.mcap"]).matched(results(["mon/a.mcap", "tue/a.mcap"])))
                == ["mon/a.mcap", "a.mcap"])
        #expect(
            names(GoldenRecordings(["a.mcap", "b.mcap"]).matched(results(["x/a.mcap, y/b.mcap"])))
                == ["a.mcap, b.mcap"])
    }

    @Test("pipectl test --golden: a pipeline that is wrong is an error in the report, and the others are compared")
    func wrongPipeline() async throws {
        #expect(try await run("test", "--golden=\(session)", "eight.yaml", "nine.yaml").code == 0)
        try folder.write("broken.yaml", "version: 2\n")
        try folder.write("half.golden.jsonl", "nonsense\n")
        let ending = try await run(
            "test", "--golden=\(session)", "--format=junit", "broken.yaml", "eight.yaml", "half.yaml", "nine.yaml")
        #expect(ending.code == 2)
        let totals = "<testsuites name=\"pipectl test\" tests=\"4\" failures=\"0\" errors=\"2\""
        #expect(ending.results.contains(totals), "\(ending.results)\(ending.messages)")
        #expect(ending.results.contains("classname=\"broken.yaml\" name=\"the configuration is valid\""))
        #expect(ending.results.contains("classname=\"nine.yaml\" name=\"the results are those in nine.golden.jsonl\""))
        #expect(ending.messages.contains("error[golden.unreadable]"))
    }

    @Test("pipectl test --golden: --filter is refused, because whole pipelines are compared")
    func filtered() async throws {
        let ending = try await run("test", "--golden=\(session)", "--filter=x", "eight.yaml")
        #expect(ending.code == 2)
        #expect(ending.messages.contains("--filter has no effect with --golden"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/eight.golden.jsonl"))
    }

    @Test("pipectl test --golden: an interrupt stops any of the runs, is an error, and leaves the stored results")
    func interrupted() async throws {
        try folder.write("eight.golden.jsonl", "as before\n")
        // The program opens the pipe when the second run has begun. The pipe stays open, so that only the signal can end the run.
        let ending = try await Program.shell(
            """
            mkfifo second.jsonl
            "$0" test --golden="$1" --golden=second.jsonl --update eight.yaml &
            exec 3>second.jsonl
            head -n 3 "$1" >&3
            kill -TERM $!
            wait $!
            echo $?
            """, [try Program.path(), session], folder: folder.path)
        #expect(ending.results == "3\n")
        #expect(
            ending.messages.contains(
                "error[run.interrupted]: interrupted: eight.yaml has not read all of second.jsonl"),
            "\(ending.messages)")
        #expect(try folder.read("eight.golden.jsonl") == "as before\n")
    }

    @Test("pipectl diff: frames of an output for errors are compared, also if another sink takes the stage's results")
    func errors() async throws {
        let strokes = try String(contentsOfFile: session, encoding: .utf8)
        let empty = #"{"v":1,"kind":"stroke","stream":"pen/9","seq":0,"t_us":99000000,"fields":"xy","pts":[]}"#
        try folder.write("strokes.jsonl", "\(strokes)\(empty)\n")
        for (name, sinks) in [("routed", "[stdout, discard: { from: resample.errors }]"), ("results", "[stdout]")] {
            try folder.write(
                "\(name).yaml",
                """
                version: 1
                sources: [stdin: { kind: stroke }]
                stages: [resample: { points: 8, on_error: \(name == "routed" ? "route" : "skip") }]
                sinks: \(sinks)

                """)
        }
        let ending = try await run("diff", "results.yaml", "routed.yaml", "--on=strokes.jsonl")
        let words = "24 the same, 1 new, 0 gone, 0 different"
        #expect(ending.results.contains(words), "\(ending.results)\(ending.messages)")
    }

    @Test("pipectl: a verb that reads a configuration more than once refuses standard input")
    func standardInput() async throws {
        for words in [
            ["test", "--golden=\(session)", "-"], ["diff", "-", "eight.yaml", "--on=\(session)"],
            ["tune", "--on=\(Repository.root)/Samples/shapes.json", "--vary=resample.points=8,16", "-"],
        ] {
            let answer = await pipectl(words)
            #expect(answer.code == .configuration)
            #expect(answer.messages.contains("standard input can be read only once"), "\(answer.messages)")
        }
    }

    @Test("pipectl diff and test --golden: missing or damaged files and missing flags are refused")
    func refused() async throws {
        #expect(try await run("diff", "eight.yaml", "nine.yaml").code == 2)
        #expect(try await run("diff", "eight.yaml", "nine.yaml", "--on", "none.jsonl").code == 3)
        #expect(try await run("diff", "eight.yaml", "none.yaml", "--on", session).code == 3)
        #expect(try await run("test", "--update", "eight.yaml").code == 2)
        try folder.write("eight.golden.jsonl", "nonsense\n")
        #expect(try await run("test", "--golden=\(session)", "eight.yaml").code == 3)
    }

    @Test("pipectl diff: a difference is drawn from its own recording, also if another one's path is part of the path")
    func pictures() async throws {
        let strokes = [("a.jsonl", "[0,0,9,9,3,8]"), ("data/a.jsonl", "[0,0,1,5,7,2]")]
        for (name, points) in strokes {
            let frame = #"{"v":1,"kind":"stroke","stream":"pen","seq":0,"t_us":1000,"fields":"xy","pts":"#
            try folder.write(name, "\(frame)\(points)}\n")
        }
        func drawn(_ recordings: String...) async throws -> [String] {
            let ending = try await Program.shell(
                "exec \"$0\" diff eight.yaml nine.yaml --html=diff.html \"$@\"",
                [try Program.path()] + recordings.map { "--on=\($0)" }, folder: folder.path)
            #expect(ending.code == 1, "\(ending.messages)")
            return try folder.read("diff.html").matches(of: /<svg.*?<\/svg>/.dotMatchesNewlines()).map { String($0.0) }
        }
        let (first, second) = try await (drawn("a.jsonl"), drawn("data/a.jsonl"))
        #expect(first.count == 1 && second.count == 1 && first != second)
        #expect(try await drawn("a.jsonl", "data/a.jsonl") == first + second)
        // With the name of a source, a recording is one of those that a single run reads together.
        #expect(try await drawn("stdin=data/a.jsonl") == second)
    }
}
