import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand
@testable import Stages

/// A random live pipeline: sources that produce streams with the same names and different clocks, one of them a sender that is
/// killed and restarted; edges that drop and time out; merges, renamed streams, and a join.
private struct RandomLivePipeline {
    private var dice: SplitMix64
    private var lines: [String] = []
    private var strokes: [String] = []

    init(seed: UInt64, folder: String) {
        dice = SplitMix64(seed: seed)
        lines = ["version: 1", "mode: live", "sources:"]
        for number in 0..<Int.random(in: 1...2, using: &dice) {
            lines.append(
                """
                  - synthetic: { id: pen\(number), kind: stroke, rate: 1, rate_hz: \(pick([150, 300, 600])), count: 250, \
                streams: \(pick([1, 3])) }
                """)
            strokes.append("pen\(number)")
        }
        lines.append(
            """
              - zmq: { id: wire, bind: "ipc://\(folder)/wire", socket: pull, kind: stroke, on_disorder: new_epoch }
            """)
        strokes.append("wire")
        lines.append("stages:")
        for number in 0..<Int.random(in: 2...4, using: &dice) {
            let inputs = edges(from: strokes, upTo: 2)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: stage("resample", "resample\(number)", "points: \(pick([8, 16])), \(inputs)")
            case 1: stage("normalize", "normalize\(number)", inputs)
            case 2: stage("map_stream", "renamed\(number)", "to: \"\(pick(["x/{stream}", "one"]))\", \(inputs)")
            default: stage("filter", "filter\(number)", "stream: \"*/1\", \(inputs)")
            }
        }
        for number in 0..<2 {
            let workers = pick(["", ", workers: 2"])
            lines.append(
                "  - match: { id: match\(number), library: shapes.json, \(edges(from: strokes, upTo: 2))\(workers) }")
        }
        lines.append(
            """
              - combine: { from: [{ id: match0, idle_timeout_ms: \(pick([5, 50])) }, { id: match1 }], \
            align: \(pick(["exact", "latest"])) }
            """)
        lines.append("sinks:")
        lines.append("  - file: { id: joined, from: combine, path: joined.jsonl, if_exists: overwrite }")
        lines.append("  - file: { id: all, from: [match0, match1], path: all.jsonl, if_exists: overwrite }")
        lines.append("  - file: { id: seen, from: \(strokes.last ?? "wire"), path: seen.jsonl, if_exists: overwrite }")
    }

    var yaml: String { lines.joined(separator: "\n") + "\n" }

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &dice)] }

    private mutating func stage(_ component: String, _ id: String, _ options: String) {
        let workers = pick(["", "", ", workers: 2", ", workers: 8"])
        lines.append("  - \(component): { id: \(id), \(options)\(workers) }")
        strokes.append(id)
    }

    private mutating func edges(from nodes: [String], upTo most: Int) -> String {
        let chosen = nodes.shuffled(using: &dice).prefix(Int.random(in: 1...most, using: &dice))
        let list = chosen.map { id in
            let policy = pick([
                "", ", capacity: 4", ", capacity: 2, on_full: drop_oldest", ", capacity: 1, on_full: drop_newest",
                ", in_flight: 1, capacity: 1, on_full: drop_oldest",
                ", in_flight: 2, capacity: 0, on_full: drop_oldest, timeout_ms: 3",
            ])
            return "{ id: \(id)\(policy) }"
        }
        return "from: [\(list.joined(separator: ", "))]"
    }
}

@Suite("Exact replay of random pipelines")
struct RandomReplayTests {
    private static let count = ProcessInfo.processInfo.environment["PIPELINE_REPLAYS"].flatMap { UInt64($0) } ?? 6

    @Test(
        "Exact replay of random live pipelines gives the same bytes without the senders", arguments: 1...max(1, count))
    func same(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "shapes.json", String(contentsOfFile: "\(Repository.root)/Samples/shapes.json", encoding: .utf8))
        try folder.write("live.yaml", RandomLivePipeline(seed: seed, folder: folder.path).yaml)
        try folder.write(
            "sender.yaml",
            """
            version: 1
            sources:
              - synthetic: { kind: stroke, rate: 1, rate_hz: 300, count: 0, streams: 2 }
            sinks:
              - zmq: { connect: "ipc://\(folder.path)/wire", socket: push }

            """)
        let ending = try await Program.shell(
            """
            "$0" run live.yaml --record box.mcap --duration 1 & run=$!
            for _ in 1 2; do "$0" run -q sender.yaml & sender=$!; sleep 0.3; kill -9 $sender; wait $sender 2>/dev/null; done
            wait $run
            """, [try Program.path()], folder: folder.path)
        #expect(ending.code == 0, "seed \(seed): \(ending.messages)")
        let written = try ["joined", "all", "seen"].map {
            try String(contentsOfFile: "\(folder.path)/\($0).jsonl", encoding: .utf8).split(separator: "\n").count
        }
        for name in ["live.yaml", "shapes.json", "sender.yaml"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let again = try await Program.shell(
            "exec \"$0\" replay --exact box.mcap", [try Program.path()], folder: folder.path)
        let count = Int(again.results.split(separator: " ").first?.replacing(",", with: "") ?? "") ?? -1
        #expect(again.code == 0, "seed \(seed): \(again.results)\(again.messages)")
        // The replay compared every result that the run wrote to these files.
        #expect(count == written.reduce(0, +), "seed \(seed)")
        #expect(written.contains { $0 > 0 }, "seed \(seed)")
    }
}
