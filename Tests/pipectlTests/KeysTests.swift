import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineCommand

@Suite("keys")
struct KeysTests {
    @Test(
        "pipectl keys: if one of the two files exists, nothing is written",
        arguments: [(".key", ".key_secret"), (".key_secret", ".key")])
    func orphan(ending: String, other: String) async throws {
        let folder = try TemporaryFolder()
        let there = try folder.write("camera" + ending, "somebody's")
        let answer = await pipectl("keys", "\(folder.path)/camera")
        #expect(answer.code == .environment)
        #expect(answer.messages.contains("cannot write \(there): it exists already"))
        #expect(throws: PipelineError.self) { try folder.read("camera" + other) }
        #expect(try folder.read("camera" + ending) == "somebody's")
    }

    @Test("pipectl keys: a pair of keys is written to two files")
    func pair() async throws {
        let folder = try TemporaryFolder()
        #expect(await pipectl("keys", "\(folder.path)/camera").code == .done)
        let (open, secret) = ("\(folder.path)/camera.key", "\(folder.path)/camera.key_secret")
        let secretKey = try CurveKeyFile.read(.secretKey, from: secret)
        #expect(try CurveKeyFile.read(.publicKey, from: open) == secretKey.publicKey)
        #expect(try CurveKeyFile.read(.publicKey, from: secret) == secretKey.publicKey)
        #expect(try !folder.read("camera.key").contains(secretKey.text))
        let rights = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int
        #expect(rights == 0o600)
    }

    #if !PTHREAD_LOCKS
        // The thread sanitizer writes a file when a process starts, which this limit would prevent.
        @Test("pipectl keys: on a full disk, no file of the pair is left")
        func fullDisk() async throws {
            let folder = try TemporaryFolder()
            let ending = try await Program.shell(
                "trap '' XFSZ; ulimit -f 0; exec \"$0\" keys camera 2>&1 | cat", [try Program.path()],
                folder: folder.path)
            #expect(ending.results.contains("cannot write camera.key_secret: File too large"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    #endif
}
