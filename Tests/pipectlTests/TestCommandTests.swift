import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("pipectl test")
struct TestCommandTests {
    private static let pipeline = """
        version: 1
        mode: live
        sources:
          - zmq: { id: camera, connect: "tcp://127.0.0.1:5556", socket: sub, kind: vector }
        stages:
          - tap: { id: work }
        sinks:
          - stdout

        """

    private func run(_ tests: String, _ flags: String...) async throws -> Program.Ending {
        let folder = try TemporaryFolder()
        try folder.write("p.yaml", Self.pipeline + tests)
        return try await Program.shell(
            "NO_COLOR=1 exec \"$0\" test p.yaml \"$@\"", [try Program.path()] + flags, folder: folder.path)
    }

    private static let passing = """
        tests:
          - name: everything passes
            legend: { a: { values: [1] } }
            in: { camera: "a-a|" }
            out: { stdout: "a-a|" }
          - name: nothing comes
            out: { stdout: "|" }

        """

    // The results that `fails` expects were worked out by hand. The stage is busy with the first a from 0 to 25 ms. Meanwhile, b
    // (20 ms) replaces the second a (10 ms), which is dropped. The stage processes b until 50 ms.
    private static let failing = """
        tests:
          - name: nothing is dropped
            tick_ms: 10
            tolerance: 0.01
            legend: { a: { values: [1] }, b: { values: [2.5] } }
            service_ms: { work: 25 }
            in: { camera: "aab|" }
            out: { stdout: "a(ab)b|", work: [{ values: [1.005] }, { values: [2.6], at_ms: 50 }] }
            drops: []
            ledger: { work: { in: 3 } }

        """

    @Test("pipectl test: a line for each test, and exit code 0 when all pass")
    func passes() async throws {
        let ending = try await run(Self.passing)
        #expect(ending.code == 0)
        #expect(
            ending.results == """
                ✓ p.yaml: everything passes  (2 frames, 3 ms)
                ✓ p.yaml: nothing comes  (0 frames, 0 ms)

                """)
        #expect(ending.messages == "2 tests passed\n")
    }

    @Test("pipectl test: a failed test shows its timelines below each other and every difference in words; exit code 1")
    func fails() async throws {
        let ending = try await run(Self.failing)
        #expect(ending.code == 1)
        #expect(
            ending.results == """
                ✗ p.yaml: nothing is dropped  (3 frames, 50 ms)
                    stdout
                      expected  a(ab)b|
                      actual    a-   b|
                                 ^^^^
                      at 10 ms: a is expected, and nothing came
                      at 10 ms: b is expected, and nothing came
                    work
                      [1] values[0] is 2.5, and 2.6 is expected
                    drops
                      not expected: {"stream":"test","seq":1,"t_us":10000} at camera → work, edge_full
                    ledger
                      work: in is 2, and 3 is expected

                """)
        #expect(ending.messages == "1 of 1 test failed\n")
    }

    @Test("pipectl test: results of tests are available as data")
    func json() async throws {
        let ending = try await run(Self.failing, "--format=json")
        #expect(ending.code == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        #expect(report["failed"] as? Int == 1)
        let test = try #require((report["tests"] as? [[String: Any]])?.first)
        #expect(test["name"] as? String == "nothing is dropped")
        let problems = try #require(test["problems"] as? [[String: Any]])
        #expect(problems.map { $0["where"] as? String } == ["stdout", "work", "drops", "ledger"])
        #expect(problems[0]["expected"] as? String == "a(ab)b|")
        #expect(problems[0]["actual"] as? String == "a-   b|")
    }

    /// Returns the report of `--format=junit` as Python's reader sees it: a line for each element, with its attributes and text.
    private func junit(_ files: [(name: String, text: String)]) async throws -> (Program.Ending, [String]) {
        let folder = try TemporaryFolder()
        for file in files { try folder.write(file.name, file.text) }
        let ending = try await Program.shell(
            "exec \"$0\" test --format=junit \"$@\"", [try Program.path()] + files.map(\.name), folder: folder.path)
        try folder.write("tests.xml", ending.results)
        let script = """
            import xml.etree.ElementTree as tree
            for element in tree.parse("tests.xml").iter():
                words = [element.tag] + [key + "=" + value for key, value in element.attrib.items()]
                print(" ".join(words + (element.text or "").split("\\n")).strip())
            """
        try folder.write("show.py", script)
        let shown = try await Program.shell("exec python3 show.py", [], folder: folder.path)
        #expect(shown.code == 0, "\(shown.messages)\n\(ending.results)")
        return (ending, shown.results.split(separator: "\n").map { String($0.trimmingCharacters(in: .whitespaces)) })
    }

    @Test("pipectl test: --format=junit is a report in XML that names each test, its failure and wrong pipelines")
    func junit() async throws {
        let hostile = Self.passing.replacingOccurrences(of: "nothing comes", with: "\"<a> & 'b' \\x01\"")
        let (ending, lines) = try await junit([
            ("a.yaml", Self.pipeline + hostile), ("b.yaml", Self.pipeline + Self.failing), ("c.yaml", "version: 2\n"),
        ])
        #expect(ending.code == 2)
        #expect(lines.count == 10, "\(lines)")
        #expect(lines[0] == "testsuites name=pipectl test tests=4 failures=1 errors=1 time=0.053000")
        #expect(lines[1] == "testsuite name=a.yaml tests=2 failures=0 errors=0 time=0.003000")
        #expect(lines[2] == "testcase classname=a.yaml name=everything passes time=0.003000")
        #expect(lines[3] == "testcase classname=a.yaml name=<a> & 'b' \u{FFFD} time=0.000000")
        #expect(lines[5] == "testcase classname=b.yaml name=nothing is dropped time=0.050000")
        #expect(lines[6].hasPrefix("failure message=stdout: at 10 ms: a is expected, and nothing came"), "\(lines[6])")
        #expect(lines[6].contains("expected  a(ab)b|") && lines[6].contains("work: in is 2, and 3 is expected"))
        #expect(lines[8] == "testcase classname=c.yaml name=the configuration is valid time=0.000000")
        #expect(lines[9].hasPrefix("error message=") && lines[9].contains("c.yaml:1:10"), "\(lines[9])")
    }

    @Test("pipectl test: an unknown drop reason and an unknown error code are warnings that suggest the right one")
    func unknownWords() async throws {
        let ending = try await run(
            """
            tests:
              - name: it
                in: { camera: "|" }
                drops: [{ where: camera -> work, why: edge_ful, frames: "" }]
                fails: source.disordr

            """)
        #expect(
            ending.messages.contains("warning[test.unknown_reason]: \"camera -> work\" drops no frames as \"edge_ful\"")
        )
        #expect(ending.messages.contains("did you mean \"edge_full\"?"), "\(ending.messages)")
        #expect(ending.messages.contains("warning[test.unknown_code]: no error has the code \"source.disordr\""))
        #expect(ending.messages.contains("did you mean \"source.disorder\"?"), "\(ending.messages)")
    }

    @Test("pipectl test: an unknown error code of an input or of a failed frame is one warning, where it first occurs")
    func unknownCodesOfFrames() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "p.yaml",
            """
            version: 1
            sources: [zmq: { id: pen, connect: "tcp://127.0.0.1:5556", socket: sub, kind: stroke, on_error: route }]
            sinks: [discard: { from: pen }, discard: { id: broken, from: pen.errors }]
            tests:
              - name: it
                legend:
                  e: { error: decode.tpye }
                  f: { code: decode.tpye }
                  g: { code: decode.rnge }
                in: { pen: "e-e" }
                out: { pen.errors: "f-g" }
                fails: decode.tpye

            """)
        let ending = try await Program.run("validate", "p.yaml", folder: folder.path)
        let messages = ending.results + ending.messages
        #expect(messages.split(separator: "warning[test.unknown_code]").count == 3, "\(messages)")
        #expect(messages.contains("no error has the code \"decode.tpye\"\n --> p.yaml:7:19"), "\(messages)")
        #expect(messages.contains("no error has the code \"decode.rnge\"\n --> p.yaml:9:18"), "\(messages)")
        #expect(messages.contains("did you mean \"decode.type\"?"), "\(messages)")
    }

    @Test("pipectl test: --filter chooses by name, in any case; it is an error if no test matches")
    func filter() async throws {
        #expect(try await run(Self.passing, "--filter=NOTHING").messages == "1 test passed\n")
        let none = try await run(Self.passing, "--filter=else")
        #expect(none.code == 2)
        #expect(none.messages.hasPrefix("error: there is no test in p.yaml whose name contains \"else\"\n"))
        let empty = try await run("")
        #expect(empty.code == 2)
        #expect(empty.messages.hasPrefix("error: there is no test in p.yaml\n"))
    }

    @Test("pipectl test: an invalid pipeline is refused with its findings, exit code 2")
    func wrong() async throws {
        let ending = try await run("tests: [{ name: it, in: { camra: \"a\" } }]\n")
        #expect(ending.code == 2)
        #expect(ending.messages.contains("error[test.unknown_name]: no source is called \"camra\""))
        #expect(ending.messages.contains("did you mean \"camera\"?"))
    }
}
