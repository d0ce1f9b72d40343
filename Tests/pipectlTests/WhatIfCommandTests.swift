import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("whatif")
struct WhatIfCommandTests {
    private let arguments = [
        "whatif", "\(Repository.root)/Configs/live-strokes.yaml", "\(Repository.root)/Samples/live.jsonl",
        "--service=match=60ms",
    ]

    private func run(_ flags: String...) async throws -> Program.Ending {
        try await Program.shell("exec \"$0\" \"$@\"", [try Program.path()] + arguments + flags)
    }

    @Test(
        "pipectl whatif: there is a row for every combination, in the given order, and the same bytes every time"
    )
    func table() async throws {
        let flags = ["--in-flight=1,2", "--capacity=0,1"]
        let first = try await run(flags[0], flags[1])
        #expect(first.code == 0)
        #expect(first.messages == "")
        let rows = first.results.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows.map { Array($0.prefix(2)) } == [
                ["in_flight", "capacity"], ["1", "0"], ["1", "1"], ["2", "0"], ["2", "1"],
            ])
        #expect(rows.dropFirst().allSatisfy { $0[2] == "drop_oldest" && $0[3] == "100" })
        #expect(try await run(flags[0], flags[1]).results == first.results)
    }

    @Test("pipectl whatif: the comparison is available as data")
    func data() async throws {
        let ending = try await run("--on-full=drop_oldest,drop_newest", "--format=json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        let runs = try #require(report["runs"] as? [[String: Any]])
        #expect(runs.map { $0["on_full"] as? String } == ["drop_oldest", "drop_newest"])
        for run in runs {
            #expect(run["in_flight"] as? Int == 1)
            #expect(run["offered"] as? Int == 100)
            // Every frame that was not dropped has one result.
            #expect((run["dropped"] as? Int ?? 0) + (run["results"] as? Int ?? 0) == 100)
            #expect((run["p50_age_ns"] as? Int ?? 0) >= 60_000_000)
            #expect((run["p95_age_ns"] as? Int ?? 0) <= 180_000_000)
        }
    }

    @Test(
        "pipectl whatif: each of several sources gets the recording with its name, and the help says which name is missing"
    )
    func severalSources() async throws {
        let folder = try TemporaryFolder()
        let sample = "\(Repository.root)/Samples/live.jsonl"
        try """
        version: 1
        mode: live
        sources:
          - zmq: { id: pen, connect: "tcp://127.0.0.1:5556", socket: sub, kind: stroke }
          - zmq: { id: pad, connect: "tcp://127.0.0.1:5557", socket: sub, kind: stroke }
        stages:
          - tap: { id: left, from: pen }
          - tap: { id: right, from: pad }
        sinks:
          - stdout: { from: left }
          - null: { from: right }
        """.write(toFile: "\(folder.path)/two.yaml", atomically: true, encoding: .utf8)
        let both = try await Program.shell(
            "cp $1 a.jsonl; cp $1 b.jsonl; exec \"$0\" whatif two.yaml pen=a.jsonl pad=b.jsonl --in-flight 1,2",
            [try Program.path(), sample],
            folder: folder.path)
        #expect(both.code == 0, "\(both.messages)")
        let rows = both.results.split(separator: "\n").dropFirst()
        #expect(rows.count == 2 && rows.allSatisfy { $0.split(separator: " ")[3] == "200" }, "\(both.results)")
        for (words, hint) in [("\"$1\"", "pen=FILE and pad=FILE"), ("\"pen=$1\"", "give it one: pad=FILE")] {
            let ending = try await Program.shell(
                "exec \"$0\" whatif two.yaml \(words)", [try Program.path(), sample], folder: folder.path)
            #expect(ending.code == 2)
            #expect(ending.messages.contains(hint), "\(ending.messages)")
        }
    }

    @Test("pipectl whatif: a recording in the place of the configuration is refused, and the help shows the order")
    func order() async {
        for words in [["a.jsonl", "live.yaml"], ["pen=a.jsonl", "pad=b.jsonl", "live.yaml"]] {
            let answer = await pipectl(["whatif"] + words)
            #expect(answer.code == .configuration)
            #expect(
                answer.messages == """
                    error: \(words[0]) is a recording, but the first argument is CONFIG
                      = help: as in pipectl whatif live.yaml recorded.jsonl

                    """)
        }
    }

    // The stage is busy with the first frame, the second one waits, and there is no room for the third.
    @Test("pipectl whatif: an edge that overflows has the exit code that it has in a run")
    func overflow() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "full.yaml",
            """
            version: 1
            mode: live
            sources: [zmq: { id: camera, connect: "tcp://127.0.0.1:5556", socket: sub, kind: vector }]
            stages: [tap: { from: { id: camera, on_full: fail, capacity: 1 } }]
            sinks: [discard]

            """)
        try folder.write(
            "burst.jsonl",
            (0..<3).map {
                "{\"v\":1,\"kind\":\"vector\",\"stream\":\"s\",\"seq\":\($0),\"t_us\":\($0),\"recv_us\":9,\"values\":[1]}\n"
            }.joined())
        for words in [["run", "full.yaml", "--simulate=burst.jsonl"], ["whatif", "full.yaml", "burst.jsonl"]] {
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\" --service=tap=1ms", [try Program.path()] + words, folder: folder.path)
            #expect(ending.code == 1, "\(ending.messages)")
            #expect(ending.messages.contains("error[edge.overflow]"), "\(ending.messages)")
        }
    }

    @Test("pipectl whatif: wrong arguments are refused with the reason")
    func refused() async throws {
        for (flag, words) in [
            ("--on-full=wait", "drop_oldest, drop_newest or both"), ("--capacity=1,x", "separated by commas"),
            ("--service=mach=1ms", "did you mean \"match\"?"),
        ] {
            let ending = try await run(flag)
            #expect(ending.code == 2)
            #expect(ending.messages.contains(words), "\(ending.messages)")
        }
    }
}
