import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("run --simulate")
struct SimulateTests {
    /// A pipeline whose source and publisher cannot be opened here, because the folder of their sockets does not exist.
    private let live = """
        version: 1
        name: live
        mode: live
        sources:
          - zmq: { id: pen, connect: "ipc:///nowhere/pen", socket: sub, kind: stroke }
        stages:
          - resample: { points: 8 }
        sinks:
          - stdout: { format: jsonl }
          - zmq: { id: out, bind: "ipc:///nowhere/out", socket: pub }
          - file: { path: recording.jsonl, from: pen, if_exists: overwrite }

        """

    /// A hundred strokes, 1 ms apart. The sequence number 10 is missing.
    private let recording = (0..<100).map { number in
        """
        {"v":1,"kind":"stroke","stream":"pen/1","seq":\(number < 10 ? number : number + 1),"t_us":\(number * 1000),\
        "recv_us":\(7_000_000 + number * 1000),"fields":"xy","pts":[0,0,1,\(number)]}

        """
    }.joined()

    private func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", live)
        try folder.write("recording.jsonl", recording)
        return folder
    }

    @Test(
        "run --simulate: two runs give identical bytes, open only standard output, and do not change the recording"
    )
    func twice() async throws {
        let folder = try makeFolder()
        var outputs: [[String]] = []
        for name in ["first", "second"] {
            let ending = try await Program.run(
                "run", "live.yaml", "--simulate", "recording.jsonl", "--service", "resample=8ms", "--drops",
                "\(name).jsonl", folder: folder.path)
            #expect(ending.code == 0)
            #expect(ending.messages.contains("ledger: every frame is accounted for, in 112 ms of simulated time\n"))
            outputs.append([ending.results, try folder.read("\(name).jsonl")])
        }
        #expect(outputs[0] == outputs[1])
        #expect(try folder.read("recording.jsonl") == recording)
        // There is one output at each of 0, 8, … 96 ms, and one for the last frame.
        #expect(outputs[0][0].split(separator: "\n").count == 14)
        let drops = outputs[0][1].split(separator: "\n")
        #expect(drops.count == 86 + 1)
        #expect(drops.contains(#"{"stream":"pen/1","t_us":10000,"seq":10,"where":"pen","why":"lost"}"#))
        #expect(
            drops.contains(
                #"{"stream":"pen/1","t_us":1000,"seq":1,"where":"pen → resample","why":"edge_full","age_us":1000}"#))
    }

    @Test("run --simulate: --fail-on-loss fails a live run if, and only if, it dropped or lost a frame")
    func failOnLoss() async throws {
        let folder = try makeFolder()
        let whole = recording.split(separator: "\n").prefix(10).joined(separator: "\n")
        try folder.write("whole.jsonl", whole)
        for (file, time, code) in [
            ("whole.jsonl", "1us", 0), ("recording.jsonl", "1us", 1), ("whole.jsonl", "8ms", 1),
        ] as [(String, String, Int32)] {
            let ending = try await Program.run(
                "run", "live.yaml", "--simulate=\(file)", "--service=resample=\(time)", "--fail-on-loss",
                folder: folder.path)
            #expect(ending.code == code, "\(file) \(time)")
            #expect(ending.messages.contains("error[run.loss]: ") == (code == 1))
        }
    }

    @Test("run --simulate: --limit and --duration count simulated frames and simulated time")
    func limits() async throws {
        let folder = try makeFolder()
        let limited = try await Program.run(
            "run", "-q", "live.yaml", "--simulate=recording.jsonl", "--limit=5", folder: folder.path)
        #expect(limited.results.split(separator: "\n").count == 5)
        let short = try await Program.run(
            "run", "-q", "live.yaml", "--simulate=pen=recording.jsonl", "--duration=0.02", folder: folder.path)
        #expect(short.results.split(separator: "\n").count == 20)
    }

    @Test("run --simulate: wrong arguments are refused with a suggestion")
    func refused() async throws {
        let folder = try makeFolder()
        for (flags, code, words) in [
            (["--simulate=recording.jsonl", "--service=resampel=8ms"], 2, "did you mean \"resample\"?"),
            (["--simulate=recording.jsonl", "--service=resample=8"], 2, "as in match=8ms"),
            (["--simulate=recording.jsonl", "--service=resample=8ms", "--service=resample=9ms"], 2, "two times"),
            (["--service=resample=8ms"], 2, "add --simulate FILE"),
            (["--drops=-"], 2, "--drops needs a file"),
            (["--simulate=pan=recording.jsonl"], 2, "did you mean \"pen\"?"),
            (["--simulate=none.jsonl"], 3, "none.jsonl is not there\n"),
            (["--simulate=live.yaml"], 3, "live.yaml is a pipeline, not data"),
        ] as [([String], Int32, String)] {
            let ending = try await Program.shell(
                "exec \"$0\" run live.yaml \"$@\"", [try Program.path()] + flags, folder: folder.path)
            #expect(ending.code == code, "\(flags)")
            #expect(ending.messages.contains(words), "\(ending.messages)")
            #expect(ending.results == "")
        }
    }

    @Test(
        "run --simulate: times have a number and a unit",
        arguments: [
            ("match=8ms", 8_000_000), ("a=500us", 500_000), ("a=2.5ms", 2_500_000), ("a=1s", 1_000_000_000),
            ("a=7ns", 7), ("a=3µs", 3000), ("a=0ms", 0), ("a=b=1ms", 1_000_000), ("a=8", nil), ("=8ms", nil),
            ("8ms", nil), ("a=-1ms", nil), ("a=ms", nil), ("a=1e3ms", nil), ("a=infs", nil), ("a=nans", nil),
            ("a=1m", 60_000_000_000), ("a=2h", 7_200_000_000_000), ("a=90000s", nil), ("a=", nil), ("a=1..5ms", nil),
        ] as [(String, Int64?)])
    func times(text: String, nanoseconds: Int64?) {
        #expect(ServiceTime(text)?.nanoseconds == nanoseconds)
    }
}
