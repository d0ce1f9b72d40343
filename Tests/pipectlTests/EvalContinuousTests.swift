import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("eval --truth: gestures that a pipeline finds in a stream")
struct EvalContinuousTests {
    private static let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Samples/shapes.json").path

    /// Creates a pipeline that recognizes three strokes of 100 ms and reports them when they end: two corners and a line.
    private func pipeline(_ folder: TemporaryFolder) throws -> String {
        var lines = ""
        for (number, points) in [
            "0,0,0,50,60,50000,100,0,100000", "0,0,0,50,60,50000,100,0,100000", "0,0,0,100,0,100000",
        ].enumerated() {
            lines += """
                {"v":1,"kind":"stroke","stream":"pen","t_us":\(number * 1_000_000 + 100_000),"start_us":\(number * 1_000_000),\
                "fields":"xyt","pts":[\(points)]}

                """
        }
        try folder.write("pen.jsonl", lines)
        return try folder.write(
            "find.yaml",
            """
            version: 1
            sources: [ file: { path: pen.jsonl } ]
            stages: [ match: { library: "\(Self.library)", max_distance: 100, max_results: 1 } ]
            sinks: [ stdout ]
            """)
    }

    // The names of the recognized strokes do not matter here. In the truth, the first stroke happened as reported, the second one
    // had another name, and the third one happened a second later.
    @Test("pipectl eval --truth: reported gestures are compared with a table of what happened, and sinks write nothing")
    func compared() async throws {
        let folder = try TemporaryFolder()
        let config = try pipeline(folder)
        let ran = try await Program.run("run", "-q", config, "--set", "stdout.format=csv")
        let names = ran.results.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[3] }
        #expect(names.count == 3)
        let truth = try folder.write(
            "truth.csv",
            """
            label,start_us,end_us,note
            \(names[0]),10000,80000,"well, drawn"
            other,1000000,1100000,
            \(names[2]),3000000,3100000,
            """)
        let answer = await pipectl("eval", config, "--truth", truth, "--format=json", "-q")
        #expect(answer.code == .done, "\(answer.messages)")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any])
        let all = try #require(report["all"] as? [String: Any])
        #expect(all["hits"] as? Int == 1 && all["false_alarms"] as? Int == 2 && all["misses"] as? Int == 2)
        #expect(all["p50_delay_us"] as? Int == 20_000)
        let text = await pipectl("eval", config, "--truth", truth, "-q")
        #expect(text.results.contains("20 ms") && !text.results.contains("categories"))
        let table = await pipectl("eval", config, "--truth", truth, "--format=csv", "-q")
        let lines = table.results.split(separator: "\n")
        #expect(lines.first == "gesture,f1,precision,recall,hits,false_alarms,misses,p50_delay_us,p90_delay_us")
        #expect(lines.last?.hasPrefix(",0.33") == true && lines.last?.hasSuffix(",1,2,2,20000,20000") == true)
    }

    // Worked out by hand: the corner was reported twice and the line once, but neither happened. The other gesture happened and was
    // not reported.
    @Test("pipectl eval --truth: a share of no gestures is not a number")
    func nothing() async throws {
        let folder = try TemporaryFolder()
        let config = try pipeline(folder)
        let truth = try folder.write("truth.csv", "label,start_us,end_us\nother,5000000,5100000\n")
        let answer = await pipectl("eval", config, "--truth", truth, "-q")
        let text = answer.results.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(text.contains(["other", "0.00", "%", "–", "0.00", "%", "0", "0", "1"]), "\(text)")
        #expect(text.contains { $0.dropFirst() == ["0.00", "%", "0.00", "%", "–", "0", "2", "0"] }, "\(text)")
        let csv = await pipectl("eval", config, "--truth", truth, "--format=csv", "-q").results
        #expect(csv.contains("\nother,0.0,,0.0,0,0,1,,\n"), "\(csv)")
        let json = await pipectl("eval", config, "--truth", truth, "--format=json", "-q").results
        let report = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let gestures = try #require(report["gestures"] as? [[String: Any]])
        let other = try #require(gestures.first { $0["gesture"] as? String == "other" })
        #expect(other["precision"] is NSNull && other["recall"] as? Double == 0 && other["f1"] as? Double == 0)
    }

    @Test(
        "pipectl eval --truth: a flag about drawn trials or DATA is refused, because it has no effect",
        arguments: [
            "--labels=names.txt", "--kind=hand21", "--design=k_shot", "--seed=2", "--variant=match.x=1", "--library=-",
        ])
    func useless(flag: String) async throws {
        let folder = try TemporaryFolder()
        let answer = await pipectl("eval", try pipeline(folder), "--truth=truth.csv", flag)
        let name = flag.split(separator: "=")[0]
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("\(name) has no effect with --truth"), "\(answer.messages)")
    }

    @Test("pipectl eval --truth: for the results of each, the error says why they cannot be compared, and what can be")
    func hands() async throws {
        let folder = try TemporaryFolder()
        try folder.write("hands.jsonl", "")
        let config = try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [ file: { path: hands.jsonl, kind: hands } ]
            stages: [ each: { stages: [ recognize_hand ] } ]
            sinks: [ stdout ]
            """)
        let truth = try folder.write("truth.csv", "label,start_us,end_us\na,1,2\n")
        let answer = await pipectl("eval", config, "--truth", truth, "-q")
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("error[eval.matcher]"), "\(answer.messages)")
        #expect(answer.messages.contains("not when a gesture began"), "\(answer.messages)")
        // The help is followed with a recording in which the first hand is open for 0.7 s.
        let decode = #"{ preset: canonical, points: "hands[*].pts", layout: "hands[*].fields" }"#
        #expect(answer.messages.contains("kind: landmarks with decode: \(decode) reads"), "\(answer.messages)")
        let single = try folder.write(
            "single.yaml",
            """
            version: 1
            sources:
              - file: { path: "\(Repository.root)/Samples/two-hands.jsonl", kind: landmarks, decode: \(decode) }
            stages: [ recognize_hand: { canned: { score_threshold: 0.6 } }, debounce: { hold_ms: 200, once: true } ]
            sinks: [ stdout ]
            """)
        let palm = try folder.write("palm.csv", "stream,label,start_us,end_us\ncamera/1,Open_Palm,0,700000\n")
        let found = await pipectl("eval", single, "--truth", palm, "--format=csv", "-q")
        #expect(found.code == .done, "\(found.messages)")
        #expect(found.results.contains("\nOpen_Palm,1.0,1.0,1.0,1,0,0,"), "\(found.results)")
    }

    @Test(
        "pipectl eval --truth: a table without a needed column or with wrong times is refused, and so is DATA beside it"
    )
    func refused() async throws {
        let folder = try TemporaryFolder()
        let config = try pipeline(folder)
        let columns = try folder.write("columns.csv", "name,start_us,end_us\na,1,2\n")
        let missing = await pipectl("eval", config, "--truth", columns, "-q")
        #expect(
            missing.code == .environment && missing.messages.contains("there is no column \"label\""),
            "\(missing.messages)")
        let empty = await pipectl("eval", config, "--truth", try folder.write("empty.csv", ""), "-q")
        #expect(empty.messages.contains("there is no column \"label\": the table is empty"), "\(empty.messages)")
        let times = try folder.write("times.csv", "label,start_us,end_us\na,1,2\na,5,4\n")
        let wrong = await pipectl("eval", config, "--truth", times, "-q")
        #expect(wrong.messages.contains("times.csv, line 3"), "\(wrong.messages)")
        let huge = try folder.write("huge.csv", "label,start_us,end_us\na,-5,9223372036854775807\n")
        let outside = await pipectl("eval", config, "--truth", huge, "-q")
        #expect(outside.code == .environment && outside.messages.contains("huge.csv, line 2"), "\(outside.messages)")
        let quoted = try folder.write("quoted.csv", "label,start_us,end_us,note\na,1,2,\"two\nlines\"\na,5,4,\n")
        let behind = await pipectl("eval", config, "--truth", quoted, "-q")
        #expect(behind.messages.contains("quoted.csv, line 4"), "\(behind.messages)")
        let absent = "\(folder.path)/absent.csv"
        let unread = await pipectl("eval", config, "--truth", absent, "-q")
        #expect(unread.messages.contains("error[file.not_found]: \(absent) is not there"), "\(unread.messages)")
        let both = await pipectl("eval", config, folder.path + "/pen.jsonl", "--truth", times, "-q")
        #expect(both.code == .configuration && both.messages.contains("--truth"))
    }
}
