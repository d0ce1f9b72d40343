import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("Recordings in MCAP, replayed and simulated")
struct ReplayRecordingTests {
    private let lines = "\(Repository.root)/Samples/live.jsonl"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "receive.yaml",
            """
            version: 1
            mode: live
            live: { capacity: 1000 }
            sources:
              - zmq: { connect: "ipc://pen.sock", socket: sub, kind: stroke, ends: "${ENDS}" }
            sinks:
              - stdout: { format: jsonl }

            """)
    }

    private func receive(_ ends: Int, _ replay: String) async throws -> [Substring] {
        let ending = try await Program.shell(
            "\"$0\" convert -q --force \"$1\" live.mcap && { \"$0\" replay live.mcap --to ipc://pen.sock "
                + "--wait-for-subscribers=1 \(replay) & \"$0\" run -q receive.yaml; "
                + "code=$?; kill -INT $! 2> /dev/null; wait $! && exit $code; }",
            [try Program.path(), lines], environment: ["ENDS": "\(ends)"], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        return ending.results.split(separator: "\n")
    }

    /// Returns the recording as a receiver should write it: without the arrival times at the first receiver.
    private func sent() throws -> [Substring] {
        try String(contentsOfFile: lines, encoding: .utf8)
            .replacing(/,"recv_us":[0-9]+/, with: "").split(separator: "\n")
    }

    @Test("MCAP replay: a subscriber gets from MCAP what it gets from JSON Lines")
    func whole() async throws {
        #expect(try await receive(2, "--rate=max") == sent())
    }

    @Test("MCAP replay: a time span of selected streams is sent under other names")
    func part() async throws {
        let all = try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n")
        func number(_ key: String, _ line: Substring) throws -> Int {
            try #require(line.split(separator: "\"\(key)\":").last?.prefix { $0.isNumber }).description.number
        }
        let pens = all.filter { $0.contains("\"pen/1\"") }
        let start = try number("recv_us", try #require(pens.first))
        let wanted = try pens.filter { (1_000_000...2_000_000).contains(try number("recv_us", $0) - start) }
        #expect(!wanted.isEmpty && wanted.count < pens.count)
        let received = try await receive(
            1, "--rate=max --streams=pen/1 --remap pen/1=left --start-offset=1s --duration=1s")
        #expect(try received.map { try number("t_us", $0) } == wanted.map { try number("t_us", $0) })
        #expect(received.allSatisfy { $0.contains("\"stream\":\"left\"") })
    }

    @Test("MCAP replay: a simulation delivers and drops the same frames from MCAP and from JSON Lines")
    func simulated() async throws {
        let config = "\(Repository.root)/Configs/live-strokes.yaml"
        let flags = ["--service=match=60ms"]
        _ = try await Program.run("convert", "-q", lines, "live.mcap", folder: folder.path)
        var results: [[String]] = []
        for recording in [lines, "live.mcap"] {
            let run = try await Program.run(
                "run", config, "--simulate", recording, flags[0], "--drops=drops.jsonl", folder: folder.path)
            #expect(run.code == 0, "\(run.messages)")
            let table = try await Program.run("whatif", config, recording, flags[0], folder: folder.path)
            results.append([run.results, try folder.read("drops.jsonl"), table.results])
        }
        #expect(results[0] == results[1])
        #expect(!results[0].contains(""))
    }

    @Test("MCAP replay: on a terminal, keys pause and step a replay, and make it faster")
    func keys() throws {
        let terminal = try PseudoTerminal()
        let replay = Process()
        let receiver = Process()
        let results = Pipe()
        for (process, arguments) in [
            // At this rate, the hundred frames would take an hour.
            (replay, ["replay", lines, "--to=ipc://pen.sock", "--wait-for-subscribers=1", "--rate=0.001"]),
            (receiver, ["run", "-q", "receive.yaml"]),
        ] {
            process.executableURL = URL(fileURLWithPath: try Program.path())
            process.arguments = arguments
            process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
            process.environment = ProcessInfo.processInfo.environment.merging([
                "NO_COLOR": "1", "TERM": "xterm", "ENDS": "2",
            ]) { $1 }
        }
        (replay.standardInput, replay.standardOutput, replay.standardError) = (
            terminal.line, FileHandle.nullDevice, terminal.line
        )
        (receiver.standardInput, receiver.standardOutput) = (FileHandle.nullDevice, results)
        try replay.run()
        try receiver.run()
        var received = Data()
        func receive(_ count: Int) {
            while received.count(where: { $0 == 0x0A }) < count {
                let more = results.fileHandleForReading.availableData
                if more.isEmpty { return }
                received += more
            }
        }
        // The first frame is due immediately. The keys send three more, one by one.
        receive(1)
        try terminal.type("s..")
        receive(4)
        #expect(received.count(where: { $0 == 0x0A }) == 4)
        try terminal.type(" " + String(repeating: "+", count: 20))
        receive(100)
        let messages = try terminal.readToEnd()
        replay.waitUntilExit()
        receiver.waitUntilExit()
        #expect(replay.terminationStatus == 0)
        #expect(try String(decoding: received, as: UTF8.self).split(separator: "\n") == sent())
        #expect(messages.contains("paused; space resumes"))
        #expect(messages.contains("1000.0 times the recorded speed"))
        #expect(messages.contains("100 frames sent"))
    }
}

extension String {
    /// The text as a number; -1 if it is not a number.
    fileprivate var number: Int { Int(self) ?? -1 }
}
