/// Whose turn is next at an edge with slots: one entry for each frame that waits.
struct FlightTurns {
    private var streams: [StreamID] = []
    private var next = 0

    /// Another frame of a stream waits.
    mutating func append(_ stream: StreamID) { streams.append(stream) }

    /// Takes the turn of the stream that has waited longest, of those that may go.
    mutating func take(where mayGo: (StreamID) -> Bool) -> StreamID? {
        guard let place = streams[next...].firstIndex(where: mayGo) else { return nil }
        let stream = streams[place]
        if place == next { next += 1 } else { streams.remove(at: place) }
        // Give the room back once the dead part is the larger.
        if next > 64, next > streams.count / 2 {
            streams.removeFirst(next)
            next = 0
        }
        return stream
    }

    /// A frame of a stream waits no more.
    mutating func remove(of stream: StreamID) {
        guard let place = streams[next...].firstIndex(of: stream) else { return }
        streams.remove(at: place)
    }
}
