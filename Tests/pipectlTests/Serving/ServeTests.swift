import Foundation
import PipelineTesting
import Testing

@Suite("A served run")
struct ServeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a pipeline with endless strokes, a hundred per second, which are recognized.
    private func endless() throws -> String {
        try folder.write(
            "endless.yaml",
            """
            version: 1
            name: endless
            mode: live
            sources:
              - synthetic: { id: pen, count: 0, rate_hz: 100, rate: 1 }
            stages:
              - match: { library: "\(Repository.root)/Samples/shapes.json" }
            sinks:
              - discard: { id: out }
            """)
    }

    @Test("The state of a served run names nodes, edges and streams, and counts frames; POST /api/stop drains the run")
    func state() async throws {
        let served = try ServedProgram(try endless())
        let state = try await served.state { state in
            let nodes = try #require(state["nodes"] as? [[String: Any]])
            return (nodes.last?["passed"] as? Int ?? 0) > 50 && !(nodes[0]["rate_1s"] is NSNull)
        }
        #expect(state["phase"] as? String == "running")
        let identity = try #require(state["identity"] as? [String: Any])
        #expect(identity["name"] as? String == "endless" && identity["mode"] as? String == "live")
        let nodes = try #require(state["nodes"] as? [[String: Any]])
        #expect(nodes.map { $0["id"] as? String } == ["pen", "match", "out"])
        #expect(nodes.map { $0["role"] as? String } == ["source", "stage", "sink"])
        #expect(nodes.map { $0["makes"] as? String } == ["stroke", "recognition", nil])
        #expect((nodes[1]["place"] as? [String: Any])?["line"] as? Int == 7)
        let edges = try #require(state["edges"] as? [[String: Any]])
        #expect(
            edges.map { $0["from"] as? String } == ["pen", "match"]
                && edges.map { $0["to"] as? String } == ["match", "out"])
        let streams = try #require(state["streams"] as? [[String: Any]])
        #expect(streams.map { $0["name"] as? String } == ["pen/1"])
        #expect(try await served.get("/readyz") == "ready\n")
        #expect(try await served.get("/healthz") == "ok\n")
        for path in ["api/stop", "api/reload"] {
            let wrong = try await Program.shell("exec curl -s -i \"$0$1\"", [served.url, path])
            #expect(wrong.results.contains(" 405 ") && wrong.results.contains("allow: POST\r\n"), "\(wrong.results)")
        }
        let stopped = try await Program.shell("exec curl -s -X POST \"$0api/stop\"", [served.url])
        #expect(stopped.results == "{\"stopping\":true}\n")
        let ending = await served.session.converse { served.session.finish() }
        #expect(ending.code == 0 && ending.messages.contains("every frame is accounted for"), "\(ending.messages)")
    }

    @Test("top shows the nodes of a served run, and tap writes its frames")
    func topAndTap() async throws {
        let served = try ServedProgram(try endless())
        let top = try await Program.run("top", served.url, "--count=2", "--interval=0.1")
        #expect(top.code == 0 && top.results.split(separator: "\n").count == 2, "\(top.messages)")
        #expect(top.results.contains("endless (live): running"))
        let tap = try await Program.run("tap", served.host, "match", "--limit=3")
        let lines = tap.results.split(separator: "\n")
        #expect(tap.code == 0 && lines.count == 3, "\(tap.messages)")
        for line in lines {
            let frame = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(frame["kind"] as? String == "recognition" && frame["stream"] as? String == "pen/1")
        }
        let pretty = try await Program.run("tap", served.host, "pen", "--limit=1", "--format=pretty")
        #expect(pretty.results.contains("pen/1") && pretty.results.contains("samples"), "\(pretty.results)")
        let kept = try await served.document("/api/kept?node=match&node=out&frames=1&limit=100")
        let items = try #require(kept["items"] as? [[String: Any]])
        let seen = Dictionary(grouping: items) { $0["node"] as? String }.mapValues { $0.map { $0["seq"] as? Int } }
        #expect(seen.keys.count == 2 && seen["match"]?.isEmpty == false && seen["match"] == seen["out"], "\(seen)")
        let unknown = try await Program.run("tap", served.host, "nobody")
        #expect(unknown.code == 2 && unknown.messages.contains("server.no_such_node"), "\(unknown.messages)")
        #expect(unknown.messages.contains("help: nodes: pen, match"), "\(unknown.messages)")
        let ending = await served.interrupt()
        #expect(ending.code == 0, "\(ending.messages)")
        let gone = try await Program.run("top", served.url)
        #expect(gone.code == 3 && gone.messages.contains("server.unreachable"), "\(gone.messages)")
    }

    @Test("A reload does not use numbers of frames again, and what was kept stays; earlier results are not explained")
    func numbers() async throws {
        let file = try endless()
        let served = try ServedProgram(file)
        func seen() async throws -> [(id: Int, sequence: Int)] {
            let tap = try await Program.run("tap", served.host, "match", "--limit=3")
            #expect(tap.code == 0, "\(tap.messages)")
            let kept = try await served.document("/api/kept?node=match&frames=1&limit=5000")
            let items = try #require(kept["items"] as? [[String: Any]])
            return items.map { ($0["id"] as? Int ?? 0, $0["seq"] as? Int ?? 0) }
        }
        let before = try await seen()
        let text = try folder.read("endless.yaml")
        try folder.write("endless.yaml", text.replacingOccurrences(of: ".json\"", with: ".json\", threshold_rad: 0.2"))
        let reload = try await Program.shell("exec curl -s -X POST -d '' \"$0api/reload\"", [served.url])
        #expect(reload.results.contains("\"changed\":[\"match\""), "\(reload.results)")
        let after = try await seen()
        #expect(!before.isEmpty && after.count >= before.count + 3, "\(before), then \(after)")
        #expect(after.prefix(before.count).map(\.id) == before.map(\.id), "\(before), then \(after)")
        #expect(zip(after, after.dropFirst()).allSatisfy { $0.id < $1.id }, "\(after)")
        let (old, new) = (try #require(before.first), try #require(after.last))
        let answer = try await served.document("/api/why?id=\(old.id)")
        #expect((answer["reason"] as? String)?.hasSuffix("or is from before the last reload") == true, "\(answer)")
        let result = try await served.document("/api/why?id=\(new.id)")["result"] as? [String: Any]
        #expect(result?["seq"] as? Int == new.sequence, "\(String(describing: result))")
        _ = await served.interrupt()
    }

    @Test("Every address of a served run that answers GET answers HEAD with the same status and length, and no body")
    func head() async throws {
        let served = try ServedProgram(try endless())
        _ = try await served.state { ($0["phase"] as? String) == "running" }
        for path in ["", "api/kept?from=0&to=1", "api/why?id=-1", "api/why", "api/kept?from=x", "healthz", "none"] {
            func status(_ flag: String) async throws -> [Substring] {
                let answer = try await Program.shell(
                    "exec curl -s \(flag) --max-time 20 \"$0$1\"", [served.url, path])
                let lines = answer.results.split(separator: "\r\n")
                return lines.filter { $0.hasPrefix("HTTP") || $0.lowercased().hasPrefix("content-length") }
            }
            let get = try await status("-i")
            #expect(get.count == 2, "\(path): \(get)")
            #expect(try await status("-I") == get, "\(path)")
        }
        _ = await served.interrupt()
    }

    @Test("The state of a served run names the reasons of its drops that count as losses, and no others")
    func lossReasons() async throws {
        try folder.write(
            "lossy.yaml",
            """
            version: 1
            mode: live
            sources: [zmq: { id: pen, connect: "tcp://127.0.0.1:5556", socket: sub, kind: stroke }]
            stages:
              - match: { library: \(Repository.root)/Samples/shapes.json }
              - filter: { category: [nothing] }
            sinks: [discard]
            """)
        let served = try ServedProgram(
            "\(folder.path)/lossy.yaml", "--simulate", "\(Repository.root)/Samples/session.jsonl", "--service",
            "match=900ms",
            "--keep-serving")
        let state = try await served.state { ($0["phase"] as? String) == "ended" }
        let parts = (state["nodes"] as? [[String: Any]] ?? []) + (state["edges"] as? [[String: Any]] ?? [])
        let reasons = Set(parts.flatMap { ($0["dropped"] as? [String: Int] ?? [:]).keys })
        #expect(reasons.isSuperset(of: ["edge_full"]) && reasons.count > 1, "\(reasons)")
        #expect(state["loss_reasons"] as? [String] == ["edge_full"])
        _ = await served.interrupt()
    }

    @Test("A run is served beyond this machine only with a token, and then requires the token")
    func token() async throws {
        let file = try endless()
        let open = try await Program.run("run", file, "--serve", "0.0.0.0:0")
        #expect(open.code == 2 && open.messages.contains("there is no token"), "\(open.messages)")
        let weak = try await Program.run("run", file, "--serve", "0.0.0.0:0", "--serve-token", "secret")
        #expect(weak.code == 2 && weak.messages.contains("too short"), "\(weak.messages)")
        let token = "0123456789abcdef0123"
        let served = try ServedProgram(file, "--serve-token", token)
        #expect(try await served.get("/api/state").contains("server.token"))
        #expect(try await served.get("/metrics").contains("server.token"))
        #expect(try await served.get("/").contains("server.token"))
        let top = try await Program.run("top", served.url, "--count=1", "--token", token)
        #expect(top.code == 0, "\(top.messages)")
        let tap = try await Program.run("tap", served.url, "pen", "--limit=1", "--token", token)
        #expect(tap.code == 0, "\(tap.messages)")
        let strange = try await Program.run("tap", served.url, "pen", "--limit=1")
        #expect(strange.code == 3 && strange.messages.contains("requires its token"), "\(strange.messages)")
        // A browser opens the page with the token once, and gets it as a cookie.
        let browser = try await Program.shell(
            "curl -s -L -c \"$1/jar\" -o /dev/null \"$0?token=$2\"; curl -s -b \"$1/jar\" \"$0api/state\"",
            [served.url, folder.path, token])
        #expect(browser.results.contains("\"phase\":\"running\""), "\(browser.results)")
        let ending = await served.interrupt()
        #expect(ending.code == 0)
    }

    @Test("A configuration can set the address at which it is served, and a second run at the same port is refused")
    func configured() async throws {
        let first = try ServedProgram(try endless())
        let text = try folder.read("endless.yaml")
        try folder.write("second.yaml", text + "\nserve: { address: \"\(first.host)\" }\n")
        let second = try await Program.run("run", "second.yaml", folder: folder.path)
        #expect(second.code == 3 && second.messages.contains("server.bind"), "\(second.messages)")
        _ = await first.interrupt()
        for (serve, finding) in [
            ("serve: 127.0.0.1:0", nil), ("serve: { address: localhost:7070 }", nil),
            ("serve: \"[::1]:7070\"", nil), ("serve: 0.0.0.0:7070", "serve.no_token"),
            ("serve: { address: 10.0.0.1:80, token: 0123456789abcdef }", nil),
            ("serve: { address: 127.0.0.1:70, token: short }", "serve.token_weak"),
            ("serve: example.com:7070", "option.type"), ("serve: { token: 0123456789abcdef }", "option.missing"),
            ("serve: { adress: 127.0.0.1:1 }", "option.unknown"), ("serve: 127.0.0.1:70000", "option.type"),
        ] as [(String, String?)] {
            try folder.write("case.yaml", text + "\n" + serve + "\n")
            let ending = try await Program.run("validate", "case.yaml", folder: folder.path)
            #expect(ending.code == (finding == nil ? 0 : 2), "\(serve): \(ending.results)\(ending.messages)")
            if let finding {
                #expect((ending.results + ending.messages).contains(finding), "\(serve): \(ending.results)")
            }
        }
    }

    @Test("The state and the metrics of a served run show its sockets and their peers")
    func sockets() async throws {
        try folder.write(
            "zmq.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: pen, count: 0, rate_hz: 10, rate: 1 }
              - zmq: { id: in, bind: ["ipc://\(folder.path)/in"], socket: pull }
            sinks:
              - zmq: { id: out, from: [pen], connect: ["ipc://\(folder.path)/in"], socket: push }
              - discard: { id: end, from: [in] }
            """)
        let served = try ServedProgram("\(folder.path)/zmq.yaml")
        func addresses(_ state: [String: Any]) throws -> [String: [String]] {
            let sockets = try #require(state["sockets"] as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: sockets.map { socket in
                    let endpoints = socket["endpoints"] as? [[String: Any]] ?? []
                    return (
                        socket["node"] as? String ?? "",
                        endpoints.map {
                            "\($0["bound"] as? Bool == true ? "at" : "to") \($0["endpoint"] as? String ?? "") \($0["peers"] as? Int ?? -1)"
                        }
                    )
                })
        }
        let address = "ipc://\(folder.path)/in"
        let state = try await served.state {
            try addresses($0) == ["in": ["at \(address) 1"], "out": ["to \(address) 1"]]
        }
        #expect(state["phase"] as? String == "running")
        let metrics = try await served.get("/metrics")
        #expect(metrics.contains("endpoint=\"\(address)\",side=\"bind\"} 1\n"), "\(metrics)")
        #expect(metrics.contains("endpoint=\"\(address)\",side=\"connect\"} 1\n"))
        _ = await served.interrupt()
    }

    @Test("A served run closes a connection as soon as the client has closed it")
    func closing() async throws {
        let served = try ServedProgram(try endless())
        for _ in 0..<20 {
            // Closes the connection after each answer, like urllib.
            _ = try await Program.shell("exec curl -s -H 'Connection: close' \"$0\"", [served.url + "healthz"])
        }
        let port = try #require(Int(served.host.split(separator: ":").last ?? ""))
        let hex = String(port, radix: 16, uppercase: true)
        // 08 is CLOSE_WAIT: the other side has gone, and this one has not noticed.
        while let table = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) {
            let waiting = table.split(separator: "\n").filter { line in
                let words = line.split(separator: " ")
                return words.count > 3 && words[1].hasSuffix(":\(hex)") && words[3] == "08"
            }
            if waiting.isEmpty { break }
            #expect(waiting.count < 5, "\(waiting)")
            try await Task.sleep(for: .milliseconds(50))
        }
        _ = await served.interrupt()
    }

    @Test("pipectl view: --set without a pipeline is refused, because it has no effect")
    func viewWithoutPipeline() async throws {
        let answer = try await Program.run("view", "Samples/session.jsonl", "--set=match.limit_factor=2")
        #expect(answer.code == 2)
        #expect(answer.messages.contains("--set has an effect only on a pipeline"), "\(answer.messages)")
    }

    @Test("pipectl view refuses files that are not recordings, or that do not fit the pipeline")
    func view() async throws {
        let strokes = "\(Repository.root)/Configs/strokes.yaml"
        for (words, code, finding) in [
            (["nosuch.jsonl"], 3, "file.not_found"), ([strokes], 3, "file.pipeline"),
            (["/dev/null"], 3, "recording.empty"),
            (["\(Repository.root)/Samples/hands.jsonl", strokes], 2, "simulate.kind"),
            (["\(Repository.root)/Samples/session.jsonl", "nosuch.yaml"], 3, "file.not_found"),
        ] as [([String], Int32, String)] {
            let ending = try await Program.shell("exec \"$0\" view \"$@\"", [try Program.path()] + words)
            #expect(ending.code == code && ending.messages.contains(finding), "\(words): \(ending.messages)")
        }
    }
}
