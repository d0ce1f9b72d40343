import Connectors
import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("run --record, replay --exact and verify")
struct ExactReplayTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "shapes.json", String(contentsOfFile: "\(Repository.root)/Samples/shapes.json", encoding: .utf8))
        try folder.write(
            "live.yaml",
            """
            version: 1
            mode: live
            sources:
              - zmq: { id: pen, connect: "ipc:///nowhere/pen", socket: sub, kind: stroke }
            stages:
              - match: { library: shapes.json, }
            sinks:
              - stdout: { format: jsonl }

            """)
    }

    private func run(_ words: String..., environment: [String: String] = [:]) async throws -> Program.Ending {
        try await Program.shell(
            "exec \"$0\" \"$@\"", [try Program.path()] + words, environment: environment, folder: folder.path)
    }

    /// Records a live run that drops some of its input.
    private func record() async throws -> Int {
        let ending = try await run(
            "run", "live.yaml", "--simulate=\(Repository.root)/Samples/live.jsonl", "--service=match=60ms",
            "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        return ending.results.split(separator: "\n").count
    }

    @Test("Exact replay: a live run with drops is reproduced from its recording alone")
    func same() async throws {
        let count = try await record()
        #expect((1..<100).contains(count))
        // Only the recording is left.
        for name in ["live.yaml", "shapes.json"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let ending = try await run("replay", "--exact", "box.mcap")
        #expect(ending.code == 0, "\(ending.messages)\(ending.results)")
        #expect(ending.results == "\(count) results, the same byte for byte\n")
        let verified = try await run("verify", "box.mcap")
        #expect(verified.code == 0, "\(verified.messages)")
    }

    @Test("Exact replay: a library that a stage inside each reads is in the recording")
    func nestedLibrary() async throws {
        try folder.write("hands.json", try Repository.read("Samples/hands.json"))
        try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [file: { path: \(Repository.root)/Samples/two-hands.jsonl, kind: hands, space: normalized, y: down }]
            stages: [each: { stages: [recognize_hand: { custom: { library: hands.json } }] }]
            sinks: [stdout: { format: jsonl }]

            """)
        let ending = try await run("run", "-q", "hands.yaml", "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/hands.json")
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0 && replay.results.contains("the same byte for byte"), "\(replay.messages)")
    }

    @Test("Exact replay: a library that two stages name through an alias of their options is in the recording")
    func aliasedOptions() async throws {
        try folder.write("hands.json", try Repository.read("Samples/hands.json"))
        try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [file: { path: \(Repository.root)/Samples/two-hands.jsonl, kind: hands, space: normalized, y: down }]
            stages:
              - each: { id: a, stages: [recognize_hand: { custom: &own { library: hands.json } }] }
              - each: { id: b, from: file, stages: [recognize_hand: { custom: *own }] }
            sinks: [stdout: { from: a, format: jsonl }, discard: { from: b }]

            """)
        let ending = try await run("run", "-q", "hands.yaml", "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/hands.json")
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0 && replay.results.contains("the same byte for byte"), "\(replay.messages)")
    }

    @Test("Exact replay: the name of a recorded library may contain quotes and backslashes")
    func quotedLibrary() async throws {
        try folder.write(#"a"b\c.json"#, try folder.read("shapes.json"))
        try folder.write(
            "quoted.yaml",
            #"""
            version: 1
            sources: [file: { path: \#(Repository.root)/Samples/session.jsonl }]
            stages: [match: { library: 'a"b\c.json' }]
            sinks: [stdout: { format: jsonl }]

            """#)
        let ending = try await run("run", "-q", "quoted.yaml", "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0 && replay.results.contains("the same byte for byte"), "\(replay.messages)")
    }

    @Test(
        "Exact replay: the recorded configuration is whole if a library is named by an alias, a variable or on several lines",
        arguments: [
            "[match: { id: a, library: &lib shapes.json }, match: { id: b, from: file, library: *lib }]",
            #"[match: { id: a, library: "${FOLDER}/shapes.json" }]"#,
            "\n  - match:\n      library: &lib !!str # ours\n        shapes.json\n      id: a",
            "\n  - match:\n      library: >-\n        shapes.json\n      id: a",
        ])
    func spelledLibrary(stages: String) async throws {
        try folder.write(
            "spelled.yaml",
            """
            version: 1
            sources: [file: { path: \(Repository.root)/Samples/session.jsonl }]
            stages: \(stages)
            sinks: [stdout: { from: a, format: jsonl }]

            """)
        let ending = try await run(
            "run", "-q", "spelled.yaml", "--record=box.mcap", environment: ["FOLDER": folder.path])
        #expect(ending.code == 0, "\(ending.messages)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/shapes.json")
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0 && replay.results.contains("the same byte for byte"), "\(replay.messages)")
    }

    @Test("Exact replay: a recording contains no secret keys and no passwords of sockets")
    func secrets() async throws {
        #expect(try await run("keys", "ours").code == 0)
        try folder.write("words.txt", "a secret of the camera\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/words.txt")
        try folder.write(
            "secure.yaml",
            """
            version: 1
            sources: [file: { path: \(Repository.root)/Samples/session.jsonl }]
            sinks:
              - stdout: { format: jsonl }
              - zmq: { id: one, bind: "ipc://\(folder.path)/one", curve: { server: true, secret_key_file: ours.key_secret } }
              - zmq:
                  id: two
                  bind: "ipc://\(folder.path)/two"
                  plain: { server: true, username: camera, password_file: words.txt }

            """)
        let ending = try await run("run", "-q", "secure.yaml", "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        let recording = try Data(contentsOf: URL(filePath: "\(folder.path)/box.mcap"))
        let key = try String(contentsOfFile: "\(folder.path)/ours.key_secret", encoding: .utf8)
        let secret = try #require(key.split(separator: "\"").last { $0.utf8.count == 40 })
        #expect(recording.range(of: Data(secret.utf8)) == nil)
        #expect(recording.range(of: Data("a secret of the camera".utf8)) == nil)
        for file in ["ours.key_secret", "words.txt"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
        }
        let replay = try await run("replay", "--exact", "box.mcap")
        #expect(replay.code == 0 && replay.results.contains("the same byte for byte"), "\(replay.messages)")
    }

    @Test("Exact replay: a different result is located at its first frame, with both values")
    func divergence() async throws {
        try folder.write(
            "eight.yaml",
            """
            version: 1
            sources:
              - file: { path: \(Repository.root)/Samples/session.jsonl }
            stages:
              - resample: { points: "${POINTS:-8}" }
            sinks:
              - stdout: { format: jsonl }

            """)
        #expect(try await run("run", "-q", "eight.yaml", "--record=box.mcap").code == 0)
        #expect(try await run("replay", "--exact", "box.mcap").code == 0)
        let ending = try await run("replay", "--exact", "box.mcap", environment: ["POINTS": "9"])
        #expect(ending.code == 1)
        #expect(
            ending.results == """
                first divergence: stdout, stream pen/1, frame 0 at 0.400000 s: pts has 27 elements, and 24 are expected
                0 of 24 results are the same, 24 different, 0 gone, 0 new

                """)
    }

    @Test("Exact replay: a live run in real time is reproduced, whatever it dropped")
    func real() async throws {
        try folder.write(
            "real.yaml",
            """
            version: 1
            mode: live
            live: { capacity: 0 }
            sources:
              - synthetic: { id: pen, kind: stroke, rate: 1, rate_hz: 1000, count: 600, streams: 3 }
            stages:
              - match: { library: shapes.json }
            sinks:
              - stdout: { format: jsonl }

            """)
        let ending = try await run("run", "-q", "real.yaml", "--record=box.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        let count = ending.results.split(separator: "\n").count
        let replayed = try await run("replay", "-q", "--exact", "box.mcap")
        #expect(replayed.code == 0, "\(replayed.results)")
        #expect(replayed.results.replacing(",", with: "").hasPrefix("\(count) results the same"))
    }

    @Test("Exact replay: requests that no worker answered are recorded as failed, and are not sent again")
    func asks() async throws {
        try folder.write(
            "asks.yaml",
            """
            version: 1
            sources:
              - file: { path: \(Repository.root)/Samples/session.jsonl, origin: true }
            stages:
              - zmq_request: { id: ask, connect: "ipc://\(folder.path)/worker", retries: 0, timeout_ms: 30, on_error: route }
              - resample: { points: 4 }
            sinks:
              - stdout: { format: jsonl }
              - file: { from: ask.errors, path: errors.jsonl }

            """)
        #expect(try await run("run", "-q", "asks.yaml", "--record", "asks.mcap").code == 0)
        let refused = try String(contentsOfFile: "\(folder.path)/errors.jsonl", encoding: .utf8)
        #expect(refused.contains("\"frame\":{\"kind\":\"stroke\""))
        #expect(refused.contains(" s, file session.jsonl, line 2\",") && refused.contains("\"line\":2}"))
        let count = refused.split(separator: "\n").count
        try FileManager.default.removeItem(atPath: "\(folder.path)/asks.yaml")
        let ending = try await run("replay", "--exact", "asks.mcap")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
        #expect(ending.results == "\(count) results, the same byte for byte\n")
    }

    @Test("Exact replay: unknown keys of failed frames, and their clock, are reproduced")
    func unknownKeysOfFailures() async throws {
        try folder.write(
            "back.jsonl",
            """
            {"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":10,"fields":"xy","pts":[0,0,1,1]}
            {"v":1,"kind":"stroke","stream":"a","seq":1,"t_us":5,"fields":"xy","pts":[5,5,6,6],"clock":"unix","extra":{"a":[7]}}

            """)
        try folder.write(
            "back.yaml",
            """
            version: 1
            sources: [file: { path: back.jsonl, on_error: route }]
            sinks: [discard: { from: file }, stdout: { format: jsonl, from: file.errors }]

            """)
        let ending = try await run("run", "-q", "back.yaml", "--record=back.mcap")
        #expect(ending.results.contains(#""clock":"unix""#) && ending.results.contains(#""extra":{"a":[7]}"#))
        let replay = try await run("replay", "--exact", "back.mcap")
        #expect(replay.code == 0, "\(replay.results)\(replay.messages)")
        #expect(replay.results == "2 results, the same byte for byte\n")
    }

    @Test("Exact replay: if no folder for the recorded files can be made, the error says where and what to do")
    func noFolder() async throws {
        _ = try await record()
        let ending = try await run("replay", "--exact", "box.mcap", environment: ["TMPDIR": "/nowhere"])
        #expect(ending.code == 3)
        #expect(ending.messages.contains("no folder can be made in /nowhere"))
        #expect(ending.messages.contains("TMPDIR"))
    }

    @Test("Exact replay: a changed recording is reported")
    func verify() async throws {
        _ = try await record()
        _ = try await run("convert", "-q", "box.mcap", "part.mcap", "--streams=pen/1")
        let part = try await run("verify", "part.mcap")
        #expect(part.code == 1)
        #expect(part.messages.contains("input pen is"))
        #expect(try await run("replay", "--exact", "part.mcap").code == 3)
        _ = try await run("convert", "-q", "\(Repository.root)/Samples/live.jsonl", "other.mcap")
        #expect(try await run("verify", "other.mcap").code == 3)
    }

    @Test(
        "Exact replay: SHA-256 digests equal the examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func digests(_ text: String, _ digest: String) { #expect(SHA256.hex(Array(text.utf8)) == digest) }

    @Test("Exact replay: a SHA-256 digest of pieces, contiguous or not, equals the example of FIPS 180-4")
    func digestOfPieces() {
        var digest = SHA256()
        for piece in 0..<1000 {
            digest.add(ArraySlice(repeating: UInt8(ascii: "a"), count: piece))
            digest.add((piece..<1000).lazy.map { _ in UInt8(ascii: "a") })
        }
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
