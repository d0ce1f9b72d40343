import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The recording of a run, and its end")
struct RunRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("run --record: a recording that cannot be written is named, stops the run, and makes no frame of a sink fail")
    func fullDisk() async throws {
        try folder.write(
            "endless.yaml",
            """
            version: 1
            sources: [synthetic: { kind: stroke, count: 10000000 }]
            sinks:
              - file: { path: /dev/null, format: jsonl, if_exists: overwrite, on_error: skip }
              - discard: { id: raw, from: synthetic }

            """)
        // A lower limit would prevent the file that the thread sanitizer writes when the process starts.
        let ending = try await Program.shell(
            "ulimit -f 512; exec \"$0\" run endless.yaml --record box.mcap --format=json", [try Program.path()],
            folder: folder.path)
        #expect(ending.code == 3)
        #expect(ending.messages.contains("error[file.unwritable]: --record: box.mcap cannot be written: "))
        #expect(!ending.messages.contains("raw"), "\(ending.messages)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        let failures = try #require(report["failures"] as? [[String: Any]])
        #expect(failures.map { $0["node"] as? String } == ["--record"])
        #expect(failures.first?["code"] as? String == "file.unwritable")
        let nodes = try #require(report["nodes"] as? [[String: Any]])
        for id in ["file", "raw"] {
            let node = try #require(nodes.first { $0["id"] as? String == id })
            #expect(node["failed"] as? Int == 0)
            #expect(node["in"] as? Int == node["out"] as? Int && node["in"] as? Int ?? 0 > 0)
        }
    }

    @Test("run: a signal that arrives while the outputs are created ends the run in an orderly way")
    func earlySignal() async throws {
        try folder.write(
            "endless.yaml",
            "version: 1\nsources: [synthetic: { kind: stroke, count: 10000000 }]\nsinks: [discard]\n")
        // The file of drops is created after the recording. It is a pipe, so that the command waits for a reader.
        let ending = try await Program.shell(
            """
            mkfifo drops
            "$0" run endless.yaml --record box.mcap --drops drops --report report.json &
            until [ -e box.mcap ]; do sleep 0.01; done
            kill -TERM $!
            exec 3<>drops
            wait $!
            """, [try Program.path()], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        #expect(try folder.read("report.json").contains("\"exit_code\": 0"))
        #expect(try await Program.run("verify", "-q", "box.mcap", folder: folder.path).code == 0)
    }
}
