import Foundation
import MCAP
import PipelineTesting
import Testing

@testable import PipelineCommand

/// Foxglove's own library and definitions, in the environment that `scripts/peers` creates.
@Suite(
    "Recordings and Foxglove",
    .enabled(if: FoxglovePython.isThere, "scripts/peers has not been run, or found no foxglove-sdk"))
struct FoxglovePeerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func peer(_ arguments: String...) async throws -> Program.Ending {
        try await Program.shell(
            "exec \"$0\" \"$@\"", [FoxglovePython.path, "\(Repository.root)/Tests/peers/foxglove_peer.py"] + arguments,
            folder: folder.path)
    }

    private func tool(_ arguments: String...) async throws -> Program.Ending {
        try await Program.shell("exec \"$0\" \"$@\"", [try Program.path()] + arguments, folder: folder.path)
    }

    // MARK: - What Foxglove's library writes

    @Test(
        "Foxglove: convert reads the frames that Foxglove's library writes, and skips its scenes",
        arguments: ["none", "lz4", "zstd"], ["session", "points", "two-hands"])
    func reads(_ how: String, _ sample: String) async throws {
        let kind = try #require(["session": "stroke", "points": "points", "two-hands": "hands"][sample])
        let path = "\(Repository.root)/Samples/\(sample).jsonl"
        let lines = try String(contentsOfFile: path, encoding: .utf8)
        let written = try await peer("write", path, "theirs.mcap", how)
        #expect(written.code == 0, "\(written.messages)")
        let converted = try await tool("convert", "theirs.mcap", "ours.jsonl", "--kind=\(kind)")
        #expect(converted.code == 0, "\(converted.messages)")
        #expect(!converted.messages.contains("could not be read"))
        #expect(byStream(try folder.read("ours.jsonl")) == byStream(lines))

        let info = try await tool("info", "theirs.mcap", "--format=json")
        let list = try JSONSerialization.jsonObject(with: Data(info.results.utf8)) as? [[String: Any]]
        let found = try #require(list?.first)
        let count = lines.split(separator: "\n").count
        #expect(found["messages"] as? Int == 2 * count && found["problem"] is NSNull)
        let streams = try #require(found["streams"] as? [[String: Any]])
        let drawn = try #require(streams.first { $0["name"] as? String == "/drawn" })
        #expect(drawn["kind"] as? String == "foxglove.SceneUpdate" && drawn["encoding"] as? String == "protobuf")
        #expect(drawn["messages"] as? Int == count)
    }

    /// Returns the lines of each stream in their order. Lines of different streams with the same time may come in any order.
    private func byStream(_ lines: String) -> [Substring: [Substring]] {
        Dictionary(grouping: lines.split(separator: "\n")) { line in
            line.split(separator: "\"stream\":").last?.prefix { $0 != "," } ?? ""
        }
    }

    @Test("Foxglove: a pipeline reads a recording of Foxglove's library")
    func pipeline() async throws {
        _ = try await peer("write", "\(Repository.root)/Samples/session.jsonl", "theirs.mcap", "zstd")
        try folder.write(
            "keep.yaml",
            """
            version: 1
            sources:
              - file: { path: theirs.mcap }
            sinks:
              - stdout: { format: jsonl }

            """)
        let ending = try await tool("run", "-q", "keep.yaml")
        #expect(ending.code == 0 && ending.messages.isEmpty, "\(ending.messages)")
        #expect(ending.results.split(separator: "\n").count == 24)
    }

    // MARK: - What pipectl writes

    @Test(
        "Foxglove: the scenes of pipectl match Foxglove's definitions, and so does their schema",
        arguments: ["session.jsonl", "points.jsonl", "signature.jsonl", "hands.jsonl", "air.jsonl", "two-hands.jsonl"])
    func scenes(_ sample: String) async throws {
        let converted = try await tool("convert", "\(Repository.root)/Samples/\(sample)", "seen.mcap", "--scene")
        #expect(converted.code == 0, "\(converted.messages)")
        let checked = try await peer("check", "seen.mcap")
        #expect(checked.code == 0, "\(checked.messages)")
        let count = try String(contentsOfFile: "\(Repository.root)/Samples/\(sample)", encoding: .utf8)
            .split(separator: "\n").count
        let scenes = checked.results.split(separator: "\n").filter { $0.hasPrefix("scene /scene/") }
        #expect(scenes.count == count)
        #expect(scenes.contains { $0.contains("\"points\":[{") })
        #expect(checked.results.contains("checked \(count) scenes against "))
    }

    @Test(
        "Foxglove: the check detects a changed word in a schema",
        arguments: ["\"lifetime\"", "\"scale_invariant\"", "\"LINE_LIST\""])
    func check(_ word: String) async throws {
        // A check that finds no problem in invalid data would prove nothing for valid data.
        _ = try await tool(
            "convert", "\(Repository.root)/Samples/session.jsonl", "seen.mcap", "--scene", "--compression=none")
        let changed = try await Program.shell(
            """
            exec "$0" -c 'import sys
            from mcap.reader import NonSeekingReader
            from mcap.writer import Writer
            word = sys.argv[1].encode()
            with open("seen.mcap", "rb") as old, open("wrong.mcap", "wb") as new:
                writer = Writer(new)
                writer.start()
                channels = {}
                for schema, channel, message in NonSeekingReader(old).iter_messages():
                    if channel.id not in channels:
                        data = schema.data.replace(word, word[:-2] + b"x\\"")
                        number = writer.register_schema(schema.name, schema.encoding, data)
                        channels[channel.id] = writer.register_channel(channel.topic, "json", number)
                    writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
                writer.finish()' "$1"
            """, [FoxglovePython.path, word], folder: folder.path)
        #expect(changed.code == 0, "\(changed.messages)")
        #expect(try await peer("check", "wrong.mcap").code != 0)
    }

    @Test("Foxglove: scenes of ink match Foxglove's definitions")
    func ink() async throws {
        try folder.write(
            "ink.yaml",
            """
            version: 1
            sources:
              - file: { path: "\(Repository.root)/Samples/signature.jsonl", kind: points }
            stages:
              - bezier
              - stroke_width: { min_width: 1, max_width: 5 }
            sinks:
              - file: { path: ink.mcap, scene: true }

            """)
        let ending = try await tool("run", "-q", "ink.yaml")
        #expect(ending.code == 0, "\(ending.messages)")
        let checked = try await peer("check", "ink.mcap")
        #expect(checked.code == 0, "\(checked.messages)")
        // Ink has its own width.
        #expect(checked.results.contains("\"scale_invariant\":false"))
    }
}

/// The Python in which `Tests/peers/foxglove_peer.py` runs.
private enum FoxglovePython {
    static let path = "\(Repository.root)/.venv/bin/python"

    /// Whether it has the modules that the program imports.
    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: path)
        probe.arguments = ["-c", "import foxglove, foxglove_schemas_protobuf, jsonschema, mcap"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()
}
