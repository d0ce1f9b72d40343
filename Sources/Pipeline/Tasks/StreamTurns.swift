/// The streams of a source by turns: which came when another had come. The same one may stand in it many times; the oldest turns
/// are forgotten.
struct StreamTurns: Sendable {
    private var ring: [SeenStream] = []
    private var next = 0
    private static var most: Int { 1024 }

    /// Notes how far the stream has come whose turn it is.
    mutating func leave(at time: Timestamp, _ sequence: Int64) {
        guard !ring.isEmpty else { return }
        let last = (next + ring.count - 1) % ring.count
        ring[last].timestamp = time
        ring[last].sequence = sequence
    }

    /// Begins the turn of a stream.
    mutating func begin(_ stream: StreamID) {
        let turn = SeenStream(stream: stream, timestamp: .zero, sequence: 0)
        if ring.count < Self.most {
            ring.append(turn)
        } else {
            ring[next] = turn
            next = (next + 1) % Self.most
        }
    }

    /// The streams that came last, the last one first, each once.
    func recent(_ most: Int) -> [SeenStream] {
        var (names, seen): (Set<StreamID>, [SeenStream]) = ([], [])
        for back in 0..<ring.count where seen.count < most {
            let turn = ring[(next + ring.count - 1 - back) % ring.count]
            if names.insert(turn.stream).inserted { seen.append(turn) }
        }
        return seen
    }
}
