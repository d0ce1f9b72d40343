import CZMQ
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

/// What a peer can say that breaks the protocol of ZeroMQ (ZMTP 1.0 to 3.1), or just does not. libzmq's own tests and fuzzers
/// were the model.
@Suite("Whatever is said to a socket, the next good message arrives")
struct ZMTPDocumentTests {
    private static let stroke = Array("{\"t_us\":0,\"fields\":\"xy\",\"pts\":[1,2]}".utf8)
    private static let greeting = ZMTP.greeting()

    /// What a peer of a kind of socket says.
    private static func documents(_ socket: String) -> [[UInt8]] {
        let hello = greeting + ZMTP.ready(socket)
        let good = ZMTP.frame([0x61], hasMore: true) + ZMTP.frame(stroke)
        var all: [[UInt8]] = [
            // Old protocols: an empty name, a long one, and one whose length is a lie.
            [1, 0], [1, 0, 2, 1, 0x61, 2, 0, 0x62], [0], [0, 0], [0xFF], [2, 0, 0x61],
            [0xFE, 0] + [UInt8](repeating: 7, count: 300),
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 0], [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 1, 0, 0],
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 7, 0, 0, 2, 0, 0x61],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2],
            // Greetings of no version, no mechanism, a wrong mechanism, one without an end.
            ZMTP.greeting(0), ZMTP.greeting(4, 9), ZMTP.greeting(255, 255), ZMTP.greeting(mechanism: ""),
            ZMTP.greeting(mechanism: "CURVE"),
            ZMTP.greeting(mechanism: "PLAIN") + ZMTP.command("HELLO", [1, 0x61, 1, 0x62]),
            ZMTP.greeting(mechanism: "GSSAPI"), Array(ZMTP.greeting().prefix(11)) + [UInt8](repeating: 0x41, count: 53),
            // Handshakes: another command, none, twice, of no length, with properties that do not add up.
            greeting + ZMTP.command("HELLO"), greeting + ZMTP.command("INITIATE"),
            greeting + ZMTP.command("ERROR", [0]),
            greeting + ZMTP.command("ERROR", [200, 0x61]), greeting + ZMTP.command("READYX"),
            greeting + ZMTP.command(""),
            greeting + [4, 0], greeting + [4, 1, 200], greeting + [4, 6, 5] + Array("READY".utf8) + [1, 2, 3],
            greeting + ZMTP.command("READY", [255]), greeting + ZMTP.command("READY", [0, 0, 0, 0, 0]),
            greeting + ZMTP.command("READY", ZMTP.property("Socket-Type", "NONE")),
            greeting + ZMTP.command("READY", [11] + Array("Socket-Type".utf8) + [0xFF, 0xFF, 0xFF, 0xFF]),
            greeting + ZMTP.command("READY", [11] + Array("Socket-Type".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0x50]),
            greeting + ZMTP.ready("SUB"), greeting + ZMTP.ready("ROUTER"), greeting + ZMTP.frame(stroke),
            hello + ZMTP.ready(socket),
            // Frames: reserved flags, lengths beyond everything, an empty command, a message without an end.
            hello + [0x08, 0], hello + [0xFF, 0xFF], hello + [0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            hello + [0x02, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], hello + [0x02, 0, 0, 0, 1, 0, 0, 0, 0],
            hello + [0x06, 0, 0, 0, 0, 0, 0, 0, 0], hello + [4, 0], hello + [4, 1, 0], hello + [4, 1, 255],
            hello + [5, 5, 4] + Array("PING".utf8), hello + ZMTP.frame([0x61], hasMore: true),
            hello + [0, 200, 1, 2, 3],
            hello + Array(repeatElement(ZMTP.frame([], hasMore: true), count: 3000).joined()),
            // Heartbeats: too short, without a time, of the longest, with a long context, an answer to nothing, a thousand.
            hello + ZMTP.command("PING"), hello + ZMTP.command("PING", [0]), hello + ZMTP.command("PING", [0, 0]),
            hello + ZMTP.command("PING", [0xFF, 0xFF]) + good,
            hello + ZMTP.command("PING", [UInt8](repeating: 0x7A, count: 200)),
            hello + ZMTP.command("PONG"), hello + ZMTP.command("PONG", [UInt8](repeating: 0x7A, count: 200)),
            hello + Array(repeatElement(ZMTP.command("PING", [0, 1]), count: 1000).joined()),
            // Subscriptions, where none belong as well.
            hello + ZMTP.command("SUBSCRIBE"), hello + ZMTP.command("SUBSCRIBE", [0x61]),
            hello + ZMTP.command("CANCEL", [0x61]),
            hello + ZMTP.frame([1]) + ZMTP.frame([0]) + ZMTP.frame([0, 0x61]), hello + ZMTP.command("JOIN", [0x61]),
            hello + ZMTP.command("UNKNOWN", [1, 2, 3]) + good,
        ]
        // What is good, cut off anywhere.
        let whole = hello + good
        all += stride(from: 1, to: whole.count, by: 3).map { Array(whole.prefix($0)) }
        // And with a few bytes changed.
        var random = SeededGenerator(seed: 11)
        for _ in 0..<60 {
            var changed = whole + good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            all.append(changed)
        }
        return all
    }

    /// Says everything, one connection each; waits a moment for whoever thinks about it still.
    private static func play(_ documents: [[UInt8]], to endpoint: String) async -> Bool {
        await withCheckedContinuation { continuation in
            startThread {
                var isHeard = true
                for document in documents {
                    guard let peer = RawConnection(endpoint) else {
                        isHeard = false
                        break
                    }
                    peer.say(document)
                    peer.hear(forMs: 5)
                }
                continuation.resume(returning: isHeard)
            }
        }
    }

    @Test("said to a source that is bound", arguments: [ZMQSource.Socket.pull, .sub])
    func bound(socket: ZMQSource.Socket) async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = socket
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.socketOptions.handshakeMs = 200
            $0.ends = 1
        }
        let run = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        run.start()
        let endpoint = await log.next("bound to ")
        #expect(await Self.play(Self.documents(socket == .pull ? "PUSH" : "PUB"), to: endpoint))
        let peer = RawPeer(socket == .pull ? ZMQ_PUSH : ZMQ_XPUB)
        #expect(peer.connect(endpoint))
        if socket == .sub { #expect(peer.receive() == [1]) }
        peer.stroke("last", 0, at: 7, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.violations == [])
        #expect(kept.frames.last?.stream == "last")
        // Each error names its message, and where it stands in it.
        #expect(log.all.filter { $0.contains("skipped") }.allSatisfy { $0.contains("message ") })
    }

    @Test("said to a publisher")
    func publisher() async throws {
        let log = LogLines()
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        var plan = Plan.building()
        plan.add("in", source: SequenceSource(frames))
        plan.add(
            "out",
            sink: try zmqSink {
                $0.socket = .pub
                $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
                $0.socketOptions.handshakeMs = 200
            })
        let run = Run(plan, options: log.options)
        run.start()
        let endpoint = await log.next("bound to ")
        #expect(await Self.play(Self.documents("SUB") + Self.documents("XSUB"), to: endpoint))
        let kept = Collector<Stroke>()
        let receiving = LogLines()
        let receiver = zmqReceiving(
            try zmqSource {
                $0.socket = .sub
                $0.socketOptions.connect = [try ZMQEndpoint(endpoint)]
            }, into: kept, options: receiving.options)
        receiver.start()
        _ = await receiving.next("connected: ")
        // Its subscription is on its way: frames come until one has got through.
        var number = 0
        while kept.frames.isEmpty, number < 20_000 {
            continuation.yield(zmqStrokes(1, stream: "pen", from: number)[0])
            number += 1
            try await Task.sleep(for: .milliseconds(1))
        }
        continuation.finish()
        #expect(await run.finished().isSuccess)
        #expect(await receiver.finished().isSuccess)
        #expect(!kept.frames.isEmpty)
    }

    @Test("said to a source that goes to others", arguments: [ZMQSource.Socket.pull, .sub])
    func connected(socket: ZMQSource.Socket) async throws {
        let documents = Self.documents(socket == .pull ? "PUSH" : "PUB")
        let server = try NoiseServer(answering: documents)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer(socket == .pull ? ZMQ_PUSH : ZMQ_XPUB)
        #expect(peer.bind(endpoint))
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = socket
            $0.socketOptions.reconnectMs = 1
            $0.socketOptions.reconnectMaxMs = 1
            $0.socketOptions.handshakeMs = 200
            $0.socketOptions.connect = [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)"), endpoint]
            $0.ends = 1
        }
        let run = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        run.start()
        if socket == .sub { #expect(peer.receive() == [1]) }
        await server.answered(documents.count)
        peer.stroke("last", 0, at: 7, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.violations == [])
        #expect(kept.frames.last?.stream == "last")
    }
}
