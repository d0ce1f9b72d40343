import CZMQ
import Dispatch
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Connections that libzmq gives up forever, but which sources and sinks open again.
@Suite("Recovery from ZeroMQ peers that break the rules")
struct ZMQBreachTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "ZeroMQ recovery: a source logs that a socket is incompatible, and connects to a compatible one that comes later",
        arguments: [
            (ZMQ_PUB, ZMQSource.Socket.pull, ZMQ_PUSH, "a pull receives only from a push"),
            (ZMQ_PUSH, .sub, ZMQ_XPUB, "a sub receives only from a pub"),
        ])
    func doesNotFit(wrong: Int32, socket: ZMQSource.Socket, right: Int32, words: String) async throws {
        let endpoint = try zmqEndpoint(.ipc, folder)
        var peer: RawPeer? = RawPeer(wrong)
        #expect(peer?.bind(endpoint) ?? false)
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = socket
            $0.socketOptions.connect = [endpoint]
        }
        let run = zmqReceiving(source, into: kept, options: log.options)
        run.start()
        #expect(await log.next("does not fit (").hasPrefix(words))
        peer = nil
        let other = RawPeer(right)
        #expect(other.bind(endpoint))
        _ = await log.next("connected: ")
        // A subscription is sent when both sides have agreed, and is active when the publisher has read it.
        if right == ZMQ_XPUB { #expect(other.receive() == [1]) }
        other.stroke("pen", 0, at: 0)
        other.stroke("pen", 1, at: 1, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(kept.frames.count == 2)
        #expect(report.ledger.nodes[0].counts["handshake_failed", default: 0] > 0)
    }

    @Test(
        "ZeroMQ recovery: a connecting source logs a message that is too large, and receives those after it"
    )
    func tooLarge() async throws {
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer()
        #expect(peer.bind(endpoint))
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.maxMessageBytes = 1000
            $0.socketOptions.connect = [endpoint]
        }
        let run = zmqReceiving(source, into: kept, options: log.options)
        run.start()
        _ = await log.next("connected: ")
        peer.stroke("pen", 0, at: 0)
        peer.send([[UInt8](repeating: 0x20, count: 1_000_000)])
        _ = await log.next("larger than max_message_bytes")
        _ = await log.next("connected: ")
        peer.stroke("pen", 1, at: 1)
        peer.stroke("pen", 2, at: 2, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(kept.frames.map(\.sequence) == [0, 1, 2])
        #expect(report.ledger.nodes[0].counts["broken_off"] == 1)
    }

    @Test(
        "ZeroMQ recovery: a server with an old protocol that sends a message of two parts and leaves does not end the process",
        arguments: [ZMQSource.Socket.sub, .pull])
    func oldProtocol(socket: ZMQSource.Socket) async throws {
        // The greeting of ZMTP 1.0 with an empty name, then a message of two parts. These bytes can make libzmq end the process.
        let server = try NoiseServer(answering: [[1, 0, 2, 1, 0x61, 2, 0, 0x62]])
        defer { server.stop() }
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer(socket == .sub ? ZMQ_XPUB : ZMQ_PUSH)
        #expect(peer.bind(endpoint))
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = socket
            $0.socketOptions.reconnectMs = 5
            $0.socketOptions.reconnectMaxMs = 5
            $0.socketOptions.connect = [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)"), endpoint]
        }
        let run = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        run.start()
        _ = await log.next("(10 so far); next try")
        if socket == .sub { #expect(peer.receive() == [1]) }
        peer.stroke("pen", 0, at: 0)
        peer.stroke("pen", 1, at: 1, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.violations == [])
        #expect(kept.frames.count == 2)
        #expect(report.ledger.nodes[0].failed > 0)
    }

    @Test(
        "ZeroMQ recovery: all messages before one that is too large are read, with numbers and without, even if many wait",
        arguments: [true, false])
    func beforeTooLarge(isNumbered: Bool) async throws {
        let count = 60_000
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer()
        #expect(peer.bind(endpoint))
        let log = LogLines()
        let source = try zmqSource {
            $0.maxMessageBytes = 1000
            $0.receiveHWM = 100_000
            $0.socketOptions.connect = [endpoint]
        }
        let (run, frames, gate) = zmqStalled(source, options: log.options)
        run.start()
        _ = await log.next("connected: ")
        for number in 0..<count {
            let numbered = isNumbered ? "\"seq\":\(number)," : ""
            peer.send("pen", "{\"v\":1,\(numbered)\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[\(number),0]}")
        }
        peer.send([[UInt8](repeating: 0x20, count: 1_000_000)])
        // So far, nothing has been read. When everything has been read, the connection is opened again.
        gate.signal()
        _ = await log.next("larger than max_message_bytes")
        peer.stroke("pen", count, at: count, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[0].received == Int64(count + 1))
        #expect(report.ledger.nodes[0].lost == 0)
        var times: [Int64] = []
        for await frame in frames { times.append(frame.timestamp.rawValue) }
        #expect(times == Array(0...Int64(count)))
    }

    @Test("ZeroMQ recovery: a push logs that a socket is incompatible, and sends everything to a pull that comes later")
    func sinkDoesNotFit() async throws {
        let endpoint = try zmqEndpoint(.ipc, folder)
        var peer: RawPeer? = RawPeer(ZMQ_SUB)
        #expect(peer?.bind(endpoint) ?? false)
        let log = LogLines()
        let sink = try zmqSink { $0.socketOptions.connect = [endpoint] }
        let sender = zmqSending(zmqStrokes(3, stream: "pen").map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        _ = await log.next("does not fit (a push sends only to a pull)")
        peer = nil
        let receiver = try RawReceiver(endpoint, binds: true, room: 10)
        #expect(await receiver.messages(upTo: 4) == 4)
        #expect(await sender.finished().isSuccess)
    }

    @Test(
        "ZeroMQ recovery: a source that reaches a server without ZeroMQ retries after the growing pauses that it logs"
    )
    func noise() async throws {
        let server = try NoiseServer(answering: "HTTP/1.0 400 Bad Request\r\n\r\n")
        defer { server.stop() }
        let log = LogLines()
        let source = try zmqSource {
            $0.socket = .sub
            $0.socketOptions.reconnectMs = 400
            $0.socketOptions.connect = [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)")]
        }
        let run = zmqReceiving(source, into: Collector<Stroke>(), options: log.options)
        run.start()
        // Another connection that retried between these pauses would log other pauses.
        for pause in ["0.4 s", "0.8 s", "1.6 s"] {
            #expect(await log.next("handshake failed: ").hasSuffix("next try in \(pause)"))
        }
        run.stop()
        #expect(await run.finished().isSuccess)
    }
}
