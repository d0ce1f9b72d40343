import Connectors
import Foundation
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("Log messages of runs")
struct LogTests {
    private static let pipeline = """
        version: 1
        sources:
          - stdin: { id: in, kind: stroke, on_error: skip }
        sinks:
          - discard

        """

    private static let bad = "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"\\u001b]0;x\\u0007\\u202eb\",\"pts\":[1]}\n"

    private func run(
        _ flags: String..., environment: [String: String] = [:]
    ) async throws -> (code: Int32, lines: [String]) {
        let folder = try TemporaryFolder()
        try folder.write("demo.yaml", Self.pipeline)
        let ending = try await Program.shell(
            "exec \"$0\" run demo.yaml \"$@\"", [try Program.path()] + flags, input: Self.bad,
            environment: environment, folder: folder.path)
        #expect(ending.results == "")
        return (ending.code, ending.messages.split(separator: "\n").map(String.init))
    }

    @Test("Log messages: with --log-format=json, they are JSON objects, and control characters are escaped")
    func json() async throws {
        let (code, lines) = try await run("--log-format=json")
        #expect(code == 0)
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
        for (line, object) in zip(lines, objects) {
            #expect(object["message"] is String && ["info", "warning"].contains(object["level"] as? String))
            let time = try #require(object["time"] as? String)
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(line.hasPrefix("{\"time\":\"\(time)\",\"level\":"))
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E && $0.value != 0x7F })
        }
        let warning = try #require(objects.first)
        #expect(warning["level"] as? String == "warning")
        #expect(warning["node"] as? String == "in")
        #expect((warning["code"] as? String)?.hasPrefix("decode.") ?? false)
        let report = try #require(objects.last?["report"] as? [String: Any])
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        #expect(nodes.first?["failed"] as? Int == 1)
    }

    @Test("Log messages: without a terminal, they begin with the time, and tables do not")
    func times() async throws {
        let (_, lines) = try await run()
        let said = try #require(lines.first)
        let start =
            /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning\[decode\.[a-z_]+\]: in: standard input, line 1/
        #expect(said.prefixMatch(of: start) != nil)
        #expect(lines.contains { $0.hasPrefix("ledger: ") })
        // A command that ends immediately shows no time.
        let other = try await Program.run("stages", "nothing")
        #expect(other.messages.hasPrefix("error"))
    }

    @Test("Log messages: on a terminal, they have no prefix")
    func terminal() throws {
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Program.path())
        process.arguments = ["run", "-"]
        let input = Pipe()
        process.standardInput = input
        (process.standardOutput, process.standardError) = (terminal.line, terminal.line)
        process.environment = ["NO_COLOR": "1", "TERM": "dumb"]
        try process.run()
        try input.fileHandleForWriting.write(
            contentsOf: Data("version: 1\nsources: [file: { path: /dev/null }]\nsinks: [discard]\n".utf8))
        try input.fileHandleForWriting.close()
        let shown = try terminal.readToEnd()
        #expect(shown.hasPrefix("file: /dev/null is empty\r\n"), "\(shown)")
    }

    @Test(
        "Log messages: flags set the lowest level that is shown",
        arguments: [
            ([], [.info, .warning]), (["--log-level=info"], [.info, .warning]), (["--log-level=warning"], [.warning]),
            (["--log-level=error"], []), (["-q"], []), (["-v"], [.info, .warning]),
            (["--log-level=debug"], [.info, .warning]),
        ] as [([String], [Level])])
    func levels(flags: [String], expected: [Level]) async throws {
        let recorder = Recorder()
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "demo.yaml",
            Self.pipeline.replacing(
                "stdin: { id: in, kind: stroke,", with: "file: { id: in, path: bad.jsonl, format: jsonl, kind: stroke,")
        )
        try folder.write("bad.jsonl", Self.bad)
        let code = await CommandLineTool.pipectl.run(
            ["run", config, "--log-format", "json"] + flags, recorder.console())
        #expect(code == .done)
        let levels = Set(
            recorder.messages.split(separator: "\n").compactMap {
                $0.firstMatch(of: /"level":"([a-z]+)"/).flatMap { Level(rawValue: String($0.1)) }
            })
        #expect(levels == Set(expected))
    }

    enum Level: String { case info, warning }

    @Test("Log messages: two flags that both set the level are refused")
    func twoWays() async {
        for short in ["-q", "-v"] {
            let answer = await pipectl("run", "x.yaml", short, "--log-level=info")
            #expect(answer.code == .configuration)
            #expect(answer.messages.hasPrefix("error: \(short) and --log-level both set the level of messages\n"))
        }
        let misspelt = await pipectl("run", "x.yaml", "--log-level=warnin")
        #expect(misspelt.messages.contains("did you mean \"warning\"?"))
    }

    @Test("Log messages: for systemd's journal, they begin with their priority, and have no time")
    func journal() async throws {
        let folder = try TemporaryFolder()
        try folder.write("demo.yaml", Self.pipeline)
        // The journal is the file that JOURNAL_STREAM identifies by its device and inode.
        let script = """
            : >journal
            export JOURNAL_STREAM=$(stat -Lc %d:%i journal 2>/dev/null || stat -Lf %d:%i journal)
            "$0" run demo.yaml "$@" 2>>journal
            cat journal
            """
        let text = try await Program.shell(script, [try Program.path()], input: Self.bad, folder: folder.path)
        let lines = text.results.split(separator: "\n")
        #expect(lines.first?.prefixMatch(of: #/<4>warning\[decode\.[a-z_]+\]: in: /#) != nil, "\(text.results)")
        #expect(lines.count > 3 && lines.dropFirst().allSatisfy { $0.hasPrefix("<6>") })
        let json = try await Program.shell(
            script, [try Program.path(), "--log-format=json"], input: Self.bad, folder: folder.path)
        #expect(json.results.hasPrefix("<4>{\"time\":"))
        // Every line about a configuration error has a priority too, so `journalctl -p err` shows all of them.
        try folder.write("demo.yaml", "version: 1\nsources: [synthetc]\nsinks: [stdout]\n")
        let wrong = try await Program.shell(script, [try Program.path()], folder: folder.path)
        let said = wrong.results.split(separator: "\n")
        #expect(said.first == "<3>error[graph.unknown_component]: no source is called \"synthetc\"")
        #expect(said.count > 3 && said.allSatisfy { $0.hasPrefix("<3>") }, "\(wrong.results)")
    }

    @Test("Log messages: with --log-format=json, findings of a configuration are data too")
    func findings() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", "version: 1\nsources: [synthetc]\nsinks: [stdout]\n")
        let ending = try await Program.run("run", "wrong.yaml", "--log-format=json", folder: folder.path)
        #expect(ending.code == 2)
        let line = try #require(ending.messages.split(separator: "\n").first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["code"] as? String == "graph.unknown_component")
        #expect(object["place"] as? String == "wrong.yaml:2:11")
        #expect((object["help"] as? [String])?.first?.contains("synthetic") ?? false)
    }

    @Test(
        "Log messages: their time is in UTC, in milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (1_700_000_000_999_999_999, "2023-11-14T22:13:20.999Z"), (-1_000_000, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func clock(nanoseconds: Int64, text: String) {
        #expect(TimeOfDay(nanoseconds: nanoseconds).text == text)
        #expect(TimeOfDay(nanoseconds: nanoseconds).day == String(text.prefix(10)))
    }
}
