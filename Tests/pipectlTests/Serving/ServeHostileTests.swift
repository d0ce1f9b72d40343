import Foundation
import PipelineTesting
import Testing

/// Attacks on a served run over the web.
@Suite("A served run under attack", .enabled(if: ServePython.isThere, "scripts/peers has not been run"))
struct ServeHostileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func served() throws -> ServedProgram {
        try folder.write(
            "busy.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: pen, count: 0, rate_hz: 1000, rate: 1 }
            stages:
              - resample
            sinks:
              - discard: { id: out }
            """)
        return try ServedProgram("\(folder.path)/busy.yaml")
    }

    private func first(_ served: ServedProgram, _ request: String) async throws -> String {
        let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let peer = try await ServePython.run("raw", served.url, input: text + "\n")
        #expect(peer.code == 0, "\(peer.messages)")
        return peer.results.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func end(_ served: ServedProgram) async throws {
        #expect(try await served.get("/healthz") == "ok\n")
        let ending = await served.interrupt()
        #expect(ending.code == 0 && ending.messages.contains("every frame is accounted for"), "\(ending.messages)")
    }

    @Test("A served run refuses other host names, other sites, large headers and bodies, and paths outside its page")
    func requests() async throws {
        let served = try served()
        let host = "Host: \(served.host)\r\n"
        func get(_ path: String, _ headers: String = "", host named: String? = nil) async throws -> String {
            try await first(served, "GET \(path) HTTP/1.1\r\n\(named ?? host)\(headers)\r\n")
        }
        #expect(try await get("/healthz") == "HTTP/1.1 200 OK")
        // A foreign host name, which its name server may map to this machine (DNS rebinding).
        #expect(try await get("/api/state", host: "Host: evil.example\r\n").contains(" 403 "))
        #expect(try await get("/api/state", host: "Host: evil.example:7070\r\n").contains(" 403 "))
        #expect(!(try await get("/api/state", host: "").contains(" 200 ")))
        #expect(try await get("/api/state", "Origin: http://evil.example\r\n").contains(" 403 "))
        #expect(try await get("/api/state", "Origin: null\r\n").contains(" 403 "))
        #expect(try await get("/api/state", "Sec-Fetch-Site: cross-site\r\n").contains(" 403 "))
        #expect(try await get("/api/state", "Origin: http://\(served.host)\r\n").contains(" 200 "))
        for path in [
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/app.js/../../x",
            "//etc/passwd",
            "/\\..\\..\\x", "/index.html%00.js", "http://evil.example/", "*",
        ] {
            let answer = try await get(path)
            #expect(!answer.contains(" 200 "), "\(path): \(answer)")
        }
        #expect(!(try await get("/", "X-Long: \(String(repeating: "a", count: 20_000))\r\n").contains(" 200 ")))
        #expect(!(try await get("/" + String(repeating: "a", count: 20_000)).contains(" 200 ")))
        func post(_ path: String, _ headers: String, _ body: String = "") async throws -> String {
            try await first(served, "POST \(path) HTTP/1.1\r\n\(host)\(headers)\r\n\(body)")
        }
        #expect(try await post("/api/stop", "Origin: http://evil.example\r\nContent-Length: 0\r\n").contains(" 403 "))
        #expect(try await post("/api/stop", "Sec-Fetch-Site: cross-site\r\nContent-Length: 0\r\n").contains(" 403 "))
        #expect(try await post("/api/reload", "Content-Length: 2000000\r\n").contains(" 413 "))
        #expect(try await post("/api/reload", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n").contains(" 411 "))
        #expect(try await post("/api/reload", "Content-Length: 3\r\n", "abc").contains(" 200 "))
        let upgrade =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        #expect(try await get("/api/live", upgrade).contains(" 101 "))
        #expect(!(try await get("/api/live", upgrade + "Origin: http://evil.example\r\n").contains(" 101 ")))
        #expect(!(try await get("/api/other", upgrade).contains(" 101 ")))
        #expect(!(try await get("/api/live", upgrade, host: "Host: evil.example\r\n").contains(" 101 ")))
        for garbage in [
            "\0\0\0\0\r\n\r\n", "\u{16}\u{3}\u{1}\0\u{5}hello\r\n\r\n", "GET\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT \(served.host) HTTP/1.1\r\n\(host)\r\n",
        ] {
            let answer = try await first(served, garbage)
            #expect(answer == "closed" || answer.hasPrefix("HTTP/1.") && answer.contains(" 4"), "\(answer)")
        }
        try await end(served)
    }

    @Test("A served run cuts off clients that never end their request, while others are answered")
    func slowLoris() async throws {
        let served = try served()
        let peer = try await ServePython.run("loris", served.url)
        #expect(peer.code == 0 && peer.results == "0 left\n", "\(peer.messages)\(peer.results)")
        try await end(served)
    }

    @Test("A served run is not disturbed by ten thousand connections, and answers afterwards")
    func crowd() async throws {
        let served = try served()
        let peer = try await ServePython.run("crowd", served.url, "10000")
        #expect(peer.results == "answered\n", "\(peer.messages)\(peer.results)")
        try await end(served)
    }

    @Test("A served run cuts stream names and labels of a megabyte, and escapes terminal codes in them")
    func texts() async throws {
        let long = String(repeating: "x", count: 1 << 20)
        let names = ["<script>alert(1)</script>", "\u{1B}[31mred\u{1B}[0m", "\"},{\"evil\":1", long]
        var lines = ""
        for (index, name) in names.enumerated() {
            let quoted = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            lines +=
                #"{"v":1,"kind":"stroke","stream":\#(quoted),"seq":0,"t_us":\#(index),"fields":"xy","pts":[1,2,3,4],"label":\#(quoted)}"#
                + "\n"
        }
        try folder.write("names.jsonl", lines)
        try folder.write(
            "names.yaml",
            """
            version: 1
            mode: live
            sources:
              - file: { path: names.jsonl, loop: true, rate: 0.001 }
              - synthetic: { id: pen, count: 0, rate: 1 }
            sinks:
              - discard: { id: out, from: [file, pen] }
            """)
        let served = try ServedProgram("\(folder.path)/names.yaml")
        // The streams of the file and of the pen; the name of a megabyte is cut after 200 characters.
        let shown = names.dropLast() + [long.prefix(200) + "…", "pen/1"]
        func streams(_ state: [String: Any]) -> Set<String> {
            Set((state["streams"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String })
        }
        let state = try await served.state { streams($0).count >= shown.count }
        #expect(streams(state) == Set(shown))
        let text = try await served.get("/api/state")
        #expect(text.lowercased().contains(#"\u001b[31mred\u001b[0m"#) && !text.contains("\u{1B}"))
        #expect(text.utf8.count < 50_000)
        let metrics = try await served.get("/metrics")
        #expect(metrics.contains("pipeline_node_emitted_frames_total{") && metrics.utf8.count < 50_000)
        try await end(served)
    }
}
