import Foundation
import PipelineTesting
import Testing

@Suite("Three processes in a chain")
struct LineTests {
    private struct Report {
        let code: Int32
        let nodes: [String: (received: Int, passed: Int, lost: Int)]
        let results: String
    }

    private func report(_ name: String, _ settings: [String]) async throws -> Report {
        let ending = try await Program.shell(
            "exec \"$0\" run \"$@\"",
            [try Program.path(), "\(Repository.root)/Configs/\(name).yaml", "--format=json"]
                + settings.map { "--set=\($0)" })
        // If the pipeline itself writes results, the report is a message.
        let text = ending.results.hasPrefix("{\n") ? ending.results : ending.messages
        let json = String(text[(text.firstRange(of: "{\n")?.lowerBound ?? text.startIndex)...])
        let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect((document?["violations"] as? [Any])?.isEmpty ?? false)
        var nodes: [String: (received: Int, passed: Int, lost: Int)] = [:]
        for node in document?["nodes"] as? [[String: Any]] ?? [] {
            nodes[node["id"] as? String ?? ""] = (
                node["in"] as? Int ?? -1, node["passed"] as? Int ?? -1, node["lost"] as? Int ?? -1
            )
        }
        return Report(code: ending.code, nodes: nodes, results: ending.results)
    }

    @Test(
        "Three processes in a chain: each receives what the one before has written, and the end of the session ends all"
    )
    func line() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = ("ipc://\(folder.path)/1", "ipc://\(folder.path)/2")
        async let collecting = report("line-collect", ["work.bind=\(second)"])
        async let working = report("line-work", ["ingest.connect=\(first)", "zmq.connect=\(second)"])
        async let ingesting = report("line-ingest", ["zmq.bind=\(first)"])
        let (ingest, work, collect) = (try await ingesting, try await working, try await collecting)
        #expect([ingest.code, work.code, collect.code] == [0, 0, 0])
        let session = try String(contentsOfFile: "\(Repository.root)/Samples/session.jsonl", encoding: .utf8)
        let strokes = session.split(separator: "\n").count
        #expect(ingest.nodes["file"]?.received == strokes)
        #expect(ingest.nodes["zmq"]?.passed == strokes)
        #expect(work.nodes["ingest"]?.received == ingest.nodes["zmq"]?.passed)
        #expect(work.nodes["match"]?.passed == strokes)
        #expect(collect.nodes["work"]?.received == work.nodes["zmq"]?.passed)
        #expect(collect.nodes["stdout"]?.passed == strokes)
        #expect([work.nodes["ingest"]?.lost, collect.nodes["work"]?.lost] == [0, 0])
    }
}
