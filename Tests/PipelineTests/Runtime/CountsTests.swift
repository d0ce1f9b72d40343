import Testing

@testable import Pipeline

@Suite("Further counts of a component")
struct CountsTests {
    private final class Socket {}

    @Test("The sockets of a component are sorted by address, and at the same address the listening socket comes first")
    func sockets() {
        for _ in 0..<20 {
            let counts = Counts()
            let sockets = (0..<4).map { _ in Socket() }
            for (socket, isBound) in zip(sockets, [false, true, false, true]) {
                counts.note([SocketPeers(endpoint: "tcp://b", isBound: isBound, peers: 1)], of: socket)
            }
            let other = Socket()
            counts.note([SocketPeers(endpoint: "tcp://a", isBound: false, peers: 5)], of: other)
            #expect(counts.sockets.map(\.endpoint) == ["tcp://a", "tcp://b", "tcp://b"])
            #expect(counts.sockets.map(\.isBound) == [false, true, false])
            #expect(counts.sockets.map(\.peers) == [5, 2, 2])
        }
    }
}
