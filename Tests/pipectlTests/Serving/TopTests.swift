import Foundation
import Testing

@Suite("top and tap, and what a server answers them")
struct TopTests {
    @Test("pipectl top: the figures of a server may be of any size, and the command still shows its table or line")
    func hugeFigures() async throws {
        let huge = "{\"received\":1e300,\"emitted\":-1e300,\"dropped\":1e300}"
        let server = try CannedServer(
            json: """
                {"phase":"running","nodes":[
                {"id":"pen","role":"source","failed":1e30,"dropped":{"late":9e18,"full":9e18},"rate_1s":\(huge),
                 "service":{"p50_s":-1e300,"p99_s":1e300},"age":{"p99_s":1e300}},
                {"id":"out","role":"sink","failed":-1e30,"dropped":{"late":1e30},"join":{"dropped":{"late":1e30}}}],
                "edges":[{"from":"pen","to":"out","queued":9e18,"dropped":{"full":1e30}},
                {"from":"pen","to":"out","queued":9e18,"dropped":{"full":1e30},"rate_1s":\(huge)}]}
                """)
        let line = try await Program.run("top", server.address, "--count=1")
        #expect(line.code == 0, "\(line)")
        #expect(line.results.contains("running") && line.results.contains("slowest pen"), "\(line.results)")
        let table = try self.table(of: server, sortedBy: "drops")
        #expect(table.contains("9,223,372,036,854,775,807"), "\(table)")
    }

    /// Returns the table that `top` shows on a terminal.
    private func table(of server: CannedServer, sortedBy order: String) throws -> String {
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Program.path())
        process.arguments = ["top", server.address, "--count=1", "--sort=\(order)"]
        (process.standardOutput, process.standardError) = (terminal.line, terminal.line)
        process.environment = ["NO_COLOR": "1", "TERM": "dumb"]
        try process.run()
        let table = try terminal.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(table)")
        return table
    }

    @Test("pipectl top: losses are shown apart from drops on purpose")
    func losses() async throws {
        let server = try CannedServer(
            json: """
                {"phase":"running","identity":{"name":"pens","mode":"live"},"nodes":[
                {"id":"pen","role":"source","lost":3,"dropped":{"late":2},"failed":0,
                 "rate_1s":{"received":50,"emitted":48,"dropped":2,"lost":5}},
                {"id":"gate","role":"stage","dropped":{"low_confidence":40},"failed":1,
                 "rate_1s":{"received":48,"emitted":8,"dropped":40,"lost":0}}],
                "edges":[{"from":"pen","to":"gate","queued":0,"dropped":{"edge_full":7},
                 "rate_1s":{"offered":48,"taken":41,"dropped":7,"lost":7}}]}
                """)
        let line = try await Program.run("top", server.address, "--count=1")
        #expect(line.results == "pens (live): running  50 frames/s  49 dropped/s  12 lost/s\n", "\(line)")
        let table = try self.table(of: server, sortedBy: "losses")
        let rows = table.split(whereSeparator: \.isNewline).suffix(3)
            .map { $0.split(separator: " ").map(String.init) }
        #expect(rows[0].suffix(3) == ["dropped", "lost", "failed"], "\(table)")
        #expect(rows[1].first == "gate" && rows[1].suffix(3) == ["47", "7", "1"], "\(table)")
        #expect(rows[2].first == "pen" && rows[2].suffix(3) == ["2", "5", "0"], "\(table)")
    }

    @Test("pipectl top: an answer that is not the state of a run is refused")
    func otherServer() async throws {
        let server = try CannedServer(json: "{}")
        let ending = try await Program.run("top", server.address, "--count=1")
        #expect(ending.code == 3 && ending.messages.contains("error[server.refused]"), "\(ending)")
        #expect(ending.messages.contains("does not answer with the state of a run"), "\(ending)")
    }

    @Test("pipectl top: an interval of centuries is waited for, and ends with an interrupt")
    func hugeInterval() async throws {
        let server = try CannedServer(json: "{\"phase\":\"running\",\"nodes\":[]}")
        let session = try Program.Session(try Program.path(), ["top", server.address, "--interval=1e300"])
        let ending = await session.converse {
            #expect(session.readSome().contains("running"))
            session.send(SIGINT)
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending)")
    }

    @Test("pipectl top: the command ends when the run has ended, as text and as JSON", arguments: ["text", "json"])
    func ended(_ format: String) async throws {
        let server = try CannedServer(json: "{\"phase\":\"ended\",\"nodes\":[]}\n")
        let ending = try await Program.run("top", server.address, "--format=\(format)", "--count=3", "--interval=0.01")
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.results.split(separator: "\n").count == 1, "\(ending.results)")
    }

    @Test("pipectl top: the command ends well when nobody answers any more, because the run and its server have ended")
    func gone() async throws {
        var server: CannedServer? = try CannedServer(json: "{\"phase\":\"running\",\"nodes\":[]}")
        let address = try #require(server?.address)
        let session = try Program.Session(try Program.path(), ["top", address, "--interval=0.01"])
        #expect(session.readSome().contains("running"))
        server = nil
        let ending = await session.converse { session.finish() }
        #expect(ending.code == 0 && ending.messages == "", "\(ending)")
        // Nobody has answered the first request.
        let never = try await Program.run("top", address)
        #expect(never.code == 3 && never.messages.contains("server.unreachable"), "\(never)")
    }

    @Test("pipectl top: an answer whose length is below zero is refused")
    func negativeLength() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{\"phase\":\"ended\"}\n"
        let server = try CannedServer(Array(answer.utf8))
        let ending = try await Program.run("top", server.address, "--count=1", "--format=json")
        #expect(ending.code == 3 && ending.messages.contains("[server.refused]"), "\(ending)")
    }

    @Test("pipectl tap: a message whose length has its highest bit set is refused")
    func hugeMessage() async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\n\r\n"
        let server = try CannedServer(Array(head.utf8) + [0x81, 127] + [UInt8](repeating: 0xFF, count: 8))
        let ending = try await Program.run("tap", server.address, "pen")
        #expect(ending.code == 3 && ending.messages.contains("error[server.refused]"), "\(ending)")
    }
}
