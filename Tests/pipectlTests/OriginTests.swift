import Foundation
import Testing

@Suite("Results name the lines of their input")
struct OriginTests {
    @Test(
        "Every result of pipelines in Configs names the last line of its stream that it used",
        arguments: [
            ("strokes", "file"), ("combine", "file"), ("letters", "file"), ("two-hands", "camera"), ("points", "file"),
            ("air-draw", "camera"),
        ])
    func configurations(name: String, source: String) async throws {
        let ending = try await Program.run(
            "run", "-q", "\(Repository.root)/Configs/\(name).yaml", "--set=\(source).origin=true",
            "--set=stdout.format=jsonl")
        #expect(ending.code == 0, "\(ending.messages)")
        let results = try ending.results.split(separator: "\n").map { try Self.object($0) }
        #expect(!results.isEmpty)
        for result in results {
            let file = try #require(result["file"] as? String)
            let (stream, time) = (try #require(result["stream"] as? String), try #require(result["t_us"] as? Int))
            let text = try String(contentsOfFile: "\(Repository.root)/Samples/\(file)", encoding: .utf8)
            let last = try text.split(separator: "\n", omittingEmptySubsequences: false).lastIndex { line in
                guard !line.isEmpty else { return false }
                let frame = try Self.object(line)
                return frame["stream"] as? String == stream && (frame["t_us"] as? Int ?? .max) <= time
            }
            #expect(try #require(last) + 1 == result["line"] as? Int)
        }
    }

    private static func object(_ line: Substring) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
