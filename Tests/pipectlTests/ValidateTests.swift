import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("validate")
struct ValidateTests {
    private let wrong = """
        version: 1
        sources:
          - fiel: { path: a.jsonl }
        sinks: [nowhere]

        """

    @Test("pipectl validate: all findings are shown as results, each under its line, and the exit code is 2")
    func human() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let ending = try await Program.run("validate", "wrong.yaml", folder: folder.path)
        #expect(ending.code == 2)
        #expect(ending.results.contains(" --> wrong.yaml:3:5\n  |\n3 |   - fiel: { path: a.jsonl }\n  |     ^^^^"))
        #expect(ending.results.contains(" --> wrong.yaml:4:9\n"))
        #expect(ending.results.hasSuffix("\n2 errors\n"))
        #expect(ending.messages == "")
    }

    @Test("pipectl validate: standard input of a live pipeline is not reported as a recording")
    func liveStandardInput() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", "version: 1\nmode: live\nsources: [stdin]\nstages: [tap]\nsinks: [stdout]\n")
        let ending = try await Program.run("validate", "live.yaml", folder: folder.path)
        #expect(ending.code == 0)
        #expect(!ending.results.contains("warning"), "\(ending.results)")
    }

    @Test("pipectl validate: before a sink that takes many kinds, the help proposes stages and what they make")
    func proposal() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "drawn.yaml",
            "version: 1\nsources: [stdin]\nstages: [resample, vectorize]\nsinks:\n  - svg: { path: a.svg }\n")
        let ending = try await Program.run("validate", "drawn.yaml", folder: folder.path)
        #expect(ending.results.contains("put match or trigger between them to turn vector into recognition"))
    }

    @Test("pipectl validate: findings are available as data, with positions")
    func data() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let ending = try await Program.run("validate", "--format=json", "wrong.yaml", folder: folder.path)
        #expect(ending.code == 2)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        #expect(report["version"] as? Int == 1)
        #expect(report["errors"] as? Int == 2)
        let findings = try #require(report["diagnostics"] as? [[String: Any]])
        #expect(findings.map { $0["line"] as? Int } == [3, 4])
        #expect(findings.map { $0["column"] as? Int } == [5, 9])
        #expect(findings.map { $0["path"] as? String } == ["sources[0].fiel", "sinks[0].nowhere"])
    }

    @Test(
        "pipectl validate: a missing file is an error of the environment, and the other files are still checked")
    func missing() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let alone = try await Program.run("validate", "none.yaml", folder: folder.path)
        #expect(alone.code == 3)
        #expect(alone.results == "error[file.not_found]: none.yaml is not there\n\n1 error\n")
        let both = try await Program.run("validate", "none.yaml", "wrong.yaml", folder: folder.path)
        #expect(both.code == 2)
        #expect(both.results.contains("none.yaml") && both.results.contains("wrong.yaml:3:5"))
    }

    private let good = "version: 1\nsources: [synthetic]\nsinks: [discard]\n"

    @Test("pipectl validate: all pipelines in a folder and its subfolders are checked")
    func directory() async throws {
        let folder = try TemporaryFolder()
        for name in ["b.yaml", "a/c.yml", "a/d2.yaml", "a/d10.yaml"] { try folder.write(name, good) }
        try folder.write("a/notes.txt", "no pipeline")
        try folder.write(".hidden.yaml", wrong)
        let ending = try await Program.run("validate", ".", folder: folder.path)
        #expect(ending.code == 0)
        #expect(
            ending.messages
                == ["a/c.yml", "a/d2.yaml", "a/d10.yaml", "b.yaml"].map { "./\($0): nothing is wrong\n" }.joined())
        try folder.write("a/wrong.yaml", wrong)
        #expect(try await Program.run("validate", "a", "b.yaml", folder: folder.path).code == 2)
        try folder.write("none/notes.txt", "no pipeline")
        let none = try await Program.run("validate", "none", folder: folder.path)
        #expect(none.code == 3 && none.messages.hasPrefix("error[file.empty_folder]: "), "\(none.messages)")
        // Only one pipeline can be run, not several.
        let run = try await Program.run("run", folder.path)
        #expect(run.code == 3 && run.messages.contains("is a directory, not a configuration"))
    }

    @Test("pipectl validate: a pipeline may come over standard input; its paths start in the current folder")
    func standardInput() async throws {
        let folder = try TemporaryFolder()
        let checked = try await Program.run("validate", "-", input: wrong)
        #expect(checked.code == 2 && checked.results.contains(" --> stdin:3:5\n"), "\(checked.results)")
        try folder.write(
            "strokes.jsonl", #"{"v":1,"kind":"stroke","stream":"pen","seq":0,"t_us":5,"fields":"xy","pts":[0,0,1,1]}"#)
        let text = "version: 1\nsources: [file: { path: strokes.jsonl }]\nsinks: [stdout: { format: jsonl }]\n"
        let ending = try await Program.run("run", "-q", "-", input: text, folder: folder.path)
        #expect(ending.code == 0 && ending.results.hasPrefix("{\"v\":1,\"kind\":\"stroke\""), "\(ending.messages)")
        let both = try await Program.run(
            "run", "-", input: text.replacing("file: { path: strokes.jsonl }", with: "stdin"))
        #expect(both.code == 2)
        #expect(
            both.messages.replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z\s/, with: "") == """
                error: "stdin" reads standard input, but the configuration was read from there
                  = help: write the configuration to a file, and name the file

                """)
    }

    @Test(
        "pipectl validate: the sink that does nothing is called discard; null, with and without quotes, is another name for it"
    )
    func discard() async throws {
        let names = ["discard", "null", "\"null\"", "discard: {}", "null: { id: a }"]
        for name in names {
            let text = "version: 1\nsources: [synthetic]\nsinks: [\(name)]\n"
            let ending = try await Program.run("validate", "-", input: text)
            #expect(ending.code == 0 && ending.results == "", "\(name): \(ending.results)")
        }
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(await pipectl("schema").results.utf8)) as? [String: Any])
        let sinks = (schema["properties"] as? [String: Any])?["sinks"] as? [String: Any]
        let shapes = try #require((sinks?["items"] as? [String: Any])?["anyOf"] as? [[String: Any]])
        let bare = try #require(shapes.lazy.compactMap { $0["enum"] as? [Any] }.first)
        #expect(bare.contains { $0 as? String == "discard" } && bare.contains { $0 as? String == "null" })
        #expect(bare.contains { $0 is NSNull })
        #expect(shapes.contains { ($0["required"] as? [String]) == ["null"] })
        for name in ["discard", "null"] {
            #expect(await pipectl("stages", name).results.hasPrefix("discard (sink): "))
        }
    }

    @Test("pipectl validate: a path of --set is relative to the current folder, a path in a file to the file's folder")
    func paths() async throws {
        let folder = try TemporaryFolder()
        try folder.write("data/here.jsonl", "")
        try folder.write(
            "configs/p.yaml", "version: 1\nsources: [file: { path: ../data/here.jsonl }]\nsinks: [discard]\n")
        let words = ["run", "-q", "configs/p.yaml", "--set", "file.path=data/here.jsonl"]
        let script = "exec \"$0\" \"$@\""
        let here = try await Program.shell(script, [try Program.path()] + words, folder: folder.path)
        #expect(here.code == 0, "\(here.messages)")
        let file = try await Program.run("run", "-q", "configs/p.yaml", folder: folder.path)
        #expect(file.code == 0, "\(file.messages)")
        let none = try await Program.shell(
            script, [try Program.path()] + words.dropLast() + ["file.path=../data/here.jsonl"], folder: folder.path)
        #expect(none.code == 3)
        #expect(none.messages.contains("../data/here.jsonl is not there"))
        #expect(none.messages.contains("those of --set to the current folder"))
    }

    @Test("pipectl validate: for a stage that takes landmarks and gets hands, the help proposes the stage `each`")
    func nesting() async throws {
        func help(_ stages: String) async throws -> [String] {
            let text = "version: 1\nsources: [stdin: { kind: hands }]\nstages: [\(stages)]\nsinks: [stdout]\n"
            let ending = try await Program.run("validate", "-", "--format=json", input: text)
            let report = try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any]
            return (report?["diagnostics"] as? [[String: Any]] ?? []).compactMap { $0["help"] as? String }
        }
        #expect(
            try await help("normalize_hand") == [
                "to run it on each part of hands, write each: { stages: [ normalize_hand ] }"
            ])
        #expect(
            try await help("vectorize") == ["to run it on each part of hands, write each: { stages: [ vectorize, … ] }"]
        )
        // The proposed configuration is valid.
        #expect(try await help("each: { stages: [ normalize_hand ] }") == [])
        // No stage in a list of stages could make strokes from hands.
        #expect(try await help("resample") == [])
    }
}
