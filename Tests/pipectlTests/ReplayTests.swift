import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("replay")
struct ReplayTests {
    private let recording = "\(Repository.root)/Samples/live.jsonl"

    private func receiver(_ folder: TemporaryFolder, _ options: String, mode: String = "live") throws {
        try folder.write(
            "receive.yaml",
            """
            version: 1
            mode: \(mode)
            live: { capacity: 1000 }
            sources:
              - zmq: { connect: "ipc://pen.sock", socket: sub, kind: stroke\(options) }
            sinks:
              - stdout: { format: jsonl }

            """)
    }

    /// Returns the recording as a receiver should write it: without the arrival times at the first receiver.
    private func lines() throws -> [Substring] {
        try String(contentsOfFile: recording, encoding: .utf8)
            .replacing(/,"recv_us":[0-9]+/, with: "").split(separator: "\n")
    }

    private func run(_ replay: String, in folder: TemporaryFolder) async throws -> Program.Ending {
        try await Program.shell(
            "\"$0\" replay \"$1\" --to ipc://pen.sock --wait-for-subscribers=1 \(replay) & \"$0\" run -q receive.yaml; "
                + "code=$?; kill -INT $! 2> /dev/null; wait $! && exit $code",
            [try Program.path(), recording], folder: folder.path)
    }

    @Test("pipectl replay: a subscriber gets every frame as it was recorded, and the end of each stream")
    func whole() async throws {
        let folder = try TemporaryFolder()
        try receiver(folder, ", ends: 2")
        let ending = try await run("--rate=max", in: folder)
        #expect(ending.code == 0)
        #expect(try ending.results.split(separator: "\n") == lines())
        #expect(ending.messages.contains("100 frames sent, in "))
    }

    @Test(
        "pipectl replay: with --loop, streams start over until the replay is interrupted"
    )
    func loop() async throws {
        let folder = try TemporaryFolder()
        try receiver(folder, ", ends: 4")
        let ending = try await run("--rate=1000 --loop", in: folder)
        #expect(ending.code == 0)
        let received = ending.results.split(separator: "\n")
        #expect(try received.prefix(100) == lines()[...])
        #expect(try received.dropFirst(100).prefix(100) == lines()[...])
    }

    @Test("pipectl replay: a file that cannot be replayed is refused with the reason")
    func refused() async throws {
        let missing = try await Program.run("replay", "none.jsonl")
        #expect(missing.code == 3)
        #expect(missing.messages.contains("none.jsonl is not there"))
        for flag in ["--rate=0", "--rate=fast", "--to=pen", "--wait-for-subscribers=0"] {
            let ending = try await Program.run("replay", recording, flag)
            #expect(ending.code == 2)
            #expect(ending.messages.contains("needs "), "\(ending.messages)")
        }
        let taken = try await Program.run("replay", recording, "--to=ipc:///nowhere/pen.sock")
        #expect(taken.code == 3)
    }
}
