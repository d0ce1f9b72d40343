import CZMQ
import Testing

@testable import Connectors

@Suite("The log of ZeroMQ connections")
struct ConnectionLogTests {
    private func note(
        _ log: inout ConnectionLog, _ event: Int32, _ value: Int32 = 0
    ) -> ConnectionLog.Outcome {
        log.note(.init(number: event, value: value, endpoint: "tcp://127.0.0.1:5556"))
    }

    @Test("ZeroMQ connection log: a peer that does not speak ZeroMQ or has left does not count as connected")
    func peers() {
        var log = ConnectionLog()
        _ = note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        _ = note(&log, Int32(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL))
        #expect(note(&log, ZMQ_EVENT_DISCONNECTED) == ConnectionLog.Outcome())
        #expect(log.peers == 1)
        #expect(note(&log, ZMQ_EVENT_DISCONNECTED).count == "disconnected")
        #expect(log.peers == 0)
        #expect(note(&log, ZMQ_EVENT_DISCONNECTED).count == "handshake_failed")
        #expect(log.peers == 0)
        #expect((log.gone, log.strangers) == (1, 1))
    }

    @Test("ZeroMQ connection log: an outgoing connection that ends in the handshake was to an incompatible socket")
    func strangers() {
        var log = ConnectionLog(partners: "a pull receives only from a push")
        #expect(note(&log, ZMQ_EVENT_CONNECTED, 14) == .init(turn: .tried))
        let outcome = note(&log, ZMQ_EVENT_DISCONNECTED, 14)
        #expect(outcome.turn == .refused && outcome.isWarning)
        #expect(outcome.line?.contains("does not fit (a pull receives only from a push)") ?? false)
        // After a successful handshake, a disconnect is a loss. A peer that connected to this socket reconnects by itself.
        _ = note(&log, ZMQ_EVENT_CONNECTED, 15)
        #expect(note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED).turn == .accepted)
        #expect(note(&log, ZMQ_EVENT_DISCONNECTED, 15).turn == .lost)
        _ = note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        #expect(note(&log, ZMQ_EVENT_DISCONNECTED, 16).turn == nil)
    }

    @Test(
        "ZeroMQ connection log: lost and failed connections are still counted after the socket was replaced"
    )
    func breaks() {
        var log = ConnectionLog()
        _ = note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        #expect(log.breaks == 0)
        for event in [
            ZMQ_EVENT_DISCONNECTED, ZMQ_EVENT_CONNECT_RETRIED, Int32(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL),
        ] {
            _ = note(&log, event)
        }
        #expect(log.breaks == 3)
        for _ in 0..<5 { #expect(note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED).count == "connected") }
        #expect(log.peers == 5)
        var renewed = log.renewed
        #expect(renewed.peers == 0 && renewed.breaks == 3)
        // The seventh in total: it is counted, but not logged any more.
        let outcome = note(&renewed, ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        #expect(outcome.count == "connected" && outcome.line == nil)
    }

    @Test(
        "ZeroMQ connection log: each failure of a handshake has a name in the counts and a message in the log",
        arguments: [
            (ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, 400, true, "authentication_failed", "does not accept this client"),
            (ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, 400, false, "authentication_failed", "was not accepted"),
            (
                ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH, false,
                "authentication_failed", "another security mechanism"
            ),
            (
                ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC, false,
                "authentication_failed", "does not use the same server_key"
            ),
            (ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, 104, true, "authentication_failed", "ended the connection"),
            (ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, 104, false, "handshake_failed", "does not speak ZeroMQ"),
        ] as [(Int32, Int32, Bool, String, String)])
    func handshake(event: Int32, value: Int32, isClient: Bool, name: String, words: String) {
        var log = ConnectionLog(isClient: isClient)
        let outcome = note(&log, event, value)
        #expect(outcome.count == name)
        #expect(outcome.line?.contains(words) ?? false)
        #expect(outcome.line?.contains("tcp://127.0.0.1:5556") ?? false)
        #expect(outcome.isWarning)
        #expect(outcome.turn == (isClient ? .refused : nil))
    }

    @Test("ZeroMQ connection log: a client without security logs that the server may require it, and retries slowly")
    func plainClient() {
        var log = ConnectionLog(onlyConnects: true)
        let outcome = note(&log, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, 104)
        #expect(outcome.count == "handshake_failed" && outcome.turn == .refused && outcome.isWarning)
        #expect(outcome.line?.contains("wants security") ?? false)
    }

    @Test(
        "ZeroMQ connection log: of each kind, the first five events and each power of ten are logged, and all are counted"
    )
    func rate() {
        var log = ConnectionLog()
        let outcomes = (0..<1000).map { _ in note(&log, ZMQ_EVENT_HANDSHAKE_SUCCEEDED) }
        #expect(outcomes.allSatisfy { $0.count == "connected" })
        let said = outcomes.indices.filter { outcomes[$0].line != nil }.map { $0 + 1 }
        #expect(said == [1, 2, 3, 4, 5, 10, 100, 1000])
    }

    @Test("ZeroMQ connection log: an unanswered connection is logged once, and not after an answer")
    func retries() {
        var log = ConnectionLog()
        let outcomes = (0..<3).map { _ in note(&log, ZMQ_EVENT_CONNECT_RETRIED) }
        #expect(outcomes.map { $0.line != nil } == [true, false, false])
        #expect(outcomes.allSatisfy { $0.count == "retried" })
        var later = ConnectionLog()
        _ = note(&later, ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        #expect(note(&later, ZMQ_EVENT_CONNECT_RETRIED).line == nil)
    }

    @Test("ZeroMQ connection log: pauses between retries double up to the maximum and restart after success")
    func pauses() {
        var reconnection = Reconnection(firstMs: 100, longestMs: 500)
        var now: Int64 = 0
        var pauses: [Int64?] = []
        for _ in 0..<4 {
            pauses.append(reconnection.refused("a", at: now))
            #expect(reconnection.refused("a", at: now) == nil)
            #expect(reconnection.due(at: now) == [])
            now += reconnection.wait(at: now) ?? 0
            #expect(reconnection.due(at: now) == ["a"])
            #expect(reconnection.due(at: now) == [])
        }
        #expect(pauses == [100, 200, 400, 500])
        reconnection.accepted()
        #expect(reconnection.refused("a", at: now) == 100)
        #expect(reconnection.refused("b", at: now + 50) == 100)
        #expect(reconnection.wait(at: now + 60) == 40)
        #expect(reconnection.due(at: now + 1000) == ["a", "b"])
        #expect(reconnection.wait(at: now + 1000) == nil)
    }

    @Test(
        "ZeroMQ connection log: a lost connection counts as abandoned if libzmq does not soon report another attempt"
    )
    func abandoned() throws {
        var reconnection = Reconnection(firstMs: 100, longestMs: 500)
        reconnection.lost("a", at: 0)
        reconnection.lost("b", at: 10)
        reconnection.tried("a")
        let wait = try #require(reconnection.wait(at: 10))
        #expect(wait > 0)
        #expect(reconnection.abandoned(at: 9 + wait) == [])
        #expect(reconnection.abandoned(at: 10 + wait) == ["b"])
        #expect(reconnection.abandoned(at: .max) == [])
        #expect(reconnection.wait(at: 1000) == nil)
    }
}
