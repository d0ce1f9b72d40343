import Foundation
import MCAP
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("Scenes on the command line")
struct SceneVerbsTests {
    private let session = "\(Repository.root)/Samples/session.jsonl"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tool(_ arguments: String...) async throws -> Program.Ending {
        try await Program.shell("exec \"$0\" \"$@\"", [try Program.path()] + arguments, folder: folder.path)
    }

    /// Returns the messages of a file: topic, number, times and data, one text each.
    private func messages(_ name: String) throws -> [String] {
        let index = try IndexedReader(try FileInput(path: "\(folder.path)/\(name)"))
        var cursor = try index.messages()
        var found: [String] = []
        while let message = try cursor.next() {
            let topic = index.channels[message.channelID]?.topic ?? ""
            let data = String(decoding: message.data, as: UTF8.self)
            found.append("\(topic) \(message.sequence) \(message.logTime) \(message.publishTime) \(data)")
        }
        return found
    }

    @Test("Scenes: convert adds the same scenes to JSON Lines and to MCAP, and does not change the frames")
    func convert() async throws {
        #expect(try await tool("convert", session, "bare.mcap").code == 0)
        #expect(try await tool("convert", session, "seen.mcap", "--scene").code == 0)
        let added = try await tool("convert", "bare.mcap", "added.mcap", "--scene")
        #expect(added.messages.contains("24 messages and 24 scenes written to added.mcap"), "\(added.messages)")
        let seen = try messages("seen.mcap")
        #expect(seen.count == 48)
        #expect(seen.filter { !$0.hasPrefix("/scene/") } == (try messages("bare.mcap")))
        #expect(try messages("added.mcap") == seen)
        // A second conversion replaces scenes, and does not duplicate them.
        #expect(try await tool("convert", "added.mcap", "again.mcap", "--scene").code == 0)
        #expect(try messages("again.mcap") == seen)
        // Without the flag, they are copied like everything else.
        #expect(try await tool("convert", "seen.mcap", "copy.mcap").code == 0)
        #expect(try messages("copy.mcap") == seen)
        #expect(try await tool("convert", "seen.mcap", "back.jsonl").code == 0)
        #expect(try folder.read("back.jsonl") == String(contentsOfFile: session, encoding: .utf8))
    }

    @Test("Scenes: info lists scenes with their own kind, beside the streams")
    func info() async throws {
        _ = try await tool("convert", session, "seen.mcap", "--scene")
        let ending = try await tool("info", "seen.mcap", "--format=json")
        let list = try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [[String: Any]]
        let streams = try #require(list?.first?["streams"] as? [[String: Any]])
        let kinds = streams.map { "\($0["name"] ?? "") \($0["kind"] ?? "") \($0["messages"] ?? "")" }
        #expect(
            kinds == [
                "/scene/pen/1 foxglove.SceneUpdate 8", "/scene/pen/2 foxglove.SceneUpdate 8",
                "/scene/pen/3 foxglove.SceneUpdate 8", "pen/1 stroke 8", "pen/2 stroke 8", "pen/3 stroke 8",
            ])
    }

    @Test("Scenes: streams and times are selected for frames and scenes together")
    func selection() async throws {
        _ = try await tool("convert", session, "bare.mcap")
        _ = try await tool("convert", "bare.mcap", "part.mcap", "--scene", "--streams=pen/2", "--duration=3s")
        let part = try messages("part.mcap")
        #expect(part.count > 2 && part.count < 16)
        #expect(part.indices.allSatisfy { part[$0].hasPrefix($0 % 2 == 0 ? "pen/2 " : "/scene/pen/2 ") })
    }

    @Test("Scenes: a simulation ignores the scenes of a recording")
    func simulated() async throws {
        let lines = "\(Repository.root)/Samples/live.jsonl"
        var results: [String] = []
        for (name, flags) in [("bare.mcap", [] as [String]), ("seen.mcap", ["--scene"])] {
            let made = try await Program.shell(
                "exec \"$0\" convert -q \"$@\"", [try Program.path(), lines, name] + flags, folder: folder.path)
            #expect(made.code == 0, "\(made.messages)")
            let run = try await tool(
                "run", "-q", "\(Repository.root)/Configs/live-strokes.yaml", "--simulate", name, "--service=match=60ms")
            #expect(run.code == 0, "\(run.messages)")
            results.append(run.results)
        }
        #expect(results[0] == results[1] && !results[0].isEmpty)
    }

    @Test("Scenes: record writes scenes, both immediately and from memory")
    func record() async throws {
        try folder.write(
            "live.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: pen, kind: stroke, rate: 500, count: 200, points: 16 }
            sinks:
              - stdout

            """)
        for flags in [["--scene"], ["--scene", "--last=60s"]] {
            let ending = try await Program.shell(
                "exec \"$0\" record live.yaml -o a.mcap --force \"$@\"", [try Program.path()] + flags,
                folder: folder.path)
            #expect(ending.code == 0, "\(ending.messages)")
            #expect(ending.messages.contains("200 frames written to a.mcap"))
            let topics = try messages("a.mcap").map { $0.hasPrefix("/scene/") }
            #expect(topics.count == 400 && topics.filter { $0 }.count == 200)
        }
    }

    @Test("Scenes: on a full disk, only frames that can be read count as written")
    func fullDisk() async throws {
        try folder.write(
            "live.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: pen, kind: stroke, rate: 1000, count: 1000, points: 64 }
            sinks:
              - stdout

            """)
        let ending = try await Program.shell(
            """
            mkdir disk; unshare -rm sh -c 'mount -t tmpfs -o size=1500k tmpfs disk 2> /dev/null || exit 77
            "$0" record live.yaml -o disk/a.mcap --compression=none --scene; code=$?
            "$0" recover -q disk/a.mcap -o saved.mcap || exit 78
            exit $code' "$0" || exit $?
            """, [try Program.path()], folder: folder.path)
        // Without the permission to mount, nothing can be checked.
        if ending.code == 77 || ending.messages.contains("unshare") { return }
        #expect(ending.code == 3, "\(ending.messages)")
        let saved = try messages("saved.mcap").filter { !$0.hasPrefix("/scene/") }.count
        #expect(saved > 0 && saved < 1000)
        #expect(ending.messages.contains("\(saved) frames written to disk/a.mcap"), "\(ending.messages)")
    }

    @Test("Scenes: --scene is refused for JSON Lines")
    func refused() async throws {
        #expect(try await tool("convert", session, "a.jsonl", "--scene").code == 2)
        try folder.write("live.yaml", "version: 1\nsources:\n  - synthetic: { count: 1 }\nsinks:\n  - stdout\n")
        #expect(try await tool("record", "live.yaml", "-o", "a.jsonl", "--scene").code == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/a.jsonl"))
    }
}
