import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import Stages

@Suite("combine")
struct CombineTests {
    private let files: ExampleFiles

    init() throws { files = try ExampleFiles() }

    private func recognition(_ name: String, _ score: Double) -> Recognition {
        Recognition(
            categories: name == "None" ? [.none] : [.init(name: name, index: 0, score: score)], margin: score,
            matcher: "test")
    }

    /// Returns the names of the results for text such as `star 0.5,-`: the recognition of each edge, or `-` for no frame.
    private func combined(_ found: String, _ prefer: Combine.Preference) async -> [String] {
        var options = Combine.Options()
        options.prefer = prefer
        let frames = found.split(separator: ",").map { text -> Frame<Recognition>? in
            let words = text.split(separator: " ")
            guard words.count == 2 else { return nil }
            return Frame(recognition(String(words[0]), Double(words[1]) ?? 0), at: .zero)
        }
        return await StageHarness(Combine(options)).run([Aligned(frames)]).payloads.map(\.best.name)
    }

    @Test(
        "combine: prefer order takes the first edge that recognized something, prefer score the highest score",
        arguments: [
            ("star 0.5,circle 0.9", "star", "circle"), ("None 0,circle 0.9", "circle", "circle"),
            ("star 0.5,None 0", "star", "star"), ("None 0,None 0", "None", "None"),
            ("-,circle 0.9", "circle", "circle"),
            ("star 0.5,circle 0.5", "star", "star"), ("-,None 0,star 0,circle 0.1", "star", "circle"),
        ])
    func preference(found: String, byOrder: String, byScore: String) async {
        #expect(await combined(found, .order) == [byOrder])
        #expect(await combined(found, .score) == [byScore])
    }

    @Test("combine: the origin of the chosen recognition is kept, and that of the other is not")
    func origin() async {
        func frame(_ name: String, _ score: Double, _ key: String) -> Frame<Recognition> {
            Frame(
                recognition(name, score), at: .zero, sequence: 3,
                origin: Origin(unknown: [.init(key: key, json: "1")]))
        }
        var options = Combine.Options()
        options.prefer = .score
        let set = Aligned([frame("star", 0.5, "first"), frame("circle", 0.9, "second")])
        let found = await StageHarness(Combine(options)).run([
            Frame(set, at: .zero, sequence: 3, origin: set.frames[0]?.origin)
        ])
        #expect(found.payloads.map(\.best.name) == ["circle"])
        #expect(found.frames.map { $0.origin?.unknown.map(\.key) } == [["second"]])
        #expect(found.frames.map(\.sequence) == [3])
    }

    @Test("combine: two matchers of one session give one recognition for each stroke, with the strict one preferred")
    func twoMatchers() async throws {
        let text = """
            version: 1
            name: two
            sources: [file: { path: session.jsonl }]
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize
              - match: { id: strict, library: shapes.json, threshold_rad: 0.02 }
              - match: { id: free, from: vectorize, library: shapes.json, threshold_rad: 4 }
              - combine: { from: [strict, free] }
            sinks: ["null"]
            """
        let loaded = PipelineLoader(registry: .standard)
            .load(text: text, name: "two.yaml", baseDirectory: files.path)
        #expect(loaded.diagnostics.isEmpty)
        let run = Run(try #require(loaded.plan))
        let (strict, free, both) = (
            try run.results(of: "strict", as: Recognition.self), try run.results(of: "free", as: Recognition.self),
            try run.results(of: "combine", as: Recognition.self)
        )
        async let firstFound = names(strict)
        async let secondFound = names(free)
        let found = try await names(both)
        let (first, second) = try await (firstFound, secondFound)
        #expect(await run.finished().isSuccess)
        #expect(found.count == first.count && found.count > 10)
        #expect(first.contains("None") && !second.contains("None"))
        #expect(found == zip(first, second).map { $0 == "None" ? $1 : $0 })
    }

    private func names(_ results: Results<Recognition>) async throws -> [String] {
        var names: [String] = []
        for try await frame in results { names.append(frame.payload.best.name) }
        return names
    }

    @Test(
        "combine: validate reports what cannot be combined and what would wait forever",
        arguments: [
            ("combine", "", ["graph.one_edge"]),
            ("combine: { from: [a, v] }", "", ["graph.merged_types"]),
            ("combine: { from: [v, resample] }", "", ["graph.merged_types"]),
            ("combine: { from: [a, b] }", "", []),
            ("combine: { from: [a, b], tolerance_ms: 5 }", "", ["config.no_effect"]),
            ("combine: { from: [a, b], align: approximate, tolerance_ms: 5 }", "", []),
            // A frame of a waits for b. With a third edge, the frames of every edge wait for another one.
            ("combine: { from: [a, b], align: approximate, tolerance_ms: 2000 }", "", ["graph.aligned_room"]),
            (
                "combine: { from: [a, b, third], align: approximate, tolerance_ms: 2000 }",
                "match: { id: third, from: v, library: shapes.json }",
                ["graph.aligned_room", "graph.aligned_room", "graph.aligned_room"]
            ),
            // The stage holds at least 64 frames of each edge.
            (
                "combine: { from: [{ id: a, capacity: 8 }, { id: b, capacity: 8 }], align: approximate, tolerance_ms: 100 }",
                "", []
            ),
            (
                "combine: { from: [a, renamed] }", "map_stream: { id: renamed, from: b, to: x }",
                ["graph.aligned_renamed"]
            ),
            (
                "combine: { from: [{ id: a, on_full: drop_oldest }, { id: b, on_full: drop_newest }] }", "",
                ["graph.aligned_drops"]
            ),
            ("combine: { from: [{ id: a, on_full: drop_oldest }, b] }", "", []),
            ("combine: { from: [a, { id: b, idle_timeout_ms: 5 }] }", "", ["graph.live_only"]),
        ])
    func findings(combine: String, before: String, codes: [String]) throws {
        let text = """
            version: 1
            name: findings
            sources: [file: { path: session.jsonl }]
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize: { id: v }
              - match: { id: a, library: shapes.json }
              - match: { id: b, from: v, library: shapes.json, threshold_rad: 1 }
              \(before.isEmpty ? "" : "- \(before)")
              - \(combine)
            sinks: ["null"]
            """
        let loaded = PipelineLoader(registry: .standard)
            .load(text: text, name: "findings.yaml", baseDirectory: files.path)
        #expect(loaded.diagnostics.map(\.code).filter { $0 != "graph.unused" } == codes, "\(loaded.diagnostics)")
    }

    @Test("combine: validate says how many frames of the other edges wait for renamed streams")
    func waitingForRenamed() {
        let loaded = PipelineLoader(registry: .standard).load(
            text: """
                version: 1
                sources: [synthetic]
                stages:
                  - match: { id: a, library: shapes.json }
                  - map_stream: { id: renamed, from: a, to: x }
                  - combine: { from: [{ id: a, capacity: 100 }, { id: renamed, capacity: 200 }] }
                sinks: [discard]
                """, name: "renamed.yaml", baseDirectory: files.path)
        let messages = loaded.diagnostics.filter { $0.code == "graph.aligned_renamed" }.map(\.message)
        #expect(messages.map { $0.contains("so up to 100 frames of the other edges wait") } == [true], "\(messages)")
    }

    @Test("combine: streams that are renamed at the source, or after the stage, are not reported as the remedy says")
    func renamedElsewhere() {
        func helps(source: String, before: String = "", from: String, after: String = "") -> [String?] {
            PipelineLoader(registry: .standard).load(
                text: """
                    version: 1
                    sources: [\(source)]
                    stages:
                      \(before)
                      - match: { id: a, from: \(from), library: shapes.json }
                      - match: { id: b, from: \(from), library: shapes.json }
                      - combine: { from: [a, b] }
                      \(after)
                    sinks: [discard]
                    """, name: "renamed.yaml", baseDirectory: files.path
            ).diagnostics.map(\.help)
        }
        let rename = "- map_stream: { id: renamed, to: x }"
        let help = "rename streams at the source, or after \"combine\""
        #expect(helps(source: "synthetic", before: rename, from: "renamed") == [help, help])
        #expect(helps(source: "synthetic", from: "synthetic", after: rename) == [])
        let renaming = "file: { path: session.jsonl, rename_streams: { \"pen/*\": x } }"
        #expect(helps(source: renaming, from: "file") == [])
    }

    @Test("combine: in live mode, validate asks for a timeout on each edge that comes from another source")
    func silence() {
        func codes(_ from: String) -> [String] {
            PipelineLoader(registry: .standard).load(
                text: """
                    version: 1
                    name: live
                    mode: live
                    sources:
                      - zmq: { id: left, connect: "tcp://127.0.0.1:5601", kind: recognition }
                      - zmq: { id: right, connect: "tcp://127.0.0.1:5602", kind: recognition }
                    stages: [combine: { from: \(from), align: latest }]
                    sinks: ["null"]
                    """, name: "live.yaml", baseDirectory: "."
            ).diagnostics.map(\.code)
        }
        #expect(codes("[left, right]") == ["live.aligned_silence", "live.aligned_silence"])
        #expect(codes("[left, { id: right, idle_timeout_ms: 200 }]") == ["live.aligned_silence"])
        #expect(
            codes("[{ id: left, idle_timeout_ms: 200 }, { id: right, idle_timeout_ms: 200 }]").isEmpty)
    }

    @Test("combine: in live mode validate reports streams that are renamed in one branch")
    func renamedLive() {
        let loaded = PipelineLoader(registry: .standard).load(
            text: """
                version: 1
                name: live
                mode: live
                sources: [zmq: { connect: "tcp://127.0.0.1:5601", kind: recognition }]
                stages:
                  - map_stream: { to: x }
                  - combine: { from: [zmq, map_stream] }
                sinks: ["null"]
                """, name: "live.yaml", baseDirectory: ".")
        #expect(loaded.diagnostics.map(\.code).contains("graph.aligned_renamed"), "\(loaded.diagnostics)")
    }

    @Test(
        "combine: pipectl graph shows how its edges are joined",
        arguments: [
            ("", "stage combine → recognition  [aligned: exact]"),
            (", align: approximate, tolerance_ms: 20", "[aligned: approximate within 20 ms]"),
            (", align: latest, pair: time", "[aligned: latest, pair: time]"),
        ])
    func drawn(options: String, shown: String) throws {
        let loaded = PipelineLoader(registry: .standard).load(
            text: """
                version: 1
                sources:
                  - file: { id: left, path: a.jsonl, kind: recognition }
                  - file: { id: right, path: b.jsonl, kind: recognition }
                stages:
                  - combine: { from: [left, right]\(options) }
                sinks: [stdout]
                """)
        let plan = try #require(loaded.plan)
        #expect(GraphDrawing(plan).draw(.text).contains(shown))
        let label = shown.drop { $0 != "[" }.dropFirst().dropLast()
        #expect(GraphDrawing(plan).draw(.mermaid).contains("[\"combine, \(label)\"]"))
    }
}
