import Foundation
import Testing

/// A run of the built program that is served at a free port.
struct ServedProgram {
    let session: Program.Session
    /// `http://127.0.0.1:41235/`.
    let url: String

    init(_ arguments: String..., folder: String? = nil) throws {
        session = try Program.Session(
            try Program.path(), ["run"] + arguments + ["--serve", "127.0.0.1:0"], folder: folder)
        let said = session.readMessages(until: "serving at ")
        let rest = said.contains("/\n") ? said : said + session.readMessages(until: "\n")
        let line = try #require(rest.split(separator: "\n").first { $0.contains("serving at ") }, "\(rest)")
        url = String(try #require(line.components(separatedBy: "serving at ").last))
    }

    var host: String { String(url.dropFirst("http://".count).dropLast()) }

    /// Returns the body at a path.
    func get(_ path: String) async throws -> String {
        let ending = try await Program.shell("exec curl -s --max-time 20 \"$0\"", [url + path.dropFirst()])
        return ending.results
    }

    /// Returns the document at a path.
    func document(_ path: String) async throws -> [String: Any] {
        let text = try await get(path)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// Waits until the state of the run is as wanted, and returns it.
    ///
    /// - Throws: ``Program/Missing`` after 1,000 other states, which take at least 20 seconds.
    func state(until isWanted: ([String: Any]) throws -> Bool) async throws -> [String: Any] {
        var state: [String: Any] = [:]
        for _ in 0..<1000 {
            state = try await document("/api/state")
            if try isWanted(state) { return state }
            try await Task.sleep(for: .milliseconds(20))
        }
        session.send(SIGKILL)
        throw Program.Missing(description: "the wanted state of the run; the last one was \("\(state)".prefix(2000))")
    }

    /// Ends the run, and returns its output.
    func interrupt() async -> Program.Ending {
        session.send(SIGINT)
        return await session.converse { session.finish() }
    }
}

/// Python with the packages that `scripts/peers` installs.
enum ServePython {
    static let path = "\(Repository.root)/.venv/bin/python"

    static let isThere = has("websockets, prometheus_client")

    /// Whether Foxglove's definitions are installed as well. They do not exist for every platform.
    static let knowsFoxglove = has("jsonschema, google.protobuf, foxglove_schemas_protobuf")

    private static func has(_ modules: String) -> Bool {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: path)
        probe.arguments = ["-c", "import \(modules)"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }

    static func run(_ arguments: String..., input: String = "") async throws -> Program.Ending {
        try await Program.shell(
            "exec \"$0\" \"$@\"", [path, "\(Repository.root)/Tests/peers/serve_peer.py"] + arguments, input: input)
    }
}
