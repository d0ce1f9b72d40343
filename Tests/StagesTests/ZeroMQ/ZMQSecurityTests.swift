import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// The keys of a server and a client, in files.
private struct Keys {
    let folder: TemporaryFolder
    let server: (publicKey: CurveKey, secretKey: CurveKey)
    let client: (publicKey: CurveKey, secretKey: CurveKey)

    init() throws {
        folder = try TemporaryFolder()
        server = try CurveKey.makePair()
        client = try CurveKey.makePair()
        for (name, pair) in [("server", server), ("client", client)] {
            try CurveKeyFile.write(
                CurveKeyFile.text(publicKey: pair.publicKey, secretKey: pair.secretKey), to: path(name + ".key_secret"),
                isSecret: true)
            try CurveKeyFile.write(
                CurveKeyFile.text(publicKey: pair.publicKey, secretKey: nil), to: path(name + ".key"), isSecret: false)
        }
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    var serverOptions: CurveOptions {
        var options = CurveOptions()
        options.server = true
        options.secretKeyFile = SecretPath(path("server.key_secret"))
        return options
    }

    var clientOptions: CurveOptions {
        var options = CurveOptions()
        options.secretKeyFile = SecretPath(path("client.key_secret"))
        options.serverKeyFile = FilePath(path("server.key"))
        return options
    }
}

@Suite("ZeroMQ security")
struct ZMQSecurityTests {
    /// Runs a receiver, which is the server, and `body`, which sends to it. The receiver must accept the last sender, which ends
    /// its stream.
    private func receive(
        _ server: @escaping @Sendable (inout ZMQSocketOptions) -> Void,
        _ body: (ZMQEndpoint, LogLines) async throws -> Void
    ) async throws -> (kept: Collector<Stroke>, node: Ledger.Node, log: LogLines) {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.ends = 1
            server(&$0.socketOptions)
        }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        try await body(ZMQEndpoint(await log.next("bound to ")), log)
        let report = await receiver.finished()
        #expect(report.isSuccess)
        return (kept, report.ledger.nodes[0], log)
    }

    /// Sends three strokes. With `until`, stops when `times` lines of the log contain that text.
    private func send(
        to endpoint: ZMQEndpoint, until words: String? = nil, times: Int = 1,
        _ client: (inout ZMQSocketOptions) -> Void
    ) async throws -> (node: Ledger.Node, lines: [String]) {
        let log = LogLines()
        let sink = try zmqSink {
            $0.socketOptions.connect = [endpoint]
            $0.socketOptions.lingerMs = words == nil ? 20_000 : 0
            client(&$0.socketOptions)
        }
        let sender = zmqSending(zmqStrokes(3, stream: "a").map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        if let words {
            for _ in 0..<times { _ = await log.next(words) }
            sender.stop()
        }
        let report = await sender.finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        return (report.ledger.nodes[1], log.all)
    }

    @Test("ZeroMQ security: a client with the server's key is accepted, and its frames arrive")
    func rightKey() async throws {
        let keys = try Keys()
        let (kept, node, _) = try await receive({ $0.curve = keys.serverOptions }) { endpoint, _ in
            let sent = try await send(to: endpoint) { $0.curve = keys.clientOptions }
            #expect(sent.node.passed == 3)
        }
        #expect(kept.frames.count == 3)
        #expect(node.counts["connected"] == 1)
    }

    @Test(
        "ZeroMQ security: a client with a wrong key logs that authentication failed, and retries after growing pauses"
    )
    func wrongKey() async throws {
        let keys = try Keys()
        let other = try CurveKey.makePair().publicKey
        let (kept, node, log) = try await receive({ $0.curve = keys.serverOptions }) { endpoint, _ in
            let sent = try await send(to: endpoint, until: "authentication failed", times: 4) {
                $0.reconnectMs = 20
                $0.curve = keys.clientOptions
                $0.curve?.serverKeyFile = nil
                $0.curve?.serverKey = other
            }
            #expect(sent.node.passed == 0)
            let failures = sent.lines.filter { $0.contains("authentication failed") }
            let pauses = failures.compactMap { $0.components(separatedBy: "next try in ").last }
            #expect(Array(pauses.prefix(4)) == ["0.02 s", "0.04 s", "0.08 s", "0.16 s"])
            _ = try await send(to: endpoint) { $0.curve = keys.clientOptions }
        }
        #expect(kept.frames.count == 3)
        #expect(node.received == 3)
        #expect((node.counts["authentication_failed"] ?? 0) >= 4)
        #expect(log.all.contains { $0.contains("does not use the same server_key") })
    }

    @Test("ZeroMQ security: a client that is not in the list allow is refused, and one that is in it is accepted")
    func allowList() async throws {
        let keys = try Keys()
        let (kept, node, _) = try await receive({
            $0.curve = keys.serverOptions
            $0.curve?.allow = [keys.client.publicKey]
        }) { endpoint, _ in
            let sent = try await send(to: endpoint, until: "does not accept this client") {
                // A client without a key of its own gets a new pair at every start.
                $0.curve = keys.clientOptions
                $0.curve?.secretKeyFile = nil
            }
            #expect(sent.node.passed == 0)
            _ = try await send(to: endpoint) { $0.curve = keys.clientOptions }
        }
        #expect(kept.frames.count == 3)
        #expect(node.received == 3)
        #expect(node.counts["connected"] == 1)
    }

    @Test("ZeroMQ security: frames of a client without security are not received, and the server logs the reason")
    func plainClientOnCurve() async throws {
        let keys = try Keys()
        let (kept, node, _) = try await receive({ $0.curve = keys.serverOptions }) { endpoint, log in
            let intruder = RawPeer()
            intruder.isPatient = false
            #expect(intruder.connect(endpoint.text))
            intruder.stroke("a", 0, at: 0)
            _ = await log.next("another security mechanism")
            _ = try await send(to: endpoint) { $0.curve = keys.clientOptions }
        }
        #expect(kept.frames.map(\.sequence) == [0, 1, 2])
        #expect(node.received == 3)
    }

    @Test("ZeroMQ security: a wrong password is refused, and the right one is accepted")
    func passwords() async throws {
        let keys = try Keys()
        let right = try keys.write("hunter2\n", to: "right")
        let wrong = try keys.write("hunter3\n", to: "wrong")
        func plain(_ file: String, server: Bool = false) -> PlainOptions {
            var options = PlainOptions()
            options.server = server
            options.username = "camera"
            options.passwordFile = SecretPath(file)
            return options
        }
        let serverOptions = plain(right, server: true)
        let (kept, node, _) = try await receive({ $0.plain = serverOptions }) { endpoint, _ in
            let sent = try await send(to: endpoint, until: "authentication failed") { $0.plain = plain(wrong) }
            #expect(sent.node.passed == 0)
            _ = try await send(to: endpoint) { $0.plain = plain(right) }
        }
        #expect(kept.frames.count == 3)
        #expect(node.received == 3)
    }

    @Test(
        "ZeroMQ security: a password that is empty or too long is an error that names its file",
        arguments: [
            ("", "zmq.empty_password"), ("\nhunter2\n", "zmq.empty_password"),
            (String(repeating: "x", count: 256), "zmq.long_password"), (String(repeating: "x", count: 255), nil),
        ] as [(String, String?)], [true, false])
    func noPassword(password: (text: String, code: String?), server: Bool) throws {
        let keys = try Keys()
        var options = ZMQSocketOptions()
        var plain = PlainOptions()
        (plain.server, plain.username) = (server, "camera")
        plain.passwordFile = SecretPath(try keys.write(password.text, to: "password"))
        options.plain = plain
        guard let code = password.code else {
            #expect(throws: Never.self) { try ZMQSecurity(options) }
            return
        }
        let error = #expect(throws: PipelineError.self) { try ZMQSecurity(options) }
        #expect(error?.code == code)
        #expect(error?.category == .environment)
        #expect(error?.message.contains(keys.path("password")) ?? false)
        #expect(error?.help != nil)
    }

    @Test(
        "ZeroMQ security: a file with keys that are not a pair is an error with the line of the public key",
        arguments: ["other", "short"])
    func noPair(publicKey: String) throws {
        let keys = try Keys()
        let other = publicKey == "other" ? keys.client.publicKey.text : publicKey
        let text = CurveKeyFile.text(publicKey: keys.server.publicKey, secretKey: keys.server.secretKey)
            .replacingOccurrences(of: keys.server.publicKey.text, with: other)
        let path = try keys.write(text, to: "mixed.key_secret")
        let error = #expect(throws: PipelineError.self) { try CurveKeyFile.read(.secretKey, from: path) }
        #expect(error?.code == "zmq.key_pair")
        #expect(error?.location == "\(path), line 5")
        // The help contains the correct public key, and never the secret one.
        #expect(error?.help?.contains(keys.server.publicKey.text) ?? false)
        #expect(!(error?.description.contains(keys.server.secretKey.text) ?? true))
    }

    @Test(
        "ZeroMQ security: a file with a secret key that others may read is refused, and so is a file without a key",
        arguments: [0o644, 0o640, 0o604])
    func modes(mode: Int) throws {
        let keys = try Keys()
        let text = CurveKeyFile.text(publicKey: keys.server.publicKey, secretKey: keys.server.secretKey)
        let open = try keys.write(text, to: "open", mode: mode)
        let error = #expect(throws: PipelineError.self) { try CurveKeyFile.read(.secretKey, from: open) }
        #expect(error?.code == "zmq.key_mode")
        #expect(error?.category == .environment)
        #expect(error?.help == "chmod 600 \(open)")
        // The public key in it is not secret.
        #expect(try CurveKeyFile.read(.publicKey, from: open) == keys.server.publicKey)
        let empty = try keys.write("nothing here", to: "empty")
        #expect(throws: PipelineError.self) { try CurveKeyFile.read(.secretKey, from: empty) }
    }

    @Test(
        "ZeroMQ security: a missing key file, or a directory in its place, is an error that says how to make keys",
        arguments: [CurveKeyFile.Part.publicKey, .secretKey])
    func noFile(part: CurveKeyFile.Part) throws {
        let folder = try TemporaryFolder()
        for (path, words) in [
            (folder.path + "/no.key", "No such file or directory"), (folder.path, "it is a directory, not a file"),
        ] {
            let error = #expect(throws: PipelineError.self) { try CurveKeyFile.read(part, from: path) }
            #expect(error?.code == "zmq.key_file")
            #expect(error?.message == "cannot read \(path): \(words)")
            #expect(error?.help?.hasPrefix("pipectl keys makes a pair") == true)
        }
    }

    @Test("ZeroMQ security: a key file may contain a pair as other programs write it, or a single key")
    func files() throws {
        let keys = try Keys()
        // As pyzmq's zmq.auth.create_certificates writes it.
        let certificate = """
            #   ****  Generated on 2026-01-01 by pyzmq  ****
            #   ZeroMQ CURVE **Secret** Certificate

            metadata
            curve
                public-key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
                secret-key = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"

            """
        let path = try keys.write(certificate, to: "pyzmq.key_secret")
        // The example pair of RFC 26.
        #expect(try CurveKeyFile.read(.secretKey, from: path).text == "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6")
        #expect(try CurveKeyFile.read(.secretKey, from: path).publicKey == CurveKeyFile.read(.publicKey, from: path))
        let bare = try keys.write(keys.server.secretKey.text + "\n", to: "bare")
        #expect(try CurveKeyFile.read(.secretKey, from: bare) == keys.server.secretKey)
        let error = #expect(throws: PipelineError.self) {
            try CurveKeyFile.write("x", to: path, isSecret: true)
        }
        #expect(error?.message.contains("it exists already") ?? false)
        #expect(try CurveKeyFile.read(.secretKey, from: path).text.hasPrefix("JTKVSB"))
    }
}
