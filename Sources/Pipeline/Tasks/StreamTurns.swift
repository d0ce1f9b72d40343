/// The sequence in which the streams of a source took turns. A turn starts when a frame of another stream arrives, so a stream can
/// have many turns. The oldest turns are discarded.
struct StreamTurns: Sendable {
    private var ring: [SeenStream] = []
    private var next = 0
    private static var most: Int { 1024 }

    /// Records the last frame of the stream whose turn it is.
    mutating func leave(at time: Timestamp, _ sequence: Int64) {
        guard !ring.isEmpty else { return }
        let last = (next + ring.count - 1) % ring.count
        ring[last].timestamp = time
        ring[last].sequence = sequence
    }

    /// Starts the turn of a stream.
    mutating func begin(_ stream: StreamID) {
        let turn = SeenStream(stream: stream, timestamp: .zero, sequence: 0)
        if ring.count < Self.most {
            ring.append(turn)
        } else {
            ring[next] = turn
            next = (next + 1) % Self.most
        }
    }

    /// Returns the most recent streams, the last one first, each stream once.
    func recent(_ most: Int) -> [SeenStream] {
        var (names, seen): (Set<StreamID>, [SeenStream]) = ([], [])
        for back in 0..<ring.count where seen.count < most {
            let turn = ring[(next + ring.count - 1 - back) % ring.count]
            if names.insert(turn.stream).inserted { seen.append(turn) }
        }
        return seen
    }
}
