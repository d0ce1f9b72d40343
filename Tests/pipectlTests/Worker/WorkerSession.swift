import Foundation
import PipelineTesting
import Testing

/// The jobs that a test sends to `pipectl worker`.
struct WorkerSession {
    /// An answer of the worker.
    struct Answer {
        let members: [String: Any]
        /// The rows of each sink.
        let rows: [String: String]

        var code: String? { (members["error"] as? [String: Any])?["code"] as? String }
        var location: String? { (members["error"] as? [String: Any])?["location"] as? String }
        var message: String? { (members["error"] as? [String: Any])?["message"] as? String }

        /// The ledger without times, as text.
        var ledger: String {
            get throws { try WorkerSession.ledger(try #require(members["report"] as? [String: Any])) }
        }
    }

    let folder: TemporaryFolder
    private(set) var input = Data()

    init(in folder: TemporaryFolder) { self.folder = folder }

    /// Adds a line as it is, even if it is not a valid job.
    mutating func add(line: String) { input += Data("\(line)\n".utf8) }

    mutating func add(config: String, _ more: [String: Any] = [:]) throws {
        try add(["config": config].merging(more) { $1 })
    }

    mutating func add(path: String) throws { try add(["path": path]) }

    /// Adds a recording with its bytes.
    mutating func add(name: String, bytes: Data) throws {
        try add(["name": name, "bytes": bytes.count])
        input += bytes
    }

    private mutating func add(_ job: [String: Any]) throws {
        input += try JSONSerialization.data(withJSONObject: job) + Data("\n".utf8)
    }

    /// Runs the worker on the jobs.
    ///
    /// - Parameter cut: The number of bytes at the end of the jobs that the worker does not get.
    func run(cut: Int = 0) async throws -> (answers: [Answer], ending: Program.Ending) {
        let jobs = try folder.write("jobs", bytes: Array(input.dropLast(cut)))
        let spool = "\(folder.path)/spool"
        try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
        let ending = try await Program.shell(
            "exec \"$0\" worker -q <\"$1\"", [try Program.path(), jobs], environment: ["TMPDIR": spool],
            folder: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [], "it removes what it stored")
        return (try Self.answers(ending.results), ending)
    }

    private static func answers(_ output: String) throws -> [Answer] {
        var rest = Array(output.utf8)[...]
        var answers: [Answer] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let head = try JSONSerialization.jsonObject(with: Data(rest[..<end]))
            let members = try #require(head as? [String: Any])
            rest = rest[(end + 1)...]
            var rows: [String: String] = [:]
            for result in members["results"] as? [[String: Any]] ?? [] {
                let text = String(decoding: rest.prefix(try #require(result["bytes"] as? Int)), as: UTF8.self)
                rest = rest.dropFirst(text.utf8.count)
                #expect(text.split(separator: "\n").count == result["rows"] as? Int)
                rows[try #require(result["sink"] as? String)] = text
            }
            answers.append(Answer(members: members, rows: rows))
        }
        #expect(rest.isEmpty)
        return answers
    }

    /// Returns the counts of a report, without times, as text.
    static func ledger(_ report: [String: Any]) throws -> String {
        let nodes = try #require(report["nodes"] as? [[String: Any]]).map { node in
            node.filter { !["p50_ns", "p99_ns"].contains($0.key) }
        }
        let counts: [String: Any] = ["nodes": nodes, "edges": report["edges"] ?? [], "losses": report["losses"] ?? 0]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: counts, options: .sortedKeys), as: UTF8.self)
    }
}
