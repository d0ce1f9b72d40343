import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Clients of an open port that are not peers, and data of peers that is not a message. In every case, the next good message
/// arrives.
@Suite("Intruders and nonsense over ZeroMQ")
struct ZMQIntruderTests {
    /// Receives what `send` sends, and then a good message.
    ///
    /// - Parameter handshakeMs: The limit for a handshake. A peer whose handshake takes longer connects again, and must not have
    ///   sent anything before: it may take a handshake for complete that the receiver then gives up.
    private func receive(
        handshakeMs: Int = 0, _ send: (RawPeer, UInt16) -> Void
    ) async throws -> (kept: Collector<Stroke>, node: Ledger.Node, log: LogLines) {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.ends = 1
            $0.socketOptions.handshakeMs = handshakeMs
        }
        let receiver = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        receiver.start()
        let endpoint = await log.next("bound to ")
        let peer = RawPeer()
        #expect(peer.connect(endpoint))
        _ = await log.next("connected: ")
        let port = UInt16(endpoint.split(separator: ":").last ?? "") ?? 0
        send(peer, port)
        peer.stroke("last", 0, at: 7, end: true)
        let report = await receiver.finished()
        #expect(report.isSuccess)
        #expect(kept.frames.last?.stream == "last")
        return (kept, report.ledger.nodes[0], log)
    }

    /// Connects over TCP, sends bytes, and leaves. If `waits` is true, it leaves only after the other side has closed the
    /// connection.
    private static func intrude(_ port: UInt16, saying bytes: [UInt8], waits: Bool) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return }
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard waits else { return }
        var answer = [UInt8](repeating: 0, count: 256)
        while recv(descriptor, &answer, answer.count, 0) > 0 {}
    }

    @Test(
        "ZeroMQ intruders: browsers, port scans and noise on the port are counted as failed handshakes and disturb nobody"
    )
    func otherProtocols() async throws {
        let (kept, node, log) = try await receive(handshakeMs: 200) { peer, port in
            peer.stroke("a", 0, at: 0)
            Self.intrude(port, saying: Array("GET / HTTP/1.1\r\nHost: camera\r\n\r\n".utf8), waits: true)
            Self.intrude(port, saying: (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }, waits: true)
            peer.stroke("a", 1, at: 1)
        }
        #expect(kept.frames.map(\.stream) == ["a", "a", "last"])
        #expect(node.received == 3)
        #expect((node.counts["handshake_failed"] ?? 0) >= 1)
        #expect(log.all.contains { $0.contains("does not speak ZeroMQ") })
    }

    @Test("ZeroMQ intruders: a thousand connections that are closed at once disturb nobody, and do not fill the log")
    func connects() async throws {
        let (kept, _, log) = try await receive { peer, port in
            peer.stroke("a", 0, at: 0)
            for _ in 0..<1000 { Self.intrude(port, saying: [], waits: false) }
            peer.stroke("a", 1, at: 1)
        }
        #expect(kept.frames.count == 3)
        #expect(log.all.count < 60)
    }

    /// The fields of a message, and the beginning of the error code with which it is refused; `nil` if it is accepted.
    private static let payloads: [(String, String?)] = [
        ("\"fields\":\"xy\",\"pts\":[NaN,1]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[Infinity,1]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[-Infinity,1]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[1e400,1]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[-0,-0.0]", nil),
        ("\"fields\":\"xy\",\"pts\":[1,2,3]", "decode."),
        ("\"fields\":\"xyt\",\"pts\":[1,2]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[1,2,3,4],\"counts\":[3]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[1,2,3,4],\"counts\":[1]", "decode."),
        ("\"fields\":\"xy\",\"pts\":[1,2,3,4],\"counts\":[-1,3]", "decode."),
        ("\"fields\":\"xy\",\"pts\":" + String(repeating: "[", count: 100_000), "decode."),
        ("\"unknown\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000), "decode."),
        ("\"fields\":\"xy\",\"pts\":[1,2", "decode."),
        ("\"fields\":\"xyzzy\",\"pts\":[1,2]", "decode."),
        ("\"fields\":\"xy\",\"pts\":\"1,2\"", "decode."),
    ]

    @Test(
        "ZeroMQ intruders: invalid numbers, inconsistent points and deep nesting fail only their message, with a position"
    )
    func nonsense() async throws {
        let (kept, node, log) = try await receive { peer, _ in
            for (index, payload) in Self.payloads.enumerated() {
                let end = payload.0.hasSuffix("[1,2") || payload.0.hasSuffix("[[") ? "" : "}"
                peer.send("s\(index)", "{\"v\":1,\"seq\":0,\"t_us\":5,\(payload.0)\(end)")
            }
        }
        let refused = Self.payloads.filter { $0.1 != nil }.count
        #expect(node.failed == Int64(refused))
        #expect(kept.frames.count == Self.payloads.count - refused + 1)
        // Only the first five of many errors are logged, each with its message and its byte.
        let said = log.all.filter { $0.contains("message") }
        #expect(!said.isEmpty && said.allSatisfy { $0.contains("byte") })
    }

    @Test("ZeroMQ intruders: times that go back or jump far ahead are out of order, and the stream goes on")
    func times() async throws {
        let (kept, node, _) = try await receive { peer, _ in
            peer.stroke("a", 0, at: 1_000_000)
            // The number increases, so this is not a restart: the time is wrong.
            peer.stroke("a", 1, at: 500_000)
            peer.stroke("a", 2, at: 9_007_199_254_740_991)
            peer.stroke("a", 3, at: 2_000_000)
            peer.send("a", "{\"v\":1,\"seq\":4,\"t_us\":-5,\"fields\":\"xy\",\"pts\":[1,2]}")
            peer.stroke("a", 5, at: 3_000_000)
        }
        #expect(kept.frames.filter { $0.stream == "a" }.map(\.timestamp.rawValue) == [1_000_000, 2_000_000, 3_000_000])
        #expect(node.failed == 3)
    }
}
