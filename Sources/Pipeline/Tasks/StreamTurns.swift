/// The turns of a source's streams. A turn is a sequence of consecutive frames of one stream; it ends when a frame of another
/// stream arrives. Only the most recent turns are kept.
struct StreamTurns: Sendable {
    private var ring: [SeenStream] = []
    private var next = 0
    private static var most: Int { 1024 }

    /// Records the last frame of the current turn.
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

    /// Returns at most `most` of the most recent streams, the last one first, each stream once.
    func recent(_ most: Int) -> [SeenStream] {
        var (names, seen): (Set<StreamID>, [SeenStream]) = ([], [])
        for back in 0..<ring.count where seen.count < most {
            let turn = ring[(next + ring.count - 1 - back) % ring.count]
            if names.insert(turn.stream).inserted { seen.append(turn) }
        }
        return seen
    }
}
