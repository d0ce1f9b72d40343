import Pipeline
import PipelineTesting
import Testing

@testable import Connectors

/// Data from peers that violates the protocol of ZeroMQ (ZMTP 1.0 to 3.1), or is unusual but valid. Modeled on libzmq's own tests
/// and fuzzers.
@Suite("Nonsense sent to a ZeroMQ socket")
struct ZMTPDocumentTests {
    private static let stroke = Array("{\"t_us\":0,\"fields\":\"xy\",\"pts\":[1,2]}".utf8)
    private static let greeting = ZMTP.greeting()

    /// Returns the data that a peer of the given socket type sends.
    private static func documents(_ socket: String) -> [[UInt8]] {
        let hello = greeting + ZMTP.ready(socket)
        let good = ZMTP.frame([0x61], hasMore: true) + ZMTP.frame(stroke)
        var all: [[UInt8]] = [
            // Old protocols: an empty name, a long one, and one with a wrong length.
            [1, 0], [1, 0, 2, 1, 0x61, 2, 0, 0x62], [0], [0, 0], [0xFF], [2, 0, 0x61],
            [0xFE, 0] + [UInt8](repeating: 7, count: 300),
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 0], [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 1, 0, 0],
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 7, 0, 0, 2, 0, 0x61],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2],
            // Greetings without a version, without a mechanism, with a wrong mechanism, and without an end.
            ZMTP.greeting(0), ZMTP.greeting(4, 9), ZMTP.greeting(255, 255), ZMTP.greeting(mechanism: ""),
            ZMTP.greeting(mechanism: "CURVE"),
            ZMTP.greeting(mechanism: "PLAIN") + ZMTP.command("HELLO", [1, 0x61, 1, 0x62]),
            ZMTP.greeting(mechanism: "GSSAPI"), Array(ZMTP.greeting().prefix(11)) + [UInt8](repeating: 0x41, count: 53),
            // Handshakes: another command, none, twice, without a length, and with inconsistent properties.
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
            // Frames: reserved flags, excessive lengths, an empty command, and a message without an end.
            hello + [0x08, 0], hello + [0xFF, 0xFF], hello + [0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            hello + [0x02, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], hello + [0x02, 0, 0, 0, 1, 0, 0, 0, 0],
            hello + [0x06, 0, 0, 0, 0, 0, 0, 0, 0], hello + [4, 0], hello + [4, 1, 0], hello + [4, 1, 255],
            hello + [5, 5, 4] + Array("PING".utf8), hello + ZMTP.frame([0x61], hasMore: true),
            hello + [0, 200, 1, 2, 3],
            hello + Array(repeatElement(ZMTP.frame([], hasMore: true), count: 3000).joined()),
            // Heartbeats: too short, without a time, with the longest time, with a long context, an answer without a request, and a
            // thousand of them.
            hello + ZMTP.command("PING"), hello + ZMTP.command("PING", [0]), hello + ZMTP.command("PING", [0, 0]),
            hello + ZMTP.command("PING", [0xFF, 0xFF]) + good,
            hello + ZMTP.command("PING", [UInt8](repeating: 0x7A, count: 200)),
            hello + ZMTP.command("PONG"), hello + ZMTP.command("PONG", [UInt8](repeating: 0x7A, count: 200)),
            hello + Array(repeatElement(ZMTP.command("PING", [0, 1]), count: 1000).joined()),
            // Subscriptions, also to sockets that do not accept them.
            hello + ZMTP.command("SUBSCRIBE"), hello + ZMTP.command("SUBSCRIBE", [0x61]),
            hello + ZMTP.command("CANCEL", [0x61]),
            hello + ZMTP.frame([1]) + ZMTP.frame([0]) + ZMTP.frame([0, 0x61]), hello + ZMTP.command("JOIN", [0x61]),
            hello + ZMTP.command("UNKNOWN", [1, 2, 3]) + good,
        ]
        // Valid data, cut off anywhere.
        let whole = hello + good
        all += stride(from: 1, to: whole.count, by: 3).map { Array(whole.prefix($0)) }
        // Valid data with a few changed bytes.
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

    @Test(
        "ZMTP nonsense: a bound source receives a good message after all of it",
        arguments: [ZMQSource.Socket.pull, .sub])
    func bound(socket: ZMQSource.Socket) async throws {
        try await ZMTPListeners.source(socket, hears: Self.documents(socket == .pull ? "PUSH" : "PUB"))
    }

    @Test(
        "ZMTP nonsense: a connecting source receives a good message after all of it",
        arguments: [ZMQSource.Socket.pull, .sub])
    func connected(socket: ZMQSource.Socket) async throws {
        try await ZMTPListeners.source(socket, goesToHear: Self.documents(socket == .pull ? "PUSH" : "PUB"))
    }

    @Test("ZMTP nonsense: a bound sink sends to a good peer after all of it", arguments: [ZMQSink.Socket.pub, .push])
    func boundSink(socket: ZMQSink.Socket) async throws {
        let documents = socket == .pub ? Self.documents("SUB") + Self.documents("XSUB") : Self.documents("PULL")
        try await ZMTPListeners.sink(socket, hears: documents)
    }

    @Test("ZMTP nonsense: a bound zmq_request gets answers after all of it", arguments: ["ROUTER", "REP"])
    func requester(peer: String) async throws { try await ZMTPListeners.requester(hears: Self.documents(peer)) }

    @Test(
        "ZMTP nonsense: a slow source survives a peer that fills its queue, sends heartbeats and resets the connection",
        arguments: [ZMQSource.Socket.pull, .sub])
    func reset(socket: ZMQSource.Socket) async throws {
        let peer = socket == .pull ? "PUSH" : "PUB"
        // A valid message and a heartbeat, many times.
        let document = (0..<6000).map { number in
            let stroke = "{\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[1,2]}"
            return ZMTP.frame([0x61], hasMore: true) + ZMTP.frame(Array(stroke.utf8)) + ZMTP.command("PING", [0, 0])
        }
        try await ZMTPListeners.source(socket, hears: [Array(document.joined())], from: peer, whileBehind: true)
    }

    @Test("ZMTP nonsense: a push sink survives a peer that sends to it and resets the connection")
    func reset() async throws {
        let much = Array(repeatElement(ZMTP.frame(Self.stroke), count: 3000).joined())
        try await ZMTPListeners.sink(.push, hears: Array(repeating: much, count: 3), from: "PULL")
    }
}

/// The inputs that libzmq's own fuzzers kept, unchanged.
@Suite(
    "The documents of libzmq's fuzzers", .enabled(if: PublicSuites.folder != nil, "PIPELINE_SUITES is not set"))
struct ZMTPSuiteTests {
    private func documents() throws -> [[UInt8]] {
        let documents = try PublicSuites.zmtp().map(\.bytes)
        try #require(documents.count >= 18)
        return documents
    }

    @Test(
        "libzmq's fuzz corpus: a bound source works after all documents",
        arguments: [ZMQSource.Socket.pull, .sub, .pair],
        [false, true])
    func bound(socket: ZMQSource.Socket, isBehind: Bool) async throws {
        try await ZMTPListeners.source(socket, hears: try documents(), whileBehind: isBehind)
    }

    @Test(
        "libzmq's fuzz corpus: a connecting source works after all documents", arguments: [ZMQSource.Socket.pull, .sub])
    func connected(socket: ZMQSource.Socket) async throws {
        try await ZMTPListeners.source(socket, goesToHear: try documents())
    }

    @Test("libzmq's fuzz corpus: a bound sink works after all documents", arguments: [ZMQSink.Socket.pub, .push])
    func boundSink(socket: ZMQSink.Socket) async throws {
        try await ZMTPListeners.sink(socket, hears: try documents())
    }

    @Test("libzmq's fuzz corpus: a connecting sink works after all documents", arguments: [ZMQSink.Socket.pub, .push])
    func connectedSink(socket: ZMQSink.Socket) async throws {
        try await ZMTPListeners.sink(socket, goesToHear: try documents())
    }

    @Test("libzmq's fuzz corpus: a bound zmq_request works after all documents")
    func requester() async throws { try await ZMTPListeners.requester(hears: try documents()) }

    @Test("libzmq's fuzz corpus: a connecting zmq_request works after all documents")
    func connectedRequester() async throws { try await ZMTPListeners.requester(goesToHear: try documents()) }
}
