import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("replay --exact of runs that failed")
struct FailedReplayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String..., environment: [String: String] = [:]) async throws -> Program.Ending {
        try await Program.shell(
            "exec \"$0\" \"$@\"", [try Program.path()] + words, environment: environment, folder: folder.path)
    }

    /// Records a run in which a stage cannot process the second of three strokes.
    private func recordFailure(onError: String) async throws -> Program.Ending {
        try folder.write(
            "flat.jsonl",
            """
            {"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":10,"fields":"xy","pts":[0,0,1,1]}
            {"v":1,"kind":"stroke","stream":"a","seq":1,"t_us":20,"fields":"xy","pts":[5,5,5,5]}
            {"v":1,"kind":"stroke","stream":"a","seq":2,"t_us":30,"fields":"xy","pts":[0,0,2,1]}

            """)
        try folder.write(
            "flat.yaml",
            """
            version: 1
            sources: [file: { path: flat.jsonl }]
            stages: [normalize: { scale: none }, vectorize: { on_error: "${ON_ERROR}" }]
            sinks: [stdout: { format: jsonl }]

            """)
        return try await run("run", "-q", "flat.yaml", "--record=flat.mcap", environment: ["ON_ERROR": onError])
    }

    @Test("Exact replay: a run that failed in a stage fails in the same way, with the same results before")
    func failure() async throws {
        let ending = try await recordFailure(onError: "fail")
        #expect(ending.code == 1, "\(ending.messages)")
        #expect(try await run("verify", "-q", "flat.mcap").code == 0)
        let replay = try await run("replay", "--exact", "flat.mcap", environment: ["ON_ERROR": "fail"])
        #expect(replay.code == 0, "\(replay.results)\(replay.messages)")
        #expect(
            replay.results == """
                1 result until the failure, the same byte for byte
                both runs failed in vectorize: stream a, frame 1 at 0.000020 s: the stroke has no extent, so its vector \
                has no direction [vectorize.no_extent]

                """)
    }

    @Test(
        "Exact replay: how far the other branches of a failing run had got makes no difference",
        arguments: [
            ("", "discard: { id: both, from: [file, normalize] }"),
            (", file: { id: other, path: many.jsonl }", "discard: { id: both, from: [normalize, other] }"),
        ])
    func branches(source: String, sink: String) async throws {
        let strokes = (1...5000).map { number in
            let points = number == 2500 ? "[0,0,0,0]" : "[0,0,1,\(number)]"
            return #"{"kind":"stroke","stream":"s\#(number % 3)","t_us":\#(number),"fields":"xy","pts":\#(points)}"#
        }
        try folder.write("many.jsonl", strokes.joined(separator: "\n") + "\n")
        try folder.write(
            "branches.yaml",
            """
            version: 1
            sources: [file: { path: many.jsonl }\(source)]
            stages: [normalize: { from: file, scale: none }, vectorize]
            sinks: [discard, discard: { id: raw, from: file }, \(sink)]

            """)
        #expect(try await run("run", "-q", "branches.yaml", "--record=box.mcap").code == 1)
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0, "\(replay.results)\(replay.messages)")
        #expect(replay.results.contains("\nboth runs failed in vectorize: "))
    }

    @Test("Exact replay: a failure in only one of the two runs is a divergence")
    func otherFailure() async throws {
        #expect(try await recordFailure(onError: "fail").code == 1)
        let without = try await run("replay", "--exact", "flat.mcap", environment: ["ON_ERROR": "skip"])
        #expect(without.code == 1, "\(without.messages)")
        #expect(without.results.contains("the recorded run failed in vectorize: "))
        #expect(without.results.hasSuffix("; the repeated run did not fail\n"))
        #expect(try await recordFailure(onError: "skip").code == 0)
        let with = try await run("replay", "--exact", "flat.mcap", environment: ["ON_ERROR": "fail"])
        #expect(with.code == 1, "\(with.messages)")
        #expect(with.results.contains("the repeated run failed in vectorize: "))
        #expect(with.results.hasSuffix("; the recorded run did not fail\n"))
    }

    @Test("Exact replay: the failure of a source is named, and not expected again")
    func failedSource() async throws {
        try folder.write(
            "broken.jsonl",
            """
            {"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":10,"fields":"xy","pts":[0,0,1,1]}
            {"v":1,"kind":"stroke"

            """)
        try folder.write(
            "broken.yaml",
            """
            version: 1
            sources: [file: { path: broken.jsonl }]
            sinks: [stdout: { format: jsonl }]

            """)
        #expect(try await run("run", "-q", "broken.yaml", "--record=broken.mcap").code == 1)
        let replay = try await run("replay", "--exact", "broken.mcap")
        #expect(replay.code == 0, "\(replay.results)\(replay.messages)")
        #expect(
            replay.results.hasPrefix(
                "1 result, the same byte for byte\nthe recorded run failed in file: broken.jsonl, line 2"))
        #expect(replay.results.hasSuffix("which is outside of what a replay repeats\n"))
    }
}
