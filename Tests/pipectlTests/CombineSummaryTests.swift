import Foundation
import PipelineTesting
import Testing

/// Strokes of three streams on two edges, each edge with its own times, and the expected counts for each way of aligning them.
private struct Recordings {
    /// The arrival of strokes on an edge, in milliseconds: `(stream, time)`.
    let left: [(stream: String, time: Int)]
    let right: [(stream: String, time: Int)]

    init() {
        var sides: [[(String, Int)]] = [[], []]
        for (stream, steps) in [("p", (10, 10)), ("q", (10, 25)), ("r", (40, 7))] {
            for index in 1...40 {
                sides[0].append((stream, steps.0 * index))
                sides[1].append((stream, steps.1 * index))
            }
        }
        left = sides[0]
        right = sides[1]
    }

    static func lines(_ strokes: [(stream: String, time: Int)]) -> String {
        strokes.sorted { ($0.time, $0.stream) < ($1.time, $1.stream) }.enumerated().map { number, stroke in
            """
            {"v":1,"kind":"stroke","stream":"\(stroke.stream)","seq":\(number),"t_us":\(stroke.time * 1000),\
            "fields":"xy","pts":[0,0,10,\(number % 7),20,0]}

            """
        }.joined()
    }

    /// Returns the time of the right edge's frame that is combined with the left edge's frame at a time; `nil` if there is none.
    private func partner(_ align: String, _ stream: String, _ time: Int) -> Int? {
        let times = right.filter { $0.stream == stream }.map(\.time)
        switch align {
        case "exact": return times.first { $0 == time }
        case "latest": return times.filter { $0 <= time }.max()
        default: return times.filter { abs($0 - time) <= 3 }.min { (abs($0 - time), $0) < (abs($1 - time), $1) }
        }
    }

    /// Returns what the documentation promises: the number of sets, and the number of frames in sets.
    func expected(_ align: String) -> (sets: Int, used: Int) {
        var pairs: Set<String> = []
        for (stream, time) in left {
            if let partner = partner(align, stream, time) { pairs.insert("\(stream) \(partner)") }
        }
        // With equal timestamps, a frame of one edge alone also forms a set.
        if align == "exact" { return (left.count + right.count - pairs.count, left.count + right.count) }
        return (left.count, left.count + pairs.count)
    }
}

@Suite("What a run reports about combine")
struct CombineSummaryTests {
    private func configuration(_ align: String) -> String {
        """
        version: 1
        name: figures
        sources:
          - file: { id: left, path: left.jsonl }
          - file: { id: right, path: right.jsonl }
        stages:
          - resample: { id: few, from: left, points: 16 }
          - vectorize: { id: flat, from: few }
          - match: { id: first, from: flat, library: shapes.json }
          - resample: { id: few2, from: right, points: 16 }
          - vectorize: { id: flat2, from: few2 }
          - match: { id: second, from: flat2, library: shapes.json }
          - combine: { from: [first, second], align: \(align)\(align == "approximate" ? ", tolerance_ms: 3" : "") }
        sinks:
          - "null"
        """
    }

    @Test(
        "combine: the reported counts satisfy the documented equations: frames = used + dropped, and in = sets",
        arguments: ["exact", "latest", "approximate"])
    func figures(align: String) async throws {
        let folder = try TemporaryFolder()
        let recordings = Recordings()
        try folder.write("left.jsonl", Recordings.lines(recordings.left))
        try folder.write("right.jsonl", Recordings.lines(recordings.right))
        try folder.write(
            "shapes.json", try String(contentsOfFile: "\(Repository.root)/Samples/shapes.json", encoding: .utf8))
        try folder.write("figures.yaml", configuration(align))
        let frames = recordings.left.count + recordings.right.count
        let (sets, used) = recordings.expected(align)
        let unmatched = frames - used

        let text = try await Program.run("run", "figures.yaml", folder: folder.path)
        #expect(text.code == 0, "\(text.messages)")
        let line = try #require(text.messages.split(separator: "\n").first { $0.hasPrefix("combine ") })
        let words = line.split(separator: " ")
        #expect(words.dropFirst().prefix(3).map { Int($0) } == [sets, sets, 0])
        let rest = unmatched > 0 ? ", unmatched \(unmatched)" : ""
        #expect(line.hasSuffix("\(frames) frames in \(sets) sets: used \(used)\(rest)"), "\(line)")

        let data = try await Program.run("run", "figures.yaml", "--format=json", folder: folder.path)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data((data.results + data.messages).utf8)) as? [String: Any])
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        let combine = try #require(nodes.first { $0["id"] as? String == "combine" })
        let join = try #require(combine["join"] as? [String: Any])
        #expect(join["frames"] as? Int == frames)
        #expect(join["sets"] as? Int == sets)
        #expect(join["used"] as? Int == used)
        #expect(join["dropped"] as? [String: Int] == (unmatched > 0 ? ["unmatched": unmatched] : [:]))
        #expect(combine["in"] as? Int == sets)
        let ends = ["passed", "absorbed", "failed"].compactMap { combine[$0] as? Int }.reduce(0, +)
        #expect(ends + ((combine["dropped"] as? [String: Int])?.values.reduce(0, +) ?? 0) == sets)
        #expect(report["losses"] as? Int == 0)
    }
}
