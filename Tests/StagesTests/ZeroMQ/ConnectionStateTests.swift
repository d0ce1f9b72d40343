import CZMQ
import Testing

@testable import Connectors

@Suite("The state of ZeroMQ connections")
struct ConnectionStateTests {
    @Test("ZeroMQ connections: a connection is closed after everything has been read")
    func disconnects() {
        var disconnects = PendingDisconnects()
        disconnects.add("a", andReturn: false)
        #expect(disconnects.allRead() == [.init(endpoint: "a", returns: false)])
        #expect(disconnects.allRead() == [])
    }

    @Test("ZeroMQ connections: a connection that waits to be closed can be marked to be reopened afterwards")
    func returns() {
        var disconnects = PendingDisconnects()
        #expect(disconnects.returns(to: "a") == false)
        disconnects.add("a", andReturn: false)
        #expect(disconnects.returns(to: "a") == true)
        disconnects.add("a", andReturn: false)
        #expect(disconnects.allRead() == [.init(endpoint: "a", returns: true)])
    }

    @Test("ZeroMQ connections: without file descriptors the newest connections are closed one at a time")
    func acceptLimiter() {
        var limiter = AcceptLimiter()
        for connection in [10, 11, 12] as [Int32] { limiter.accepted(connection) }
        #expect(limiter.isFull() == .closeConnection(12))
        // libzmq continues to report the lack of descriptors until that peer is gone.
        let others = (0..<1000).map { _ in limiter.isFull() }
        #expect(others.allSatisfy { $0 == nil })
        limiter.ended(12)
        limiter.accepted(12)
        #expect(limiter.isFull() == .closeConnection(12))
        limiter.ended(12)
        #expect(limiter.isFull() == .closeConnection(11))
        #expect(limiter.wait(at: 0) == nil)
    }

    @Test("ZeroMQ connections: with no connection left to close, the address is closed for a second, repeatedly")
    func closing() {
        var limiter = AcceptLimiter()
        #expect(limiter.isFull() == .closeAddress)
        limiter.closed("tcp://127.0.0.1:5556", at: 500)
        #expect(limiter.isFull() == nil)
        #expect(limiter.wait(at: 700) == 800)
        #expect(limiter.due(at: 1499) == [])
        #expect(limiter.due(at: 1500) == ["tcp://127.0.0.1:5556"])
        limiter.closed("tcp://127.0.0.1:5556", at: 1500)
        #expect(limiter.wait(at: 1500) == 1000)
    }

    @Test(
        "ZeroMQ connections: the last sequence number of a quiet stream is repeated at doubling intervals, up to sixteenfold"
    )
    func quiet() {
        var stream = QuietStream()
        var said: [Int64] = []
        for now in stride(from: Int64(0), through: 60_000, by: 100) where stream.isDue(at: now, firstMs: 1000) {
            said.append(now)
        }
        #expect(said == [1000, 3000, 7000, 15_000, 31_000, 47_000])
    }

    @Test(
        "ZeroMQ connections: a subscriber may have ten thousand subscriptions at a time, and any number one after another"
    )
    func subscriptions() {
        var subscribers = Subscribers(wanted: 0)
        let all = (0..<Subscribers.mostOpen).map { _ in subscribers.note(1, of: 7) }
        #expect(!all.contains(true))
        #expect(subscribers.note(1, of: 7) == true)
        // Messages that the subscriber has already sent still arrive, but it is reported only once.
        let others = (0..<3 * Subscribers.mostOpen).map { _ in subscribers.note(1, of: 7) }
        #expect(!others.contains(true))
        subscribers.hasGone(7)
        #expect(subscribers.note(1, of: 7) == false)
        let turns = (0..<60_000).map { subscribers.note(UInt8($0 & 1), of: 8) }
        #expect(!turns.contains(true))
    }

    @Test(
        "ZeroMQ connections: a peer that floods a publisher is disconnected once, and a later one with the same descriptor is not"
    )
    func received() {
        var received = ReceivedBytes()
        received.note(.init(number: Int32(ZMQ_EVENT_ACCEPTED), value: 7), at: 0)
        received.note(.init(number: Int32(ZMQ_EVENT_ACCEPTED), value: 8), at: 0)
        received.note(.init(number: Int32(ZMQ_EVENT_ACCEPTED), value: 9), at: 0)
        received.note(.init(number: Int32(ZMQ_EVENT_DISCONNECTED), value: 9), at: 0)
        // A peer may send 1 MiB at once, and 64 KiB per second.
        let bytes: [Int32: Int64] = [7: (1 << 20) + 65_537, 8: (1 << 20) + 65_536, 9: .max]
        #expect(received.removeExcessive(at: 1000) { bytes[$0] } == [7])
        #expect(received.removeExcessive(at: 1000) { bytes[$0] } == [])
        #expect(received.removeExcessive(at: 1_000_000) { _ in nil } == [])
        received.note(.init(number: Int32(ZMQ_EVENT_ACCEPTED), value: 7), at: 2000)
        #expect(received.removeExcessive(at: 2000) { _ in 100 } == [])
        #expect(received.take(8) == true)
        #expect(received.take(8) == false)
    }

    @Test("ZeroMQ connections: a publisher waits for the configured number of subscribers, not of subscriptions")
    func waiting() {
        var subscribers = Subscribers(wanted: 2)
        for _ in 0..<5 { _ = subscribers.note(1, of: 7) }
        #expect(subscribers.isMissing)
        _ = subscribers.note(1, of: 8)
        #expect(!subscribers.isMissing)
        subscribers.hasGone(8)
        #expect(!subscribers.isMissing)
    }
}
