import Foundation
import PipelineComponents
import PipelineTesting
import Testing

@testable import PipelineCommand
@testable import Stages

@Suite("tune")
struct TuneTests {
    private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Samples").path
    private static let data = ProcessInfo.processInfo.environment["PIPELINE_DATA"]

    private func config(_ folder: TemporaryFolder, _ match: String) throws -> String {
        try folder.write(
            "mine.yaml",
            """
            # Mine.
            version: 1
            sources: [ stdin: { kind: stroke } ]
            stages:
              - match: { library: later.json, \(match) } # to be tuned
            sinks: [ stdout ]

            """)
    }

    private func judged(_ words: [String]) async throws -> [String: Any] {
        let answer = await pipectl(words + ["--format=json", "-q"])
        #expect(answer.code == .done, "\(answer.messages)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any])
    }

    @Test(
        "pipectl tune: a pipeline that rejects everything gets a limit that accepts gestures, and is written with it"
    )
    func written() async throws {
        let folder = try TemporaryFolder()
        let (config, out) = (try config(folder, "limit_factor: 0.01"), folder.path + "/tuned.yaml")
        let answer = await pipectl(
            "tune", config, "--on", Self.samples + "/shapes.json", "--vary=match.limit_factor=0.5:2:0.5",
            "--templates=2",
            "--repetitions=10", "-o", out, "--svg", folder.path + "/plot.svg", "-q")
        #expect(answer.code == .done, "\(answer.messages)")
        #expect(answer.results.hasPrefix("5 settings judged by cloud, open_set, 30 samples"))
        #expect(answer.results.contains("before    0.00 %"))
        let text = try folder.read("tuned.yaml")
        #expect(text.hasPrefix("# Mine.\n") && text.contains("# to be tuned") && !text.contains("limit_factor: 0.01"))
        #expect(try folder.read("plot.svg").hasPrefix("<svg "))
        // The written file contains the chosen values.
        let again = await pipectl(
            "eval", out, Self.samples + "/shapes.json", "--design=open_set", "--templates=2", "--repetitions=10",
            "--format=csv", "-q")
        #expect(again.code == .done)
        let right = try #require(again.results.split(separator: "\n").last?.split(separator: ",")[8])
        #expect(try #require(Double(right)) > 0.9)
    }

    @Test("pipectl tune: a value that an option does not accept is reported before any trial")
    func wrongValue() async throws {
        let folder = try TemporaryFolder()
        let config = try config(folder, "max_results: 1")
        let words = ["tune", config, "--on", Self.samples + "/shapes.json"]
        let answer = await pipectl(words + ["--vary=match.limit_factor=1,huge"])
        #expect(answer.code == .configuration && answer.messages.contains("huge"), "\(answer.messages)")
        let unknown = await pipectl(words + ["--vary=match.limits=1"])
        #expect(unknown.code == .configuration && unknown.messages.contains("limits"))
        #expect(await pipectl(words).messages.contains("--vary is missing"))
        #expect(await pipectl(["tune", config, "--vary=match.limit_factor=1"]).messages.contains("--on is missing"))
    }

    @Test("pipectl tune: values are ranges with a step, or lists")
    func values() throws {
        func values(_ text: String) -> [String]? { VariedOption(text)?.values }
        #expect(values("a.b=0.1:0.4:0.1") == ["0.1", "0.2", "0.3", "0.4"])
        #expect(values("a.b=16,32,64") == ["16", "32", "64"])
        #expect(values("a.b=3:1:-1") == ["3", "2", "1"])
        #expect(values("a.b=cloud") == ["cloud"])
        for wrong in ["a=1", "a.b", "a.b=1:2:0", "a.b=2:1:1", "a.b=1,,2", "a.b=0:1:1e-9"] {
            #expect(values(wrong) == nil, "\(wrong)")
        }
        let grid = try VariedOption.combinations(try ["a.x=1,2", "a.y=3,4"].map { try #require(VariedOption($0)) })
        #expect(grid == [["a.x=1", "a.y=3"], ["a.x=1", "a.y=4"], ["a.x=2", "a.y=3"], ["a.x=2", "a.y=4"]])
    }

    @Test("pipectl tune: an option that is varied twice is refused, and a bound without effect gets a warning")
    func withoutEffect() async throws {
        let folder = try TemporaryFolder()
        let words = ["tune", try config(folder, "max_results: 1"), "--on", Self.samples + "/shapes.json"]
        let twice = await pipectl(words + ["--vary=match.limit_factor=1", "--vary=match.limit_factor=2"])
        #expect(twice.code == .configuration)
        #expect(twice.messages.contains("--vary names match.limit_factor twice"), "\(twice.messages)")
        let few = ["--vary=match.limit_factor=1", "--templates=2", "--repetitions=2", "--max-false-accept=1%"]
        let bound = await pipectl(words + few + ["--design=user_dependent"])
        #expect(bound.code == .done)
        #expect(bound.messages.contains("warning: --max-false-accept has no effect: no unknown gesture"))
        let open = await pipectl(words + few)
        #expect(!open.messages.contains("has no effect"), "\(open.messages)")
    }

    @Test("pipectl tune: more combinations than can be counted are refused")
    func combinations() async {
        let options = ["a", "b", "c", "d", "e"].map { "--vary=match.\($0)=0:9998:1" }
        let answer = await pipectl(["tune", "x.yaml", "--on=data"] + options)
        #expect(answer.code == .configuration && answer.messages.contains("combinations are too many"))
    }

    @Test("pipectl tune: if no setting meets the limits, nothing is written")
    func none() async throws {
        let folder = try TemporaryFolder()
        let config = try config(folder, "max_results: 1")
        let answer = await pipectl(
            "tune", config, "--on", Self.samples + "/shapes.json", "--vary=match.max_distance=100,200", "--templates=2",
            "--repetitions=2", "--set", "match.max_distance=300", "--max-false-accept=1%", "-o",
            folder.path + "/tuned.yaml", "-q")
        #expect(answer.code == .failed && answer.messages.hasPrefix("error[tune.none]: "))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/tuned.yaml"))
    }

    // With ann, 60 of 200 unknown gestures are named; without her, 60 of 100.
    @Test(
        "pipectl tune: if there is no estimate for other people, text and JSON say why",
        arguments: [
            ([0, 60], "no estimate of the result for others: without ann, no setting is within the limits"),
            ([50, 60], "no setting is within the limits"), ([0], "too few people to estimate the result for others"),
        ])
    func noEstimate(named: [Int], reason: String) {
        let people = named.map {
            var part = EvaluationReport.Row.Part()
            (part.tests, part.right, part.unknownTests, part.accepted) = (100, 90, 100, $0)
            return part
        }
        let report = EvaluationReport(
            pipeline: "", method: "cloud", design: .openSet, classes: ["a"], people: ["ann", "bob"], users: 2,
            pools: 2, samples: 2, seed: 1, rows: [], nanosecondsPerMatch: 1, items: [])
        let tuning = Tuning([.init(settings: [], people: people, nanoseconds: 1)], .init(falseAccept: 0.4))
        #expect(TuneReport(tuning, report).text(.plain).hasSuffix("\n\n\(reason)\n"))
        #expect(TuneReport(tuning, report).json.text().contains("\"unseen_missing\": \"\(reason)\""))
    }

    // The settings are chosen on three participants. The grid is then evaluated again on two others.
    @Test(
        "pipectl tune: for unseen participants, a tuned pipeline is within one percentage point of the best of the grid",
        .enabled(if: data != nil, "PIPELINE_DATA is not set"))
    func real() async throws {
        let folder = try TemporaryFolder()
        let config = try config(folder, "limit_factor: 0.1, min_margin: 0.2")
        let root = (Self.data ?? "") + "/dollar1/"
        func people(_ names: String...) -> [String] { names.flatMap { ["--on", "\(root)\($0)/fast"] } }
        let grid = [
            "--vary=match.limit_factor=0.4:2:0.2", "--vary=match.min_margin=0,0.03,0.2", "--repetitions=4",
            "--max-false-accept=5%",
        ]
        let out = folder.path + "/tuned.yaml"
        let seen = try await judged(["tune", config] + people("s02", "s03", "s04") + grid + ["-o", out])
        let unseen = try await judged(
            ["tune", config, "--max-false-accept=100%"] + people("s05", "s06") + grid.dropLast())
        func settings(_ report: [String: Any]) throws -> [[String: Any]] {
            try #require(report["settings"] as? [[String: Any]])
        }
        let chosen = try settings(seen)[try #require(seen["chosen"] as? Int)]["settings"] as? [String]
        let others = try settings(unseen)
        let reached = try #require(others.first { $0["settings"] as? [String] == chosen }?["right"] as? Double)
        // The best result for the other participants, among the settings that meet the same limit for them.
        let best = try #require(
            others.filter { ($0["false_accepts"] as? Double ?? 1) <= 0.05 }.compactMap { $0["right"] as? Double }.max())
        let before = try #require(others.first?["right"] as? Double)
        print("before \(before), reached \(reached), best \(best)")
        #expect(reached >= best - 0.01 && before < 0.5)
        let report = try #require(seen["unseen"] as? [String: Any])
        #expect((report["false_accepts"] as? Double ?? 1) < 0.1)
    }
}
