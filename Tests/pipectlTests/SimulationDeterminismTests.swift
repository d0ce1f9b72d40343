import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

/// Swift orders sets and dictionaries differently in every process, so several processes show whether any result depends on the
/// order.
@Suite("Simulated time, in several processes")
struct SimulationDeterminismTests {
    private static let shapes = [
        "two sources behind stages": """
          - tap: { id: left, from: [a] }
          - tap: { id: right, from: [b] }
          - tap: { id: work, from: [left, right] }
        """,
        "branches that meet again": """
          - tap: { id: left, from: [a] }
          - tap: { id: right, from: [a] }
          - tap: { id: work, from: [left, right, b] }
        """,
    ]

    private static let processes = 6

    private func configuration(_ stages: String) -> String {
        """
        version: 1
        name: joined
        mode: live
        sources:
          - zmq: { id: a, connect: "ipc:///nowhere/a", socket: sub, kind: vector }
          - zmq: { id: b, connect: "ipc:///nowhere/b", socket: sub, kind: vector }
        stages:
        \(stages)
        sinks:
          - stdout: { format: jsonl }

        """
    }

    /// Returns sixty frames of each of four streams, many of them at the same time.
    private func recording(_ seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        let frames = ["p", "q", "r", "s"].flatMap { stream in
            var time = 0
            return (0..<60).map { number in
                time += 1000 * .random(in: 1...3, using: &random)
                return (time, stream, number)
            }
        }
        return frames.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { time, stream, number in
            """
            {"v":1,"kind":"vector","stream":"\(stream)","seq":\(number),"t_us":\(time),"recv_us":\(7_000_000 + time),\
            "values":[\(number)]}

            """
        }.joined()
    }

    /// Returns the outputs of each process, including the files that it wrote.
    private func outcomes(_ arguments: [String], files: [String] = [], in folder: TemporaryFolder) async throws
        -> [String]
    {
        var outcomes: [String] = []
        for number in 0..<Self.processes {
            for file in files { try? FileManager.default.removeItem(atPath: "\(folder.path)/\(file)") }
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\"", [try Program.path()] + arguments,
                environment: number == 0 ? ["SWIFT_DETERMINISTIC_HASHING": "1"] : [:], folder: folder.path)
            let written = try files.map { try folder.read($0) }
            outcomes.append(([ending.results, ending.messages.withoutProgress] + written).joined(separator: "\n--\n"))
        }
        return outcomes
    }

    private func makeFolder(_ shape: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("joined.yaml", configuration(Self.shapes[shape] ?? ""))
        try folder.write("a.jsonl", recording(1))
        try folder.write("b.jsonl", recording(2))
        return folder
    }

    @Test("A simulated run gives the same results, drops and ledger in every process", arguments: shapes.keys.sorted())
    func run(shape: String) async throws {
        let folder = try makeFolder(shape)
        let outcomes = try await outcomes(
            [
                "run", "joined.yaml", "--simulate=a=a.jsonl", "--simulate=b=b.jsonl", "--service=work=1ms",
                "--service=left=1ms", "--format=json", "--drops=drops.jsonl",
            ], files: ["drops.jsonl"], in: folder)
        #expect(outcomes.first?.contains("edge_full") == true)
        #expect(Set(outcomes).count == 1)
    }

    @Test("pipectl whatif gives the same figures in every process", arguments: shapes.keys.sorted())
    func whatif(shape: String) async throws {
        let folder = try makeFolder(shape)
        let outcomes = try await outcomes(
            [
                "whatif", "joined.yaml", "a=a.jsonl", "b=b.jsonl", "--service=work=1ms", "--service=left=1ms",
                "--in-flight=1,2", "--capacity=1,2", "--format=json",
            ], in: folder)
        #expect(outcomes.first?.contains("dropped") == true)
        #expect(Set(outcomes).count == 1)
    }

    @Test("A test in a configuration reports the same differences in every process", arguments: shapes.keys.sorted())
    func test(shape: String) async throws {
        let folder = try makeFolder(shape)
        var random = SeededGenerator(seed: 3)
        let legend = ["p", "q", "r", "s"].map { "\($0): { stream: \($0), values: [0] }" }.joined(separator: ", ")
        let timelines = (0..<2).map { _ in
            (0..<60).map { _ in ["p", "q", "(pq)", "(qr)", "(rs)", "(pqrs)"].randomElement(using: &random) ?? "" }
                .joined()
        }
        // The test expects nothing, so everything that arrives is reported.
        try folder.write(
            "joined.yaml",
            configuration(Self.shapes[shape] ?? "") + """
                tests:
                  - name: nothing
                    tick_ms: 1
                    service_ms: { work: 1, left: 1 }
                    legend: { \(legend) }
                    in:
                      a: "\(timelines[0])|"
                      b: "\(timelines[1])|"
                    out: { work: "-|" }
                    drops: []

                """)
        let outcomes = try await outcomes(["test", "joined.yaml"], in: folder)
        #expect(outcomes.first?.contains("✗") == true)
        #expect(Set(outcomes).count == 1)
    }
}
