import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors

@Suite("The pipeline that info suggests for a file")
struct FileSuggestionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func suggestion(_ lines: [String], _ name: String = "a.jsonl") throws -> String? {
        let path = try folder.write(name, lines.map { $0 + "\n" }.joined())
        return SenderSurvey.suggestion(forFile: path, among: PayloadKind.standard)
    }

    /// Runs the suggested pipeline, and returns how many messages it has read and how many it could not read.
    private func run(_ yaml: String) async throws -> (read: Int, failed: Int) {
        let loaded = PipelineLoader(registry: .standard).load(text: yaml)
        #expect(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics) == "")
        let report = await Run(try #require(loaded.plan), options: LogLines().options).finished()
        #expect(report.isSuccess, "\(yaml)")
        return (Int(report.ledger.nodes[0].emitted), Int(report.ledger.nodes[0].failed))
    }

    @Test(
        "The unit of times without a name is that of a usual rate, and a comment says that it is a guess",
        arguments: [
            (["0", "33.3", "66.6"], "ms"), (["0.0", "0.033", "0.066"], "s"),
            (["93000000", "93009000", "93018000"], "us"),
            (["7", "33300007", "66600007"], "ns"), (["1", "2", "7"], "ms"),
        ])
    func unit(times: [String], unit: String) async throws {
        let yaml = try #require(
            try suggestion(times.map { "{\"p\":\(SenderMessages.rows),\"timestamp\":\($0)}" }))
        #expect(
            yaml.contains(
                """
                      decode:
                        points: p
                        t: timestamp
                        # The unit is a guess from the numbers.
                        t_unit: \(unit)

                """), "\(yaml)")
        #expect(try await run(yaml) == (3, 0))
        let certain = try suggestion(times.map { "{\"p\":\(SenderMessages.rows),\"time_\(unit)\":\($0)}" })
        #expect(certain?.contains("t_unit: \(unit)\n") == true && certain?.contains("guess") == false)
    }

    @Test("Messages without times get a rate, and messages with times in ISO 8601 do not need one")
    func rate() async throws {
        let yaml = try #require(try suggestion(Array(repeating: "{\"p\":\(SenderMessages.rows)}", count: 3)))
        #expect(
            yaml.contains(
                "        # The messages have no times: 30 per second is an assumption.\n        hz: 30\n"), "\(yaml)")
        #expect(try await run(yaml) == (3, 0))
        let dated = try #require(
            try suggestion((1...3).map { "{\"p\":\(SenderMessages.rows),\"time\":\"2026-11-23T13:06:0\($0)Z\"}" }))
        #expect(dated.contains("        t: time\n        t_unit: iso8601\n") && !dated.contains("hz"), "\(dated)")
        #expect(try await run(dated) == (3, 0))
    }

    private static let joints = ["SpineBase", "SpineMid", "Neck", "Head", "HandLeft"]

    @Test(
        "Points under names, and joints with a name and a position each, are one set of points",
        arguments: [
            (
                "\"body\":{" + joints.map { "\"\($0)\":{\"x\":1,\"y\":2,\"z\":3}" }.joined(separator: ",") + "}",
                ["kind: landmarks", "topology: \"set(SpineBase,SpineMid,Neck,Head,HandLeft)\"", "points: body"]
            ),
            (
                "\"joints\":["
                    + joints.map { "{\"name\":\"\($0)\",\"position\":{\"x\":1,\"y\":2,\"z\":3},\"confidence\":2}" }
                    .joined(separator: ",") + "]",
                [
                    "kind: landmarks", "topology: \"set(SpineBase,SpineMid,Neck,Head,HandLeft)\"",
                    "points: \"joints[*].position\"",
                ]
            ),
            (
                "\"hand\":{" + (0..<21).map { "\"\($0)\":{\"x\":\($0),\"y\":2}" }.joined(separator: ",") + "}",
                ["kind: hands", "points: hand"]
            ),
        ])
    func names(points: String, lines: [String]) async throws {
        let yaml = try #require(try suggestion((1...3).map { "{\(points),\"t_ms\":\(33 * $0)}" }))
        for line in lines { #expect(yaml.contains(" \(line)\n"), "\(yaml)") }
        #expect(try await run(yaml) == (3, 0))
    }

    @Test("Nothing is suggested for points whose names would end the text of the topology")
    func unspeakableNames() throws {
        let points = (0..<5).map { "\"a\($0)\\\" #\":[1,2]" }.joined(separator: ",")
        #expect(try suggestion(["{\"body\":{\(points)},\"t_ms\":1}"]) == nil)
    }

    @Test(
        "Nothing is suggested for a file that is not JSON Lines",
        arguments: ["a.csv", "a.jsonl", "a.txt"])
    func table(name: String) throws {
        let rows = (0..<20).map { "\($0),\($0 * 17),\($0 % 7),\($0 * 2 % 5)" }
        #expect(try suggestion(["frame,time_ms,px,py"] + rows, name) == nil)
        #expect(try suggestion(rows, name) == nil)
    }

    @Test("Many messages without points do not hide the ones with points")
    func late() async throws {
        let empty = (0..<60).map { "{\"p\":[],\"t_ms\":\($0)}" }
        let yaml = try #require(try suggestion(empty + ["{\"p\":\(SenderMessages.rows),\"t_ms\":60}"]))
        #expect(yaml.contains("kind: hands\n") && yaml.contains("points: p\n"), "\(yaml)")
        #expect(try await run(yaml) == (61, 0))
    }

    @Test(
        "Columns that no source reads are not taken for points, and the remedy is to rename them",
        arguments: [("xs", "ys"), ("PX", "py")])
    func otherColumns(x: String, y: String) async throws {
        func lines(_ x: String, _ y: String) -> [String] {
            [("[1,3]", "[2,4]"), ("[1,3,7,9]", "[2,4,7,7]"), ("[1,3,7]", "[2,4,7]")].enumerated().map {
                "{\"ms\":\(1 + 4 * $0),\"d\":{\"\(x)\":\($1.0),\"\(y)\":\($1.1),\"q\":\($1.0)},\"label\":\"a\"}"
            }
        }
        #expect(try suggestion(lines(x, y)) == nil)
        #expect(
            SenderSurvey.remedy(forFile: "\(folder.path)/a.jsonl")
                == "name the lists \"\(x)\" and \"\(y)\" x and y, in the sender or with jq: sources read such columns")
        let yaml = try #require(try suggestion(lines("x", "Y")))
        #expect(SenderSurvey.remedy(forFile: "\(folder.path)/a.jsonl") == nil)
        #expect(yaml.contains("kind: stroke\n") && yaml.contains("        points: d\n"), "\(yaml)")
        #expect(yaml.contains("        t: ms\n        t_unit: ms\n") && !yaml.contains("guess"), "\(yaml)")
        #expect(try await run(yaml) == (3, 0))
    }

    @Test(
        "A list of numbers is not suggested as points if its length differs and is odd at times",
        arguments: [[2, 4, 3], [2, 2, 2, 3], [8, 10, 9], [8, 10, 12, 10, 9, 11]])
    func oddLists(lengths: [Int]) throws {
        let lines = lengths.enumerated().map { "{\"v\":\(Array(1...$1)),\"t_ms\":\($0)}" }
        #expect(try suggestion(lines) == nil)
        #expect(try suggestion(lines.reversed()) == nil)
    }

    @Test("Nothing is suggested that most messages of the file do not fit")
    func mostlyOther() throws {
        let good = "{\"p\":\(SenderMessages.rows),\"t_ms\":1}"
        #expect(try suggestion([good, #"{"status":"ok"}"#]) != nil)
        #expect(try suggestion([good, #"{"status":"ok"}"#, #"{"status":"ok"}"#]) == nil)
    }

    @Test("A key that only names a unit is a time if there is no other one")
    func unitAsKey() throws {
        let only = try suggestion((1...3).map { "{\"p\":\(SenderMessages.rows),\"seconds\":\($0)}" })
        #expect(only?.contains("        t: seconds\n        t_unit: s\n") == true)
        let both = try suggestion((1...3).map { "{\"ms\":7,\"p\":\(SenderMessages.rows),\"t_us\":\($0)}" })
        #expect(both?.contains("        t: t_us\n        t_unit: us\n") == true)
    }

    @Test("Times of points in ISO 8601 are suggested as such")
    func textTimes() async throws {
        let lines = (1...3).map { number in
            let points = (0..<2).map { #"{"x":1,"y":2,"t":"2026-01-01T10:00:0\#(number).\#($0)Z"}"# }
            return "{\"pts\":[\(points.joined(separator: ","))]}"
        }
        let yaml = try #require(try suggestion(lines))
        #expect(yaml.contains("        points: pts\n        sample_unit: iso8601\n"), "\(yaml)")
        #expect(try await run(yaml) == (3, 0))
    }

    @Test("The suggestion says how many messages of the file do not fit, and skips them")
    func misfits() async throws {
        let good = (0..<60).map { "{\"p\":\(SenderMessages.rows),\"t_ms\":\($0)}" }
        let yaml = try #require(try suggestion(good + [#"{"status":"ok"}"#, "", "{"]))
        #expect(
            yaml.hasPrefix(
                "# 2 of the 62 messages do not fit, and are skipped: a source reads messages of one shape.\n"),
            "\(yaml)")
        #expect(yaml.contains("      on_error: skip\n"))
        #expect(try await run(yaml) == (60, 2))
    }
}
